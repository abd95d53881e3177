import type { LastAnswer, LibraryResponse } from './http-library.ts';

/**
 * The end of an answer that is the last of its connection: the final header, the body, the close.
 *
 * uWebSockets.js parses the bytes after a request whose response is complete. This response never completes: the rest
 * of the packet that carried the request, and anything that arrives before the answer has left, ends the connection
 * instead of being served; anything later is not read. A response completes when as many body bytes as its total are
 * written, so the total passed here is one byte too large. Without a body, the blank line that ends the head is written
 * as part of the last header, since the calls that end a head complete the response.
 */
export class UwsLastAnswer implements LastAnswer {
  readonly #res: LibraryResponse;
  readonly #body: Uint8Array;
  readonly #lingerMs: number;
  readonly #onWritten: () => void;
  #isWritten = false;
  #closing: NodeJS.Timeout | undefined;

  /** @see HttpLibrary.createLastAnswer */
  constructor(res: LibraryResponse, body: Uint8Array, lingerMs: number, onWritten: () => void) {
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
    res.writeHeader('Connection', 'close');
    res.onWritable((offset) => this.#writeFrom(offset));
    // The first call writes its total as Content-Length.
    res.tryEnd('', length);
    res.tryEnd(this.#body, length + 1);
  }

  flush(): void {
    const res = this.#res;
    if (this.#body.length === 0) this.#finish();
    else if (res.getWriteOffset() === this.#body.length)
      res.cork(() => this.#writeFrom(res.getWriteOffset()));
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
