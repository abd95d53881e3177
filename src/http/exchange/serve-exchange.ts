import { randomUUID } from 'node:crypto';
import { rateLimitKey } from '../../addresses.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { RequestRecord } from '../../observability/log/request-record.ts';
import type { RequestTrace, Tracing } from '../../observability/tracing/tracing.ts';
import type { RequestSource, SourceReader } from '../client-address/proxy-source.ts';
import { clientOf } from '../errors/error-answer.ts';
import { isVisibleAscii, traceIdOf } from '../headers/header-rules.ts';
import type { FixedHeaders, Header } from '../headers/response-headers.ts';
import type { HttpLibrary, LibraryRequest, LibraryResponse } from '../library/http-library.ts';
import type { UnfinishedBound } from '../limits/address-shares.ts';
import type { BodilessAnswers } from '../limits/bodiless-answers.ts';
import type { Gate } from '../limits/gate.ts';
import { PhasedExchange, type WorkCounts } from '../limits/phased-exchange.ts';
import { refuseLimited } from '../limits/rate-limit.ts';
import { decodeParams, type PathMatch, type Router } from '../routing/router.ts';
import { type Answer, composeAnswer, composeError, type HeaderParts } from './answer.ts';
import { BodyCollector } from './body.ts';
import { Exchange, type ExchangeOwner } from './exchange.ts';
import {
  type AnswerReceiver,
  DEFERRED,
  type ErrorContext,
  type Handled,
  type HttpResponse,
  type PathOwner,
  RequestContext,
  type Route,
} from './exchange-types.ts';
import { inPollPhase } from './poll-phase.ts';
import { ServedRequest } from './served-request.ts';

/** Settings with which a listener serves its exchanges. */
export interface ServeSettings {
  readonly library: HttpLibrary;
  readonly listener: RequestRecord['listener'];
  readonly router: Router;
  /** Whether the listener answers for the host of a request; undefined if it answers for any. */
  readonly isOwnHost: ((host: string) => boolean) | undefined;
  /** Returns the owner of a path without a route. */
  readonly ownerOfUnknown: (path: string) => PathOwner;
  /** Headers of every answer. */
  readonly headers: FixedHeaders;
  /** Returns `headers` merged with those of an owner; always the same object for the same owner. */
  readonly headersOf: (owner: PathOwner) => FixedHeaders;
  readonly bodyLimitBytes: number;
  readonly handlerTimeoutMs: number;
  /** Time for which a connection stays open after its last answer if part of the request is unread, in milliseconds. */
  readonly lingerMs: number;
  /** Headers of an answer that keeps its connection. */
  readonly keepAlive: readonly Header[];
  readonly source: SourceReader;
  readonly onEnd: (record: RequestRecord) => void;
  /** Undefined if tracing is off. */
  readonly tracing: Tracing | undefined;
}

/** State of a listener that its exchanges read and update. */
export interface ServeState extends WorkCounts {
  /** Number of exchanges whose answer is not complete, in any phase. */
  open: number;
  isDraining: boolean;
  readonly gate: Gate;
  readonly bodilessAnswers: BodilessAnswers;
  /** Whether `http.maxOpenExchanges` are being served: `own` here, and those of other front ends. */
  readonly isFull: (own: number) => boolean;
  /** Called for each request that is refused because `http.maxOpenExchanges` are being served. */
  readonly onFull: () => void;
}

type HeaderSet = Readonly<Record<string, string>>;

const KNOWN_METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'OPTIONS',
]);
const OVERLOAD_RETRY_SECONDS = 1;
const RETRY = { retryAfterSeconds: OVERLOAD_RETRY_SECONDS };
// Created once: capturing a stack for each refusal would cost more than the refusal.
const EXCHANGES_FULL = new ServiceError('http.exchanges_full', undefined, RETRY);
const BODY_MEMORY_FULL = new ServiceError('http.body_memory_full', undefined, RETRY);
const NO_PARAMS: Readonly<Record<string, string>> = {};

/**
 * Serves one request in order (spec/operations.md#order-of-work): framing, header rules, target, path and
 * method, admission, rate guard, the route's checks of the head, body within its limit, handler, one answer.
 * Runs synchronously as long as nothing has to be awaited, since uWebSockets.js ends a connection that sends
 * its next request before the answer.
 */
export function serveExchange(
  res: LibraryResponse,
  req: LibraryRequest,
  settings: ServeSettings,
  state: ServeState,
): void {
  new ServedExchange(res, req, settings, state).serve();
}

class ServedExchange extends PhasedExchange implements AnswerReceiver, ExchangeOwner {
  readonly #settings: ServeSettings;
  readonly #state: ServeState;
  readonly #exchange: Exchange;
  readonly #source: RequestSource;
  readonly #requestId: string;
  readonly #receivedAt = Date.now();
  readonly #startedAt = performance.now();
  readonly #match: PathMatch | undefined;
  readonly #context = new RequestContext();
  #params: Readonly<Record<string, string>> = NO_PARAMS;
  #route: Route | undefined;
  #answer: Answer | undefined;
  #hasMalformedTarget = false;
  #isLogged = true;
  #isLate = false;
  #isEndedEarly = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(res: LibraryResponse, req: LibraryRequest, settings: ServeSettings, state: ServeState) {
    super(state);
    this.#settings = settings;
    this.#state = state;
    state.open++;
    const { library, source } = settings;
    this.#exchange = new Exchange(library, res, req, source.readsProxyProtocol, this);
    this.#source = source.read(this.#exchange.head);
    this.#requestId = this.#source.requestId ?? randomUUID();
    this.#match = settings.router.match(this.#exchange.head.path);
  }

  get lingerMs(): number {
    return this.#settings.lingerMs;
  }

  get keepAlive(): readonly Header[] {
    return this.#settings.keepAlive;
  }

  endsBodilessAnswer(): boolean {
    return this.#state.bodilessAnswers.isLast();
  }

  serve(): void {
    this.#exchange.within(() => this.#serve());
    this.enter();
  }

  get clientKey(): string {
    return rateLimitKey(this.#source.address);
  }

  protected get isOpen(): boolean {
    return this.#exchange.isOpen;
  }

  endEarly(bound: UnfinishedBound): void {
    this.#isEndedEarly = true;
    this.#exchange.discardBody();
    if (!this.isSending && (bound === 'bytes' || bound === 'address_bytes')) this.fail(BODY_MEMORY_FULL);
    else {
      // Exchanges ended by the bound are logged in summary.
      this.#isLogged = false;
      this.#exchange.cut();
    }
  }

  #serve(): void {
    if (this.#refusesFraming()) return;
    try {
      const route = this.#findRoute();
      if (route === undefined) return;
      this.#route = route;
      this.#params = decodeParams(this.#match?.rawParams ?? NO_PARAMS);
      if (route.readsAddressLazily !== true) this.#exchange.readPeer();
      const request = new ServedRequest(
        this.#exchange,
        this.#params,
        this.#source,
        this.#requestId,
        this.#receivedAt,
        this.#context,
      );
      this.#admit(route, request);
      this.#takeBody(route, request);
    } catch (error) {
      this.fail(error);
    }
  }

  #refusesFraming(): boolean {
    const fault = this.#exchange.head.headers.framingFault;
    if (fault === undefined) return false;
    if (fault === 'ambiguous') this.#exchange.cut();
    // uWebSockets.js answers 400 itself as soon as this returns; if it does not, this ends the connection.
    else inPollPhase(() => this.#exchange.cut());
    return true;
  }

  /** Returns the route of the request, or undefined if OPTIONS was answered. */
  #findRoute(): Route | undefined {
    const { method, headers, targetForm } = this.#exchange.head;
    if (headers.repeated !== undefined) {
      throw new ServiceError('http.repeated_header', `expected one ${headers.repeated} header, got more`);
    }
    // Only programs may omit it: browsers always send it.
    if (this.#settings.isOwnHost?.(headers.get('host') ?? 'localhost') === false) {
      throw new ServiceError('admin.host_not_allowed');
    }
    if (method === 'CONNECT') throw new ServiceError('http.not_a_proxy');
    if (this.#match === undefined || this.#exchange.head.query !== '') this.#checkTarget();
    if (headers.expectation === 'unknown') throw new ServiceError('http.expectation_failed');
    if (targetForm === 'asterisk') {
      this.answer({ status: 204, headers: { Allow: [...KNOWN_METHODS].join(', ') } });
      return undefined;
    }
    if (this.#match === undefined) throw new ServiceError('http.not_found');
    const { endpoint } = this.#match;
    const route = endpoint.route(method);
    if (route !== undefined) return route;
    if (method !== 'OPTIONS' || endpoint.first.refusesOptions === true)
      throw new ServiceError('http.method_not_allowed');
    const preflight = endpoint.first.cors?.preflightHeaders(
      headers.get('origin'),
      headers.get('access-control-request-headers'),
    );
    this.#whenKnown(preflight, (allowed) =>
      this.answer({ status: 204, headers: { Allow: endpoint.allow.join(', '), ...allowed } }),
    );
    return undefined;
  }

  /** Refuses a target of no known form, or with other characters than visible ASCII. A path that matched a route has none. */
  #checkTarget(): void {
    const { path, query, targetForm } = this.#exchange.head;
    const isOfKnownForm = targetForm !== 'malformed';
    this.#hasMalformedTarget = !isOfKnownForm || !isVisibleAscii(path) || !isVisibleAscii(query);
    if (!this.#hasMalformedTarget) return;
    const expected = isOfKnownForm
      ? 'visible ASCII characters only'
      : 'a path, or an http or https address without user information';
    throw new ServiceError('http.malformed_path', `request target: expected ${expected}`);
  }

  #admit(route: Route, request: ServedRequest): void {
    const isFull = this.#state.isFull(this.#state.serving);
    if (isFull && route.isAlwaysServed !== true) this.#refuseAsFull();
    route.admit?.(request);
  }

  #refuseAsFull(): never {
    this.#state.onFull();
    throw EXCHANGES_FULL;
  }

  #takeBody(route: Route, request: ServedRequest): void {
    const { headers } = this.#exchange.head;
    const expected = headers.isChunked ? undefined : (headers.contentLength ?? 0);
    const collector = new BodyCollector(this.#bodyLimit(route), expected, this);
    this.#exchange.collectBody(collector);
    if (collector.isOpen) this.#exchange.writeContinue();
    refuseLimited(route.rateGuard?.consume(this.#source.address));
    const checked = route.checkHead?.(request);
    if (checked === undefined) this.#takeWhole(route, request, collector);
    else {
      this.#startTimer();
      checked.then(
        () => {
          // From here the exchange waits for the client, which does not count towards the handler timeout.
          this.#stopTimer();
          this.#takeWhole(route, request, collector);
        },
        (error: unknown) => this.fail(error),
      );
    }
  }

  #takeWhole(route: Route, request: ServedRequest, collector: BodyCollector): void {
    collector.whenSettled((state) => {
      if (!this.#exchange.isOpen) return;
      if (state === 'whole') this.#handle(route, request, collector.bytes);
      else this.fail(new ServiceError('http.body_too_large'));
    }, route.readsBodySynchronously);
  }

  #handle(route: Route, request: ServedRequest, body: Uint8Array): void {
    try {
      // Checked again: the request did not count as being served while its body arrived.
      const isOver = this.#state.isFull(this.#state.serving - 1);
      if (isOver && this.isServing && route.isAlwaysServed !== true) this.#refuseAsFull();
      request.body = body;
      const { tracing } = this.#settings;
      const answer =
        tracing === undefined ? route.handler(request, this) : this.#handleTraced(tracing, route, request);
      if (answer === DEFERRED) this.#startTimer();
      else if (answer instanceof Promise) this.#awaitAnswer(answer);
      else this.answer(answer);
    } catch (error) {
      this.fail(error);
    }
  }

  /** A separate method: `#handle` would allocate the variables of the callback for each request. */
  #handleTraced(tracing: Tracing, route: Route, request: ServedRequest): Handled {
    const trace = this.#startTrace(tracing);
    this.#context.trace = trace;
    return trace.run(() => route.handler(request, this));
  }

  #startTrace(tracing: Tracing): RequestTrace {
    return tracing.startRequest({
      method: this.#knownMethod,
      route: this.#pattern,
      startedAt: this.#startedAt,
      traceparent: this.#exchange.headers.get('traceparent'),
    });
  }

  #awaitAnswer(answer: Promise<HttpResponse>): void {
    this.#startTimer();
    answer.then(
      (response) => this.answer(response),
      (error: unknown) => this.fail(error),
    );
  }

  #startTimer(): void {
    if (this.#timer === undefined) this.#expireAfter(this.#settings.handlerTimeoutMs);
  }

  startDeadline(milliseconds: number, onPassed: () => void): void {
    const leftMs = this.#settings.handlerTimeoutMs - milliseconds;
    if (leftMs <= 0 || !this.#exchange.isOpen) return;
    this.#timer = setTimeout(() => {
      onPassed();
      this.#expireAfter(leftMs);
    }, milliseconds);
  }

  #expireAfter(milliseconds: number): void {
    if (this.#answer === undefined) this.#timer = setTimeout(() => this.#expire(), milliseconds);
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Answers for a handler that has timed out. */
  #expire(): void {
    if (!this.#exchange.isOpen) return;
    this.#isLate = true;
    this.fail(
      new ServiceError(
        'http.handler_timeout',
        `no answer within http.handlerTimeoutMs (${this.#settings.handlerTimeoutMs} ms)`,
        { retryAfterSeconds: OVERLOAD_RETRY_SECONDS },
      ),
    );
    this.#exchange.abandon();
  }

  answer(response: HttpResponse): void {
    if (!this.#exchange.isOpen) return;
    try {
      const owner = this.#owner();
      if (owner.cors === undefined) this.#compose(response, this.#headerParts(owner, undefined));
      else {
        this.#withCors(owner, response.clientId, (allowed) => {
          try {
            this.#compose(response, this.#headerParts(owner, allowed));
          } catch (error) {
            this.fail(error);
          }
        });
      }
    } catch (error) {
      this.fail(error);
    }
  }

  #compose(response: HttpResponse, headers: HeaderParts): void {
    this.#send(composeAnswer(response, headers, this.#mustClose()));
  }

  fail(error: unknown): void {
    if (!this.#exchange.isOpen) return;
    this.#isLogged = !(error instanceof ServiceError && error.details.isFirstRefusal === false);
    const { method, query } = this.#exchange.head;
    const context: ErrorContext = {
      method,
      query,
      params: this.#params,
      requestId: this.#requestId,
      // The answer for a handler that has timed out does not depend on its progress.
      context: this.#isLate ? new RequestContext() : this.#context,
      headers: this.#exchange.head.headers.values,
      ...(this.#match === undefined ? {} : { allow: this.#match.endpoint.allow }),
      ...(this.#route === undefined ? {} : { bodyLimitBytes: this.#bodyLimit(this.#route) }),
    };
    const owner = this.#owner();
    this.#withCors(owner, clientOf(error, context.context), (allowed) => {
      const headers = this.#headerParts(owner, allowed);
      const bare = this.#settings.headers;
      this.#send(composeError(error, owner.renderError, context, headers, bare, this.#mustClose()));
    });
  }

  #send(answer: Answer): void {
    if (!this.#exchange.isOpen || this.#answer !== undefined) return;
    this.#answer = answer;
    // The log counts refusals by address, which is unreadable after the answer.
    if (isRefusal(answer.wire.status)) this.#exchange.readPeer();
    this.#exchange.respond(answer.wire);
  }

  ended(status: number, isAborted: boolean): void {
    this.#state.open--;
    this.leave();
    this.#stopTimer();
    const { headers } = this.#exchange;
    const answer = this.#answer;
    const { tracing } = this.#settings;
    const { trace } = this.#context;
    const record: RequestRecord = {
      requestId: this.#requestId,
      listener: this.#settings.listener,
      route: this.#pattern,
      method: this.#knownMethod,
      status,
      durationMs: performance.now() - this.#startedAt,
      isAborted,
      ...(isRefusal(status) ? { clientKey: this.clientKey } : {}),
      isLogged: this.#isLogged,
      code: answer?.code,
      error: answer?.error,
      fields: answer?.fields,
      traceId: trace?.traceId ?? traceIdOf(headers),
    };
    // A request that never reached a handler gets its span here.
    if (tracing !== undefined) (trace ?? this.#startTrace(tracing)).end(record);
    this.#settings.onEnd(record);
  }

  get #pattern(): string {
    return this.#match?.endpoint.pattern ?? 'unmatched';
  }

  get #knownMethod(): string {
    const { method } = this.#exchange;
    return KNOWN_METHODS.has(method) ? method : 'other';
  }

  #bodyLimit(route: Route): number {
    return Math.min(route.bodyLimitBytes, this.#settings.bodyLimitBytes);
  }

  #owner(): PathOwner {
    const owner = this.#route ?? this.#match?.endpoint.first;
    return owner ?? this.#settings.ownerOfUnknown(this.#exchange.head.path);
  }

  #headerParts(owner: PathOwner, allowed: HeaderSet | undefined): HeaderParts {
    return { requestId: this.#requestId, defaults: this.#settings.headersOf(owner), allowed };
  }

  #withCors(
    { cors }: PathOwner,
    clientId: string | undefined,
    proceed: (allowed: HeaderSet | undefined) => void,
  ): void {
    const origin = this.#exchange.head.headers.get('origin');
    this.#whenKnown(cors?.answerHeaders(origin, clientId), proceed);
  }

  /** Continues synchronously if the headers are known, and without them if the handler has timed out. */
  #whenKnown(
    headers: HeaderSet | Promise<HeaderSet> | undefined,
    proceed: (headers: HeaderSet | undefined) => void,
  ): void {
    if (!(headers instanceof Promise)) proceed(headers);
    else if (this.#isLate) proceed(undefined);
    else {
      this.#startTimer();
      headers.then(proceed, () => proceed(undefined));
    }
  }

  #mustClose(): boolean {
    const { headers, method, targetForm } = this.#exchange.head;
    if (this.#state.isDraining || this.#isEndedEarly) return true;
    if (this.#source.isLastOfConnection || headers.isLastOfConnection) return true;
    // Other parsers refuse these, or do not parse the bytes after CONNECT as a request.
    if (!KNOWN_METHODS.has(method) || headers.repeated !== undefined) return true;
    if (targetForm === 'malformed' || this.#hasMalformedTarget) return true;
    const { gate } = this.#state;
    return gate.isCrowded && gate.isOverLimit(this.clientKey);
  }
}

function isRefusal(status: number): boolean {
  return status >= 400 && status < 500;
}
