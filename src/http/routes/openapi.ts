import type { ErrorRenderer, Route } from '../exchange/exchange-types.ts';
import { anyOrigin } from '../headers/cors.ts';

const HEADERS = { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache' } as const;
const CORS = anyOrigin({ methods: ['GET', 'HEAD'], requestHeaders: 'Content-Type' });

/**
 * Builds `GET /openapi.json`, the description of a listener, which contains nothing secret.
 *
 * @param build - Returns the document; called at the first request.
 */
export function openApiRoute(
  path: string,
  build: () => Promise<unknown> | unknown,
  renderError: ErrorRenderer,
): Route {
  let body: Uint8Array | undefined;
  return {
    method: 'GET',
    path,
    head: true,
    bodyLimitBytes: 0,
    headers: HEADERS,
    cors: CORS,
    renderError,
    async handler() {
      body ??= Buffer.from(JSON.stringify(await build()));
      return { status: 200, body };
    },
  };
}
