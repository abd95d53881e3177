import type { RequestLogFields } from '../../observability/index.ts';
import type { CorsPolicy } from '../headers/cors.ts';
import type { FixedHeaders } from '../headers/response-headers.ts';
import type { CancelSignal } from './cancellation.ts';

/** A request as a handler sees it: copied at entry, valid for as long as it is held. */
export interface HttpRequest {
  readonly method: string;
  /** Path as sent, still percent-encoded, without query. */
  readonly path: string;
  /** Path parameters by name, percent-decoded once. */
  readonly params: Readonly<Record<string, string>>;
  /** Raw query without `?`; empty when there is none. */
  readonly query: string;
  /** Lower-case names; the first value of each. */
  readonly headers: ReadonlyMap<string, string>;
  /** Names of headers that came more than once, in lower case. */
  readonly repeatedHeaders: ReadonlySet<string>;
  /** Whole body; empty when there is none. */
  readonly body: Uint8Array;
  /** Client address as text, `::ffff:` mapped to IPv4. */
  readonly address: string;
  /** The address as rate limits take it: IPv6 by its /64. */
  readonly addressKey: string;
  readonly requestId: string;
  /** Fires when the client is gone or the handler's time is over. */
  readonly signal: CancelSignal;
  /** Milliseconds since the epoch at entry. */
  readonly receivedAt: number;
}

/** An answer. Header names as they are to be sent; values visible ASCII and spaces only. */
export interface HttpResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers that are the same in many answers, made once; of one name the one in `headers` counts. */
  readonly fixedHeaders?: FixedHeaders;
  readonly body?: string | Uint8Array;
  /** Ends the connection after this answer. */
  readonly closeConnection?: boolean;
  /** For the request log and metrics: the error code of the answer, never a secret. */
  readonly logCode?: string;
  /** The registered client of sign-in that the answer concerns, for the log and for CORS. */
  readonly clientId?: string;
  /** Fields for the log line of the request. */
  readonly logFields?: RequestLogFields;
  /** What went wrong, for the log line of a 5xx that the handler answered itself. */
  readonly logError?: unknown;
}

/** Returned by a handler that answers through its `AnswerReceiver`; a symbol, so that no handler returns it by mistake. */
export const LATER: unique symbol = Symbol('the answer comes by the receiver');

/** Takes the answer of a handler that returned `LATER`; the first one counts. */
export interface AnswerReceiver {
  answer(response: HttpResponse): void;
  /** @param error - What a promise would be rejected with. */
  fail(error: unknown): void;
}

/** What a handler returns. */
export type Handled = HttpResponse | Promise<HttpResponse> | typeof LATER;

/** Turns an error into the answer of an interface; which interface is a property of the route. */
export type ErrorRenderer = (error: unknown, context: ErrorContext) => HttpResponse;

/** What an error body may need of its request. */
export interface ErrorContext {
  readonly method: string;
  /** Path parameters; empty when the path did not match a route. */
  readonly params: Readonly<Record<string, string>>;
  readonly requestId: string;
  /** Raw query without `?`; absent where the renderer needs none. */
  readonly query?: string;
  /** Headers of the request, names in lower case; absent where the renderer needs none. */
  readonly headers?: ReadonlyMap<string, string>;
  /** Methods of the Allow header, on 405. */
  readonly allow?: readonly string[];
  /** Body limit of the route in bytes, on 413. */
  readonly bodyLimitBytes?: number;
}

/** Answer of a rate guard for one request. */
export interface RateDecision {
  readonly isAllowed: boolean;
  /** Whole seconds, at least 1, until a request is allowed again; 0 when this one is. */
  readonly retryAfterSeconds: number;
  /** The first refusal of its key and window: the one that is logged. */
  readonly isFirstRefusal: boolean;
}

/** Counts requests per client address. */
export interface RateGuard {
  /** @param subject - What the address is counted for, apart from others; bounded text without colons. */
  consume(address: string, subject?: string): Promise<RateDecision>;
}

/** What every answer of a path has, that for a wrong method or an unknown path included. */
export type PathOwner = Pick<Route, 'headers' | 'cors' | 'renderError'>;

/** One endpoint. */
export interface Route {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'PATCH';
  /** Pattern with `:name` segments, e.g. `/api/v4/verify/:rp_id`; also the label of metrics and logs. */
  readonly path: string;
  /** Whether HEAD is served like GET, without a body; where it does something else it is a route of its own. */
  readonly head?: boolean;
  /** Bytes a body may have; 0 for none. */
  readonly bodyLimitBytes: number;
  /**
   * The handler reads the body before it returns and keeps nothing of it, so that a body that came in one piece need
   * not be copied for it.
   */
  readonly readsBodyAtOnce?: boolean;
  /**
   * The handler seldom asks for the client's address, which is then read when it does: `unknown` for a client that is
   * gone by then. Of every other route it is read before anything of the request is served.
   */
  readonly asksAddressLate?: boolean;
  /** Checked before the body is awaited: overload, rate limits. Throws a ServiceError to refuse. */
  readonly admit?: (request: Omit<HttpRequest, 'body' | 'signal'>) => void;
  /** Limits requests per address; asked after `admit` and before the body is awaited. */
  readonly rateGuard?: RateGuard;
  /** Checked after the rate guard and before the body is looked at. Throws or rejects with a ServiceError to refuse. */
  readonly checkHead?: (request: Omit<HttpRequest, 'body' | 'signal'>) => void | Promise<void>;
  /** OPTIONS is 405 here instead of 204: no page of another origin calls it. All routes of a path have the same. */
  readonly refusesOptions?: boolean;
  /** Served while draining and beyond `http.maxOpenExchanges`: health and metrics. */
  readonly isAlwaysServed?: boolean;
  /** Headers on every answer of the route, errors included. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Who may call from a page of another origin; nobody where absent. All routes of a path have the same. */
  readonly cors?: CorsPolicy;
  readonly renderError: ErrorRenderer;
  /**
   * @param receiver - For handlers that return `LATER`. It may be answered before the handler returns, without which
   *   uWebSockets.js does not serve a pipelined next request.
   */
  readonly handler: (request: HttpRequest, receiver: AnswerReceiver) => Handled;
}
