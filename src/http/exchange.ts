import { STATUS_CODES } from 'node:http';
import { addressText } from './address.ts';
import type { BodyCollector } from './body.ts';
import { type RequestHeaders, readHeaders } from './header-rules.ts';
import type { Header } from './response-headers.ts';
import type { UwsRequest, UwsResponse } from './uws.ts';

/** A request without its body, copied while uWebSockets.js lets it be read. */
export interface RequestHead {
  /** As sent; methods are case-sensitive. */
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly address: string;
  readonly headers: RequestHeaders;
}

/** An answer that is ready for the wire: its headers are checked. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: string | Uint8Array;
  readonly closeConnection: boolean;
}

/** How an exchange ended: the status sent, 0 for none, and whether the connection was lost or cut before. */
export interface ExchangeEnd {
  readonly status: number;
  readonly isAborted: boolean;
}

// operations.md section 6, backpressure: `end` copies a body whole, so that larger ones go by `tryEnd`.
const MAX_COPIED_BYTES = 65_536;
const CONNECTION_CLOSE: Header = ['Connection', 'close'];

/**
 * One request and its answer: the only code that touches `res` and `req` of uWebSockets.js, where a late or second
 * use throws or ends the process. Everything of the request is copied in the constructor, an answer leaves once, and
 * after an abort nothing is written any more.
 */
export class Exchange {
  readonly head: RequestHead;
  readonly #res: UwsResponse;
  readonly #onEnd: (end: ExchangeEnd) => void;
  #state: 'open' | 'answering' | 'ended' = 'open';
  #status = 0;
  #isBodyOver = false;
  #isGivenUp = false;
  #collector: BodyCollector | undefined;
  #abort: AbortController | undefined;

  /** @param onEnd - Called once, when the answer was handed over whole or the connection was lost. */
  constructor(res: UwsResponse, req: UwsRequest, onEnd: (end: ExchangeEnd) => void) {
    this.#res = res;
    this.#onEnd = onEnd;
    // First of all: a handler that returns without an answer and without this ends the process.
    res.onAborted(() => this.#aborted());
    res.onData((chunk, isLast) => {
      this.#isBodyOver ||= isLast;
      this.#collector?.push(chunk, isLast);
    });
    this.head = {
      // getMethod would turn the method into lower case, in place.
      method: req.getCaseSensitiveMethod(),
      path: req.getUrl(),
      query: req.getQuery() ?? '',
      address: addressText(res.getRemoteAddress()),
      headers: readHeaders((visit) => req.forEach(visit)),
    };
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
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#isGivenUp) this.#abort.abort();
    return this.#abort.signal;
  }

  /** Hands the chunks of the body to a collector, from the next one on; to be called before the entry returns. */
  collectBody(collector: BodyCollector): void {
    this.#collector = collector;
  }

  /** Fires the signal while the connection lives: the time of the handler is over. */
  abandon(): void {
    this.#isGivenUp = true;
    this.#abort?.abort();
  }

  /** Ends the connection without an answer. */
  cut(): void {
    if (this.#state === 'open') this.#res.close();
  }

  /** Writes the answer: status, then headers, then body, in one cork. The second call does nothing. */
  respond(answer: WireAnswer): void {
    if (this.#state !== 'open') return;
    this.#state = 'answering';
    this.#status = answer.status;
    this.#collector = undefined;
    this.#res.cork(() => this.#write(answer));
  }

  #write(answer: WireAnswer): void {
    const res = this.#res;
    res.writeStatus(`${answer.status} ${STATUS_CODES[answer.status] ?? ''}`);
    for (const [name, value] of answer.headers) res.writeHeader(name, value);
    const isHead = this.head.method === 'HEAD';
    const hasNoBody = answer.status === 204 || answer.status === 304;
    const length = byteLength(answer.body);
    if (isHead || hasNoBody) {
      // Not endWithoutBody(length): it leaves the response pending, and the next request ends the connection.
      if (!hasNoBody) res.writeHeader('Content-Length', String(length));
      if (answer.closeConnection) res.writeHeader(...CONNECTION_CLOSE);
      res.endWithoutBody();
      this.#end(false);
    } else if (length <= MAX_COPIED_BYTES) {
      res.end(answer.body, answer.closeConnection);
      this.#end(false);
    } else {
      if (answer.closeConnection) res.writeHeader(...CONNECTION_CLOSE);
      this.#stream(typeof answer.body === 'string' ? Buffer.from(answer.body) : answer.body);
    }
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
    this.#onEnd({ status: this.#status, isAborted });
  }
}

function byteLength(body: string | Uint8Array): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
}
