import { STATUS_CODES } from 'node:http';
import { Cancellation, type CancelSignal } from '../waiting/index.ts';
import { addressText, UNKNOWN_ADDRESS } from './address.ts';
import type { BodyCollector } from './body.ts';
import { RequestHeaders } from './header-rules.ts';
import type { Header } from './response-headers.ts';
import type { UwsRequest, UwsResponse } from './uws.ts';

/** A request without its body, copied while uWebSockets.js lets it be read. */
export interface RequestHead {
  /** As sent; methods are case-sensitive. */
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** Address of the other end of the connection, read when it is first asked for; `unknown` when that was gone already. */
  readonly peer: string;
  /** Client address that a PROXY header of version 2 gave; undefined when it was not asked for or not given. */
  readonly proxied: string | undefined;
  readonly headers: RequestHeaders;
}

/** An answer that is ready for the wire: its headers are checked. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: string | Uint8Array;
  readonly closeConnection: boolean;
  /** No other request of the connection may be served, not even one that has arrived. */
  readonly isLastOfConnection?: boolean;
}

/** Who is told of the end of an exchange. */
export interface ExchangeOwner {
  /**
   * Called once, when the answer was handed over whole or the connection was lost.
   *
   * @param status - The status sent, 0 for none.
   * @param isAborted - Whether the connection was lost or cut before.
   */
  ended(status: number, isAborted: boolean): void;
}

// operations.md section 6, backpressure: `end` copies a body whole, so that larger ones go by `tryEnd`.
const MAX_COPIED_BYTES = 65_536;
/** UTF-8 bytes that a unit of UTF-16 takes at most. */
const MAX_BYTES_OF_UNIT = 3;

/** Status lines as they are sent, each made once. */
const STATUS_LINES: ReadonlyMap<number, string> = new Map(
  Object.entries(STATUS_CODES).map(([status, text]) => [Number(status), `${status} ${text}`]),
);

/** The exchange whose callback uWebSockets.js is in, as far as JavaScript knows: see `Exchange.respond`. */
let atHand: Exchange | undefined;
let answered: Exchange[] = [];

/** Writes the answers that waited for the end of their turn of the event loop. */
function writeAnswers(): void {
  const exchanges = answered;
  answered = [];
  for (const exchange of exchanges) exchange.writeAnswer();
}

/**
 * One request and its answer: the only code that touches `res` and `req` of uWebSockets.js, where a late or second
 * use throws or ends the process. Everything of the request is copied in the constructor, the address of its sender
 * when it is asked for; an answer leaves once, and after an abort nothing is written any more.
 */
export class Exchange implements RequestHead {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly proxied: string | undefined;
  readonly headers: RequestHeaders;
  readonly #res: UwsResponse;
  readonly #owner: ExchangeOwner;
  #state: 'open' | 'answering' | 'ended' = 'open';
  #answer: WireAnswer | undefined;
  #status = 0;
  #peer: string | undefined;
  #isBodyOver = false;
  #isGivenUp = false;
  #collector: BodyCollector | undefined;
  #cancellation: Cancellation | undefined;

  /** @param readsProxyProtocol - Whether `head.proxied` is wanted. */
  constructor(res: UwsResponse, req: UwsRequest, readsProxyProtocol: boolean, owner: ExchangeOwner) {
    this.#res = res;
    this.#owner = owner;
    // First of all: a handler that returns without an answer and without this ends the process.
    res.onAborted(() => this.#aborted());
    res.onData((chunk, isLast) => {
      this.#isBodyOver ||= isLast;
      const collector = this.#collector;
      // whoever waits for the answer need not hold what has done its work
      if (isLast) this.#collector = undefined;
      if (collector !== undefined) this.within(() => collector.push(chunk, isLast));
    });
    // getMethod would turn the method into lower case, in place.
    this.method = req.getCaseSensitiveMethod();
    this.path = req.getUrl();
    this.query = req.getQuery() ?? '';
    this.proxied = readsProxyProtocol ? proxiedAddress(res) : undefined;
    this.headers = new RequestHeaders((visit) => req.forEach(visit));
  }

  /** The request without its body. */
  get head(): RequestHead {
    return this;
  }

  get peer(): string {
    this.#peer ??= this.#state === 'ended' ? UNKNOWN_ADDRESS : addressText(this.#res.getRemoteAddress());
    return this.#peer;
  }

  /** Has the address known from now on, even when the connection is lost. */
  readPeer(): void {
    void this.peer;
  }

  /** Whether an answer can still be given. */
  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** Whether every byte of the body has arrived, taken or not. */
  get isBodyOver(): boolean {
    return this.#isBodyOver;
  }

  /** Fires when the connection is lost, or by `abandon`. */
  get signal(): CancelSignal {
    if (this.#cancellation === undefined) {
      this.#cancellation = new Cancellation();
      if (this.#isGivenUp) this.#cancellation.cancel();
    }
    return this.#cancellation;
  }

  /** Hands the chunks of the body to a collector, from the next one on; to be called before the entry returns. */
  collectBody(collector: BodyCollector): void {
    this.#collector = collector;
  }

  /** Fires the signal while the connection lives: the time of the handler is over. */
  abandon(): void {
    this.#isGivenUp = true;
    this.#cancellation?.cancel();
  }

  /** Ends the connection without an answer. */
  cut(): void {
    if (this.#state === 'open') this.#res.close();
  }

  /** Runs what a callback of uWebSockets.js for this exchange has to do. */
  within(work: () => void): void {
    atHand = this;
    try {
      work();
    } finally {
      atHand = undefined;
    }
  }

  /**
   * Gives the answer; the second call does nothing. Within a callback for this exchange it is written at once: a next
   * request may follow in the same packet. Else it is written at the end of the turn of the event loop, since promises
   * are settled before a callback for another exchange has ended in uWebSockets.js, which then has the one cork there
   * is: every piece of the answer would be a packet.
   */
  respond(answer: WireAnswer): void {
    if (this.#state !== 'open') return;
    this.#state = 'answering';
    this.#status = answer.status;
    this.#collector = undefined;
    this.#answer = answer;
    if (atHand === this) this.writeAnswer();
    else if (answered.push(this) === 1) setImmediate(writeAnswers);
  }

  /** Writes the answer that was given: status, then headers, then body, in one cork. */
  writeAnswer(): void {
    const answer = this.#answer;
    if (answer === undefined || this.#state !== 'answering') return;
    this.#answer = undefined;
    this.#res.cork(() => this.#write(answer));
  }

  #write(answer: WireAnswer): void {
    const res = this.#res;
    // without a status line uWebSockets.js writes that of 200
    if (answer.status !== 200) res.writeStatus(STATUS_LINES.get(answer.status) ?? `${answer.status} `);
    for (const [name, value] of answer.headers) res.writeHeader(name, value);
    const hasNoBody = answer.status === 204 || answer.status === 304;
    if (this.method === 'HEAD' || hasNoBody) {
      this.#endWithoutBody(answer, hasNoBody ? undefined : byteLength(answer.body));
    } else if (isShort(answer.body) || answer.closeConnection) {
      // By the call that closes, whatever the length: the header alone only asks the client to.
      res.end(answer.body, answer.closeConnection);
      this.#end(false);
    } else {
      this.#stream(typeof answer.body === 'string' ? Buffer.from(answer.body) : answer.body);
    }
  }

  #endWithoutBody({ closeConnection, isLastOfConnection }: WireAnswer, length: number | undefined): void {
    const res = this.#res;
    if (isLastOfConnection === true) {
      // The response stays pending, so that a next request ends the connection. It cannot be had without a length,
      // which a 204 should not have.
      res.endWithoutBody(length ?? 0, true);
    } else {
      // Not endWithoutBody(length), for that reason.
      if (length !== undefined) res.writeHeader('Content-Length', String(length));
      if (closeConnection) res.writeHeader('Connection', 'close');
      res.endWithoutBody();
    }
    this.#end(false);
  }

  #stream(body: Uint8Array): void {
    const res = this.#res;
    const start = res.getWriteOffset();
    const writeFrom = (offset: number): boolean => {
      const [isWritten, isDone] = res.tryEnd(body.subarray(offset - start), body.length);
      if (isDone) this.#end(false);
      return isWritten;
    };
    // Attached first: the response may not be used once a tryEnd finished it.
    res.onWritable(writeFrom);
    writeFrom(start);
  }

  #aborted(): void {
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

function proxiedAddress(res: UwsResponse): string | undefined {
  const address = res.getProxiedRemoteAddress();
  return address.byteLength === 0 ? undefined : addressText(address);
}

function isShort(body: string | Uint8Array): boolean {
  // mostly known without a look at the characters
  if (body.length * MAX_BYTES_OF_UNIT <= MAX_COPIED_BYTES) return true;
  return byteLength(body) <= MAX_COPIED_BYTES;
}

function byteLength(body: string | Uint8Array): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
}
