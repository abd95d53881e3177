/** A real HTTP listener with routes of a test. */
import { onTestFinished } from 'vitest';
import { renderSigninError } from '../../../src/http/errors/signin.ts';
import type { HttpRequest, HttpResponse, Route } from '../../../src/http/exchange/exchange-types.ts';
import { interfaceFallbacks } from '../../../src/http/routing/unknown-path.ts';
import { createHttpServer, type HttpServer, type HttpServerSettings } from '../../../src/http/server.ts';
import type { RequestRecord } from '../../../src/observability/log/request-record.ts';
import { TEST_LIMITS } from '../test-limits.ts';
import { RawClient } from './raw-client.ts';

const BASE_URL = 'http://localhost:8080';

/** An open listener and the records of its exchanges. */
export interface TestListener {
  readonly server: HttpServer;
  readonly port: number;
  readonly records: RequestRecord[];
}

/**
 * Opens a listener on a free loopback port; it is closed when the test ends.
 *
 * @param onFinished - Hook of the test's context, which a concurrent test must pass.
 */
export async function openListener(
  routes: readonly Route[],
  overrides: Partial<Omit<HttpServerSettings, 'limits'>> & {
    readonly limits?: Partial<HttpServerSettings['limits']>;
  } = {},
  onFinished: (close: () => void) => void = onTestFinished,
): Promise<TestListener> {
  const records: RequestRecord[] = [];
  const { limits, ...rest } = overrides;
  const server = await createHttpServer({
    listener: 'public',
    host: '127.0.0.1',
    port: 0,
    routes,
    fallbacks: interfaceFallbacks({ issuerUrl: BASE_URL, verifyUrl: BASE_URL }),
    renderUnknown: renderSigninError,
    baseUrl: BASE_URL,
    onEnd: (record) => records.push(record),
    ...rest,
    limits: { ...TEST_LIMITS, ...limits },
  });
  onFinished(() => server.closeAll());
  return { server, port: server.port, records };
}

/** Opens a connection that is dropped when the test ends. */
export async function connect(port: number, host?: string): Promise<RawClient> {
  const client = await RawClient.open(port, host);
  onTestFinished(() => client.destroy());
  return client;
}

/** Makes a route for tests. */
export function testRoute(
  method: Route['method'],
  path: string,
  handler: Route['handler'],
  more: Partial<Route> = {},
): Route {
  return { method, path, handler, bodyLimitBytes: 65_536, renderError: renderSigninError, ...more };
}

/** Answers with the request that the handler received, as JSON. */
export function describeRequest(request: HttpRequest): HttpResponse {
  const { method, path, params, query, address, requestId, receivedAt } = request;
  const headers = Object.fromEntries(request.headers);
  const body = Buffer.from(request.body).toString('latin1');
  return {
    status: 200,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ method, path, params, query, address, requestId, receivedAt, headers, body }),
  };
}
