import type { AdminCaller } from '../../admin/admin-tokens.ts';
import type { RequestLogFields } from '../../observability/log/request-record.ts';
import type { RequestTrace } from '../../observability/tracing/tracing.ts';
import type { AnswerFacts, CallerLimits } from '../../oidc/endpoints/authenticate-client.ts';
import type { Language } from '../../oidc/languages.ts';
import type { CorsPolicy } from '../headers/cors.ts';
import type { FixedHeaders } from '../headers/response-headers.ts';
import type { CancelSignal } from './cancellation.ts';

/**
 * Facts about a request that become known while it is served, for later steps, the error renderer and the log line.
 * Created once per request; a fact is undefined until it is known.
 */
export class RequestContext implements AnswerFacts {
  /** Registered client of sign-in, or app, of the request. */
  client: string | undefined;
  /** Returns the nonce for the next proof of possession of the client (RFC 9449 section 8). */
  nonce: (() => string) | undefined;
  /** Language that the request asks for, for an error page. */
  language: Language | undefined;
  /** Limits of a call of an endpoint for clients. */
  limits: CallerLimits | undefined;
  /** Caller of the admin API, once its token is checked. */
  caller: AdminCaller | undefined;
  /** Trace of the request, from the start of its handler; undefined if tracing is off. */
  trace: RequestTrace | undefined;
}

/** A request for a handler: copied on arrival, so it stays valid as long as it is referenced. */
export interface HttpRequest {
  readonly method: string;
  /** Path as sent, still percent-encoded, without query. */
  readonly path: string;
  /** Path parameters by name, percent-decoded once. */
  readonly params: Readonly<Record<string, string>>;
  /** Raw query without `?`; empty if there is none. */
  readonly query: string;
  /** First value of each header, by lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  /** Lower-case names of headers that were sent more than once. */
  readonly repeatedHeaders: ReadonlySet<string>;
  /** Complete body; empty if there is none. */
  readonly body: Uint8Array;
  /** Client address as text, `::ffff:` mapped to IPv4. */
  readonly address: string;
  /** The address as rate limits key it: IPv6 by its /64. */
  readonly addressKey: string;
  readonly requestId: string;
  /** Fires when the client has disconnected or the handler has timed out. */
  readonly signal: CancelSignal;
  /** Arrival time in milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly context: RequestContext;
}

/** An answer. Header names are sent as written; values may hold visible ASCII and spaces only. */
export interface HttpResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers that many answers share, checked once; `headers` overrides them by name. */
  readonly fixedHeaders?: FixedHeaders;
  /** Values of `Set-Cookie` headers. */
  readonly cookies?: readonly string[];
  readonly body?: string | Uint8Array;
  /** Ends the connection after this answer. */
  readonly closeConnection?: boolean;
  /** Error code of the answer, for the request log and metrics; never a secret. */
  readonly logCode?: string;
  /** Registered client of sign-in that the answer concerns, for the log and for CORS. */
  readonly clientId?: string;
  /** Fields for the log line of the request. */
  readonly logFields?: RequestLogFields;
  /** Error for the log line of a 5xx that the handler answered itself. */
  readonly logError?: unknown;
}

/** Returned by a handler that answers through its `AnswerReceiver`; a symbol, so that no handler returns it by mistake. */
export const DEFERRED: unique symbol = Symbol('the answer comes by the receiver');

/** Receives the answer of a handler that returned `DEFERRED`; only the first one counts. */
export interface AnswerReceiver {
  answer(response: HttpResponse): void;
  /** @param error - The reason with which a promise would be rejected. */
  fail(error: unknown): void;
  /**
   * Sets a deadline of the handler, once and before it returns: calls back if there is no answer by then, unless the
   * handler timeout is earlier. It shares the timer of the handler timeout, since a second timer per request has a
   * measurable cost.
   */
  startDeadline(milliseconds: number, onPassed: () => void): void;
}

/** Return value of a handler. */
export type Handled = HttpResponse | Promise<HttpResponse> | typeof DEFERRED;

/** Renders an error in the format of an interface; each route has the renderer of its interface. */
export type ErrorRenderer = (error: unknown, context: ErrorContext) => HttpResponse;

/** Facts about a request for an error body. */
export interface ErrorContext {
  readonly method: string;
  /** Path parameters; empty when the path did not match a route. */
  readonly params: Readonly<Record<string, string>>;
  readonly requestId: string;
  readonly context: RequestContext;
  /** Raw query without `?`; absent if the renderer does not need it. */
  readonly query?: string;
  /** Headers of the request, names in lower case; absent if the renderer does not need them. */
  readonly headers?: ReadonlyMap<string, string>;
  /** Methods of the Allow header, on 405. */
  readonly allow?: readonly string[];
  /** Body limit of the route in bytes, on 413. */
  readonly bodyLimitBytes?: number;
}

/** Decision of a rate guard on one request. */
export interface RateDecision {
  readonly isAllowed: boolean;
  /** Whole seconds, at least 1, until a request is allowed again; 0 if this one is allowed. */
  readonly retryAfterSeconds: number;
  /** Whether this is the first refusal of its key in the window, the only one that is logged. */
  readonly isFirstRefusal: boolean;
}

/** Counts requests per client address. */
export interface RateGuard {
  /**
   * @param subject - Counts the address separately per subject; text of bounded length, without colons.
   * @param count - Weight of the request; 1 if absent.
   */
  consume(address: string, subject?: string, count?: number): RateDecision;
}

/** Properties of every answer of a path, including those for a wrong method or an unknown path. */
export type PathOwner = Pick<Route, 'headers' | 'cors' | 'renderError'>;

/** One endpoint. */
export interface Route {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'PATCH';
  /** Pattern with `:name` segments, e.g. `/api/v4/verify/:rp_id`; also the label of metrics and logs. */
  readonly path: string;
  /** Whether HEAD is served like GET, without a body; a HEAD with its own behaviour is a separate route. */
  readonly head?: boolean;
  /** Largest body in bytes; 0 for none. */
  readonly bodyLimitBytes: number;
  /**
   * Whether the handler reads the body before it returns and keeps no reference to it, so that a body that
   * came in one chunk need not be copied.
   */
  readonly readsBodySynchronously?: boolean;
  /**
   * Whether the client address is read only on use, for handlers that seldom use it; it is `unknown` if the client has
   * disconnected by then. On other routes it is read before the request is served.
   */
  readonly readsAddressLazily?: boolean;
  /** Checked before the body is awaited: overload, rate limits. Throws a ServiceError to refuse. */
  readonly admit?: (request: Omit<HttpRequest, 'body' | 'signal'>) => void;
  /** Limits requests per address; called after `admit` and before the body is awaited. */
  readonly rateGuard?: RateGuard;
  /** Called after the rate guard, before the body is read. Throws or rejects with ServiceError to refuse. */
  readonly checkHead?: (request: Omit<HttpRequest, 'body' | 'signal'>) => void | Promise<void>;
  /**
   * Whether OPTIONS is answered with 405 instead of 204, because no page of another origin calls the path. Equal for
   * all routes of a path.
   */
  readonly refusesOptions?: boolean;
  /** Whether requests are served beyond `http.maxOpenExchanges`: health and metrics. */
  readonly isAlwaysServed?: boolean;
  /** Headers on every answer of the route, errors included. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Policy for origins whose pages may call the path; absent for none. Equal for all routes of a path. */
  readonly cors?: CorsPolicy;
  readonly renderError: ErrorRenderer;
  /**
   * @param receiver - For handlers that return `DEFERRED`. It may be called before the handler returns; only after such
   *   an early answer does uWebSockets.js serve the next pipelined request.
   */
  readonly handler: (request: HttpRequest, receiver: AnswerReceiver) => Handled;
}
