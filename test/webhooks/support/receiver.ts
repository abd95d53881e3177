import type { IncomingHttpHeaders } from 'node:http';
import { serveLocally } from '../../support/server/local-server.ts';

/** A request that a receiver got. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Answer of a receiver: a status, a redirect to a path, none at all, or a broken connection. */
export type Reply = number | { readonly redirect: string } | 'nothing' | 'reset';

/** A receiver of webhooks on a free port. */
export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
  /** Answers of the next requests, in order; 204 once they are used up. */
  answer(...replies: Reply[]): void;
  close(): Promise<void>;
}

/** Starts a receiver. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const replies: Reply[] = [];
  const { origin, close } = await serveLocally((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      received.push({ method, path: url, headers, body: Buffer.concat(chunks).toString() });
      const reply = replies.shift() ?? 204;
      if (reply === 'reset') request.socket.destroy();
      else if (typeof reply === 'number') response.writeHead(reply).end();
      else if (reply !== 'nothing') response.writeHead(307, { location: reply.redirect }).end();
    });
  });
  return {
    url: `${origin}/hook?from=proofgate`,
    received,
    answer: (...more) => void replies.push(...more),
    close,
  };
}
