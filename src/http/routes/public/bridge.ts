import type { Bridge } from '../../../bridge/bridge.ts';
import { basePathOf } from '../../../config/values/public-address.ts';
import type { Metrics } from '../../../observability/metrics/metrics.ts';
import { renderSigninError } from '../../errors/signin.ts';
import type { HttpRequest, HttpResponse, Route } from '../../exchange/exchange-types.ts';
import { anyOrigin, type CorsPolicy } from '../../headers/cors.ts';
import type { PrefixFallback } from '../../server.ts';
import type { BridgeCallKind, BridgeGuard } from './bridge-guard.ts';

/** Parts of the service that the routes need. */
export interface BridgeRouteParts {
  readonly bridge: Bridge;
  /** Public address of the service; the bridge is below its path. */
  readonly baseUrl: string;
  /** `bridge.rootAlias`: whether the calls are also served at the root of the origin. */
  readonly hasRootAlias: boolean;
  /** Whether PUT overwrites a request; in production it is answered 405. */
  readonly canOverwrite: boolean;
  /** `bridge.bodyLimitBytes`. */
  readonly bodyLimitBytes: number;
  readonly metrics: Pick<Metrics, 'bridgeMessagesTotal'>;
  /** Throws to refuse while the store is down. */
  readonly admit?: NonNullable<Route['admit']>;
  /** `rateLimits.bridgePerAddress`: all calls of an address. */
  readonly addressGuard?: Route['rateGuard'] | undefined;
  /** Counts calls by kind. */
  readonly guard: BridgeGuard;
}

/** One call of the bridge (spec/sign-in.md#bridge-calls). */
interface BridgeCall {
  /** Label of the call in metrics. */
  readonly name: string;
  readonly method: Route['method'];
  readonly path: string;
  readonly kind: BridgeCallKind;
  readonly serve: (bridge: Bridge, request: HttpRequest, guard: BridgeGuard) => Promise<HttpResponse>;
}

const REQUEST = '/request';
const REQUEST_ID = '/request/:request_id';
const RESPONSE = '/response';
const RESPONSE_ID = '/response/:request_id';

const CALLS: readonly BridgeCall[] = [
  {
    name: 'post_request',
    method: 'POST',
    path: REQUEST,
    kind: 'create',
    serve: async (bridge, { body, addressKey }, guard) => {
      const id = await bridge.createRequest(body, addressKey);
      guard.remember(id);
      return json(200, { request_id: id });
    },
  },
  {
    name: 'get_request',
    method: 'GET',
    path: REQUEST_ID,
    kind: 'poll',
    serve: async (bridge, request) => json(200, await bridge.takeRequest(idOf(request))),
  },
  {
    name: 'head_request',
    method: 'HEAD',
    path: REQUEST_ID,
    kind: 'poll',
    serve: (bridge, request) => empty(200, bridge.checkRequest(idOf(request))),
  },
  {
    name: 'get_response',
    method: 'GET',
    path: RESPONSE_ID,
    kind: 'poll',
    serve: async (bridge, request) => {
      const answer = await bridge.takeAnswer(idOf(request));
      const response = answer.status === 'completed' ? answer.message : null;
      return json(200, { status: answer.status, response });
    },
  },
  {
    name: 'head_response',
    method: 'HEAD',
    path: RESPONSE_ID,
    kind: 'poll',
    serve: (bridge, request) => empty(200, bridge.checkStatus(idOf(request))),
  },
  {
    name: 'put_response',
    method: 'PUT',
    path: RESPONSE_ID,
    kind: 'answer',
    serve: (bridge, request) => empty(201, bridge.answer(idOf(request), request.body, request.addressKey)),
  },
  {
    name: 'post_response',
    method: 'POST',
    path: RESPONSE,
    kind: 'create',
    serve: async (bridge, { body, addressKey }) =>
      json(201, { request_id: await bridge.createAnswer(body, addressKey) }),
  },
];

const OVERWRITE: BridgeCall = {
  name: 'put_request',
  method: 'PUT',
  path: REQUEST_ID,
  kind: 'create',
  serve: async (bridge, request, guard) => {
    const id = idOf(request);
    await bridge.putRequest(id, request.body, request.addressKey);
    guard.remember(id.toLowerCase());
    return { status: 201 };
  },
};

const CORS: CorsPolicy = anyOrigin({
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'OPTIONS'],
  requestHeaders: '*',
});
const NO_STORE = { 'Cache-Control': 'no-store' };

/**
 * Builds the routes of the wallet bridge (spec/sign-in.md#bridge-calls). A body that parses as JSON is
 * accepted with any Content-Type.
 */
export function bridgeRoutes(parts: BridgeRouteParts): Route[] {
  const calls = parts.canOverwrite ? [...CALLS, OVERWRITE] : CALLS;
  const prefixes = [bridgePath(parts.baseUrl), ...(parts.hasRootAlias ? [''] : [])];
  return prefixes.flatMap((prefix) => calls.map((call) => bridgeRoute(call, prefix, parts)));
}

/** Returns the fallback for unknown paths below the bridge, which answers with the error body of the bridge. */
export function bridgeFallback(baseUrl: string): PrefixFallback {
  return { prefix: `${bridgePath(baseUrl)}/`, headers: NO_STORE, cors: CORS, renderError: renderSigninError };
}

function bridgePath(baseUrl: string): string {
  return `${basePathOf(baseUrl)}/bridge`;
}

function bridgeRoute(
  { name, method, path, kind, serve }: BridgeCall,
  prefix: string,
  parts: BridgeRouteParts,
): Route {
  const { bridge, admit, addressGuard, guard, metrics } = parts;
  const count = (status: number): void => {
    metrics.bridgeMessagesTotal.inc({ call: name, status: String(status) });
  };
  return {
    method,
    path: prefix + path,
    bodyLimitBytes: method === 'POST' || method === 'PUT' ? parts.bodyLimitBytes : 0,
    headers: NO_STORE,
    cors: CORS,
    ...(admit === undefined ? {} : { admit }),
    ...(addressGuard === undefined ? {} : { rateGuard: addressGuard }),
    checkHead: (request) => guard.admit(kind, request),
    renderError(error, context) {
      const answer = renderSigninError(error, context);
      // The first route of a path also answers methods without a route.
      if (context.method === method) count(answer.status);
      return answer;
    },
    async handler(request) {
      const answer = await guard.serve(kind, request, () => serve(bridge, request, guard));
      // After an abort no client receives the answer: it has disconnected, or was answered when the handler timed out.
      if (!request.signal.aborted) count(answer.status);
      return answer;
    },
  };
}

function idOf({ params }: HttpRequest): string {
  return params.request_id ?? '';
}

function json(status: number, body: object): HttpResponse {
  return { status, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
}

async function empty(status: number, done: Promise<void>): Promise<HttpResponse> {
  await done;
  return { status };
}
