/** An app on its own origin, to whose page people return from a sign-in. */
import type { IncomingMessage } from 'node:http';
import { serveLocally } from '../server/local-server.ts';

/** A running app. */
export interface AppPage {
  /** `http://127.0.0.1:<port>`. */
  readonly origin: string;
  /** Its redirect URI. */
  readonly callback: string;
  /** Parameters of the forms posted to it, in order. */
  readonly posted: readonly Readonly<Record<string, string>>[];
  end(): Promise<void>;
}

/** Starts an app that serves a page with the heading `The app` at every path. */
export async function startAppPage(): Promise<AppPage> {
  const posted: Readonly<Record<string, string>>[] = [];
  const { origin, close } = await serveLocally(async (request, response) => {
    if (request.method === 'POST') posted.push(await formOf(request));
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end('<!doctype html><title>The app</title><link rel="icon" href="data:,"><h1>The app</h1>');
  });
  return { origin, callback: `${origin}/cb`, posted, end: close };
}

async function formOf(request: IncomingMessage): Promise<Readonly<Record<string, string>>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
}
