import type { ErrorRenderer, Route } from '../exchange/exchange-types.ts';
import { anyOrigin } from '../headers/cors.ts';

const HEADERS = { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache' } as const;
const CORS = anyOrigin({ methods: ['GET', 'HEAD'], requestHeaders: 'Content-Type' });

/** Builds `GET /openapi.json`, the description of a listener, which holds nothing secret. */
export function openApiRoute(path: string, document: unknown, renderError: ErrorRenderer): Route {
  const body = Buffer.from(JSON.stringify(document));
  return {
    ...{ method: 'GET', path, head: true, bodyLimitBytes: 0, headers: HEADERS, cors: CORS, renderError },
    handler: () => ({ status: 200, body }),
  };
}
