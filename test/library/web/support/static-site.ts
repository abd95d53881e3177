/** Serves a folder under the policy that src/docs/library.md gives. */
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { type LocalServer, serveLocally } from '../../../support/server/local-server.ts';

/** The policy of a page that uses the package, and of its worker. */
export const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'; img-src data:";

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
};

/** Starts a site on a free port. @param headers - Added to those of every file. */
export async function serveFolder(
  folder: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<LocalServer> {
  return await serveLocally(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const path = pathname === '/' ? '/index.html' : pathname;
    const type = TYPES[extname(path)];
    const bytes = type && (await readFile(join(folder, path)).catch(() => undefined));
    if (!bytes) {
      response.writeHead(404).end();
      return;
    }
    response
      .writeHead(200, { 'content-type': type, 'content-security-policy': POLICY, ...headers })
      .end(bytes);
  });
}
