import type { UwsResponse } from '../uws.ts';

/**
 * The end of an answer that is the last of its connection: the final header, the body, the close.
 *
 * uWebSockets.js parses the bytes after a request whose response is complete. This response never completes: the rest
 * of the packet that carried the request, and anything that arrives before the answer has left, ends the connection
 * instead of being served; anything later is not read. A response completes when as many body bytes as its total are
 * written, so the total passed here is one byte too large. Without a body, the blank line that ends the head is written
 * as part of the last header, since the calls that end a head complete the response.
 */
export class LastAnswer {
  readonly #res: UwsResponse;
  readonly #body: Uint8Array;
  readonly #lingerMs: number;
  readonly #onWritten: () => void;
  #isWritten = false;
  #closing: NodeJS.Timeout | undefined;

  /**
   * @param lingerMs - Time for which the connection stays open after the answer; 0 if no more of the request can
   *   arrive. Closing a connection with unread bytes in its receive queue resets it, and the reset can overtake the
   *   answer (RFC 9112 section 9.6).
   * @param onWritten - Called once, when the kernel has taken the whole answer.
   */
  constructor(res: UwsResponse, body: Uint8Array, lingerMs: number, onWritten: () => void) {
    this.#res = res;
    this.#body = body;
    this.#lingerMs = lingerMs;
    this.#onWritten = onWritten;
  }

  /** Ends the head and begins the body. Call once, corked, after the other headers. */
  begin(): void {
    const res = this.#res;
    const { length } = this.#body;
    if (length === 0) {
      res.writeHeader('Connection', 'close\r\n');
      return;
    }
    res.writeHeader('Connection', 'close');
    res.onWritable((offset) => this.#writeFrom(offset));
    // The first call writes its total as Content-Length.
    res.tryEnd('', length);
    res.tryEnd(this.#body, length + 1);
  }

  /**
   * Finishes the answer if it was sent completely with the cork; otherwise `onWritable` continues it. Call once,
   * uncorked.
   */
  flush(): void {
    const res = this.#res;
    if (this.#body.length === 0) this.#finish();
    else if (res.getWriteOffset() === this.#body.length)
      res.cork(() => this.#writeFrom(res.getWriteOffset()));
  }

  /** Cancels the delayed close, because the connection was lost. */
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
