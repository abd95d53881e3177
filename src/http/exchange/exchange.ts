import { STATUS_CODES } from 'node:http';
import { addressText, UNKNOWN_ADDRESS } from '../../addresses.ts';
import { RequestHeaders } from '../headers/header-rules.ts';
import { readTarget, type TargetForm } from '../headers/request-target.ts';
import type { Header } from '../headers/response-headers.ts';
import type { HttpLibrary, LastAnswer, LibraryRequest, LibraryResponse } from '../library/http-library.ts';
import type { BodyCollector } from './body.ts';
import { Cancellation, type CancelSignal } from './cancellation.ts';
import { inPollPhase } from './poll-phase.ts';

/** A request without its body, copied while the request object of uWebSockets.js is valid. */
export interface RequestHead {
  /** As sent; methods are case-sensitive. */
  readonly method: string;
  readonly targetForm: TargetForm;
  /** As sent if the form of the target is malformed. */
  readonly path: string;
  readonly query: string;
  /**
   * Address of the other end of the connection, read on first use; `unknown` if the connection was gone by
   * then.
   */
  readonly peer: string;
  /** Client address from a PROXY protocol header, version 2; undefined if not read or not sent. */
  readonly proxied: string | undefined;
  readonly headers: RequestHeaders;
}

/** An answer that is ready for the wire: its headers are checked. */
export interface WireAnswer {
  readonly status: number;
  /** Value of the header `X-Request-Id`. */
  readonly requestId: string;
  /** The other headers. */
  readonly headers: readonly Header[];
  readonly body: string | Uint8Array;
  /** Whether the answer ends the connection: none of its further requests is served, not even one already received. */
  readonly closeConnection: boolean;
}

/** Receives the events of an exchange. */
export interface ExchangeOwner {
  /**
   * Time for which a connection stays open after its last answer if more of the request may arrive, in milliseconds.
   */
  readonly lingerMs: number;
  /** Headers of an answer that keeps its connection. */
  readonly keepAlive: readonly Header[];
  /** Counts an answer of status 204 or 304; returns whether it must be the last of its connection. */
  endsBodilessAnswer(): boolean;
  /** Called when every byte of the body has arrived, answered or not. */
  received(): void;
  /** Called when the socket did not accept the whole answer; the rest waits for the client to read. */
  sending(): void;
  /**
   * Called once, when the kernel has taken the whole answer or the connection was lost.
   *
   * @param status - Status sent, 0 for none.
   * @param isAborted - Whether the connection was lost or closed before the answer was complete.
   */
  ended(status: number, isAborted: boolean): void;
}

const NO_BODY = new Uint8Array();

/** Status code and reason phrase by status. */
const STATUS_LINES: ReadonlyMap<number, string> = new Map(
  Object.entries(STATUS_CODES).map(([status, text]) => [Number(status), `${status} ${text}`]),
);

/** Exchange whose uWebSockets.js callback is running, if known: see `Exchange.respond`. */
let current: Exchange | undefined;
/** Exchanges whose answers wait for the end of this turn of the event loop. */
let answered: Exchange[] = [];

/** Writes the answers that waited for the end of the turn of the event loop. */
function writeAnswers(): void {
  const exchanges = answered;
  answered = [];
  for (const exchange of exchanges) exchange.writeAnswer();
}

/**
 * One request and its answer. Only this class touches `res` and `req` of uWebSockets.js, where a late or
 * second use throws or ends the process. The constructor copies the request, except the sender's address,
 * which is read on first use. An answer is written once, and nothing is written after an abort.
 */
export class Exchange implements RequestHead {
  readonly method: string;
  readonly targetForm: TargetForm;
  readonly path: string;
  readonly query: string;
  readonly proxied: string | undefined;
  readonly headers: RequestHeaders;
  readonly #library: HttpLibrary;
  readonly #res: LibraryResponse;
  readonly #owner: ExchangeOwner;
  #state: 'open' | 'answering' | 'ended' = 'open';
  #answer: WireAnswer | undefined;
  #status = 0;
  #peer: string | undefined;
  /** Whether the whole body has arrived, collected or discarded. */
  #isBodyOver = false;
  #isGivenUp = false;
  #isLast = false;
  /** Whether a `100 Continue` took the place of the status line. */
  #isContinued = false;
  #collector: BodyCollector | undefined;
  #lastAnswer: LastAnswer | undefined;
  #cancellation: Cancellation | undefined;

  /** @param readsProxyProtocol - Whether to read `head.proxied`. */
  constructor(
    library: HttpLibrary,
    res: LibraryResponse,
    req: LibraryRequest,
    readsProxyProtocol: boolean,
    owner: ExchangeOwner,
  ) {
    this.#library = library;
    this.#res = res;
    this.#owner = owner;
    // Must come first: a handler that returns with neither an answer nor this callback ends the process.
    res.onAborted(() => this.#aborted());
    res.onData((chunk, isLast) => {
      this.#isBodyOver ||= isLast;
      // The bytes that follow are not part of the request; its answer ends the connection.
      if (isLast && this.headers.isChunked) res.pause();
      const collector = this.#collector;
      // Release the collector early: its work is done, and this exchange may live long.
      if (isLast) {
        this.#collector = undefined;
        owner.received();
      }
      if (collector !== undefined) this.within(() => collector.push(chunk, isLast));
      if (isLast && !this.#isLast) this.writeAnswer();
    });
    // getMethod would convert the method to lower case, in place.
    this.method = req.getCaseSensitiveMethod();
    this.query = req.getQuery() ?? '';
    const target = readTarget(this.method, req.getUrl(), this.query);
    this.targetForm = target.form;
    this.path = target.path;
    this.proxied = readsProxyProtocol ? proxiedAddress(res) : undefined;
    this.headers = new RequestHeaders((visit) => req.forEach(visit), target.authority);
  }

  /** The request without its body. */
  get head(): RequestHead {
    return this;
  }

  get peer(): string {
    this.#peer ??= this.#state === 'ended' ? UNKNOWN_ADDRESS : addressText(this.#res.getRemoteAddress());
    return this.#peer;
  }

  /** Reads the peer address now, so that it stays known when the connection is lost. */
  readPeer(): void {
    void this.peer;
  }

  /** Whether the exchange can still be answered. */
  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** Fires when the connection is lost, or by `abandon`. */
  get signal(): CancelSignal {
    if (this.#cancellation === undefined) {
      this.#cancellation = new Cancellation();
      if (this.#isGivenUp) this.#cancellation.cancel();
    }
    return this.#cancellation;
  }

  /** Passes the chunks of the body to a collector; to be called before the request callback returns. */
  collectBody(collector: BodyCollector): void {
    this.#collector = collector;
  }

  /** Fires the signal on an open connection, because the handler has timed out. */
  abandon(): void {
    this.#isGivenUp = true;
    this.#cancellation?.cancel();
  }

  /** Asks for the body if the request expects that; to be called once, before the request callback returns. */
  writeContinue(): void {
    const { expectation } = this.headers;
    if (expectation !== 'continue') return;
    this.#isContinued = this.#library.writeContinue(this.#res, this.headers.get('expect') ?? '');
  }

  /** Drops the received part of the body, and the rest when it arrives. */
  discardBody(): void {
    this.#collector = undefined;
  }

  /**
   * Closes the connection without an answer or in the middle of one; not to be called in `setImmediate`
   * (`inPollPhase`).
   */
  cut(): void {
    if (this.#state !== 'ended') this.#res.close();
  }

  /** Runs the work of a uWebSockets.js callback for this exchange. */
  within(work: () => void): void {
    current = this;
    try {
      work();
    } finally {
      current = undefined;
    }
  }

  /**
   * Sets the answer; the second call does nothing. Within a callback for this exchange it is written
   * immediately, since the next request may follow in the same packet. Otherwise it is written at the end of
   * the turn of the event loop: promises settle while uWebSockets.js is still in the callback of another
   * exchange, which holds the only cork buffer, so each part of the answer would be a packet of its own.
   *
   * An answer that ends the connection is never written within a callback: until the callback returns,
   * uWebSockets.js closes a connection that has another request in the same packet. It waits for the next
   * poll phase, where a connection may be closed.
   *
   * No answer is written before the end of the body unless it ends the connection: at the end of the body
   * uWebSockets.js stops the idle timer that the answer has started, and the client could keep the connection
   * open for as long as it wants. If the body has not ended by the end of the turn, the answer does not wait
   * for it and ends the connection.
   */
  respond(answer: WireAnswer): void {
    if (this.#state !== 'open') return;
    this.#state = 'answering';
    this.#status = answer.status;
    this.#collector = undefined;
    this.#answer = answer;
    this.#isLast = answer.closeConnection || (this.#isUnseen(answer) && this.#owner.endsBodilessAnswer());
    if (this.#isLast || (current === this && this.#isBodyOver)) this.writeAnswer();
    else if (answered.push(this) === 1) setImmediate(writeAnswers);
  }

  /**
   * Writes the answer that was set: status, headers and body in one cork. The last answer of a connection is scheduled
   * instead.
   */
  writeAnswer(): void {
    const answer = this.#answer;
    if (answer === undefined || this.#state !== 'answering') return;
    this.#answer = undefined;
    this.#isLast ||= !this.#isBodyOver;
    if (this.#isLast) inPollPhase(() => this.#writeLast(answer));
    else this.#res.cork(() => this.#write(answer));
  }

  #write(answer: WireAnswer): void {
    this.#writeHead(answer);
    for (const [name, value] of this.#owner.keepAlive) this.#res.writeHeader(name, value);
    if (this.#isBodiless(answer)) this.#endWithoutBody(answer);
    else this.#writeBody(answer.body);
  }

  /** Writes the answer that ends the connection. */
  #writeLast(answer: WireAnswer): void {
    if (this.#state !== 'answering') return;
    const res = this.#res;
    const isBodiless = this.#isBodiless(answer);
    const isAllRead = this.#isBodyOver && !this.headers.isChunked;
    const body = isBodiless ? NO_BODY : bytesOf(answer.body);
    const lingerMs = isAllRead ? 0 : this.#owner.lingerMs;
    const last = this.#library.createLastAnswer(res, body, lingerMs, () => this.#end(false));
    this.#lastAnswer = last;
    res.cork(() => {
      this.#writeHead(answer);
      if (body.length === 0) this.#writeLength(answer);
      last.begin();
    });
    last.flush();
    if (this.#state === 'answering') this.#owner.sending();
  }

  #writeHead({ status, requestId, headers }: WireAnswer): void {
    const res = this.#res;
    const line = STATUS_LINES.get(status) ?? `${status} `;
    if (this.#isContinued) res.writeHeader(`HTTP/1.1 ${line}\r\nX-Request-Id`, requestId);
    else {
      // Without a status line uWebSockets.js writes status 200.
      if (status !== 200) res.writeStatus(line);
      res.writeHeader('X-Request-Id', requestId);
    }
    for (const [name, value] of headers) res.writeHeader(name, value);
  }

  /** Whether nothing tells that the client reads the answer. */
  #isUnseen({ status }: WireAnswer): boolean {
    return hasNoBody(status) || (this.method === 'HEAD' && this.#library.refusesEmptyChunks === true);
  }

  #isBodiless({ status }: WireAnswer): boolean {
    return this.method === 'HEAD' || hasNoBody(status);
  }

  #endWithoutBody(answer: WireAnswer): void {
    const length = hasNoBody(answer.status) ? 0 : byteLength(answer.body);
    if (length > 0 && !this.#library.refusesEmptyChunks) {
      this.#endHead(length);
      return;
    }
    this.#writeLength(answer);
    // Not endWithoutBody(length): 204 and 304 have no length.
    this.#res.endWithoutBody();
    this.#end(false);
  }

  #writeLength({ status, body }: WireAnswer): void {
    if (!hasNoBody(status)) this.#res.writeHeader('Content-Length', String(byteLength(body)));
  }

  /**
   * Ends an answer to HEAD. Only `tryEnd` reports whether the client reads; `endWithoutBody` then completes
   * the answer.
   */
  #endHead(length: number): void {
    const res = this.#res;
    const finish = (): boolean => {
      res.endWithoutBody();
      this.#end(false);
      return true;
    };
    if (res.tryEnd('', length)[0]) finish();
    else {
      res.onWritable(finish);
      this.#owner.sending();
    }
  }

  /**
   * Writes as much as the socket accepts, and the rest as it accepts more. `end` is not used: it copies the rest, so
   * all answers to a client that pipelines requests without reading would be buffered. With `tryEnd`, the next request
   * of such a client ends its connection, since this answer is still pending.
   */
  #writeBody(body: string | Uint8Array): void {
    const res = this.#res;
    if (res.tryEnd(body, byteLength(body))[1]) {
      this.#end(false);
      return;
    }
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    res.onWritable((offset) => {
      const [isWritten, isDone] = res.tryEnd(bytes.subarray(offset), bytes.length);
      if (isDone) this.#end(false);
      return isWritten;
    });
    this.#owner.sending();
  }

  #aborted(): void {
    this.#lastAnswer?.abort();
    if (this.#state === 'ended') return;
    this.#collector = undefined;
    this.#end(true);
    this.abandon();
  }

  #end(isAborted: boolean): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    if (isAborted) this.#status = 0;
    this.#owner.ended(this.#status, isAborted);
  }
}

function proxiedAddress(res: LibraryResponse): string | undefined {
  const address = addressText(res.getProxiedRemoteAddress());
  return address === UNKNOWN_ADDRESS ? undefined : address;
}

/** Whether an answer of this status has neither a body nor a length (RFC 9110 sections 8.6 and 15.4.5). */
function hasNoBody(status: number): boolean {
  return status === 204 || status === 304;
}

function bytesOf(body: string | Uint8Array): Uint8Array {
  return typeof body === 'string' ? Buffer.from(body) : body;
}

function byteLength(body: string | Uint8Array): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
}
