import type { LastAnswer, LibraryResponse } from './http-library.ts';

/** A response of uWebSockets.js. */
export interface UwsResponse extends LibraryResponse {
  /** Number of body bytes that the kernel took. */
  getWriteOffset(): number;
}

/**
 * The end of an answer that is the last of its connection: the final header, the body, the close.
 *
 * uWebSockets.js parses the bytes after a request whose response is complete. This response never completes: the rest
 * of the packet that carried the request, and anything that arrives before the answer has left, ends the connection
 * instead of being served; anything later is not read. A response completes when as many body bytes as its total are
 * written, so the total passed here is one byte too large, except in the first call, which writes it as Content-Length.
 * Version 20.57 also completes a response whose chunk is empty: the last byte, kept back, shows whether the kernel took
 * the rest. Without a body, the blank line that ends the head is part of the last header, since the calls that end a head
 * complete the response; so is a body of one byte, which nothing can be kept back from.
 */
export class UwsLastAnswer implements LastAnswer {
  readonly #res: UwsResponse;
  readonly #body: Uint8Array;
  readonly #lingerMs: number;
  readonly #onWritten: () => void;
  #isWritten = false;
  #closing: NodeJS.Timeout | undefined;

  /** @see HttpLibrary.createLastAnswer */
  constructor(res: UwsResponse, body: Uint8Array, lingerMs: number, onWritten: () => void) {
    this.#res = res;
    this.#body = body;
    this.#lingerMs = lingerMs;
    this.#onWritten = onWritten;
  }

  begin(): void {
    const res = this.#res;
    const { length } = this.#body;
    if (length === 0) {
      res.writeHeader('Connection', 'close\r\n');
      return;
    }
    if (length === 1) {
      res.writeHeader('Transfer-Encoding', 'chunked');
      res.writeHeader('Connection', `close\r\n\r\n1\r\n${String.fromCharCode(...this.#body)}\r\n0\r\n`);
      return;
    }
    res.writeHeader('Connection', 'close');
    res.onWritable((offset) => this.#writeFrom(offset));
    res.tryEnd(this.#body.subarray(0, length - 1), length);
  }

  flush(): void {
    const { length } = this.#body;
    if (length < 2) this.#finish();
    else if (this.#res.getWriteOffset() === length - 1) this.#writeFrom(length - 1);
  }

  abort(): void {
    clearTimeout(this.#closing);
  }

  #writeFrom(offset: number): boolean {
    if (this.#isWritten) return true;
    const [isTaken] = this.#res.tryEnd(this.#body.subarray(offset), this.#body.length + 1);
    if (isTaken) this.#finish();
    return isTaken;
  }

  #finish(): void {
    this.#isWritten = true;
    // Not earlier: a paused connection gets no writable events either.
    this.#res.pause();
    this.#onWritten();
    if (this.#lingerMs === 0) this.#res.close();
    else this.#closing = setTimeout(() => this.#res.close(), this.#lingerMs).unref();
  }
}
