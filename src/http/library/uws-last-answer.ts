import type { LastAnswer, LibraryResponse } from './http-library.ts';

/** A response of uWebSockets.js. */
export interface UwsResponse extends LibraryResponse {
  /** Number of body bytes that the kernel took. */
  getWriteOffset(): number;
}

/** How an answer ends; `HttpLibrary.createLastAnswer` has the rest. */
interface LastAnswerSettings {
  readonly lingerMs: number;
  readonly onWritten: () => void;
  /** Whether the binary refuses chunks without bytes. */
  readonly keepsByte: boolean;
}

/**
 * The end of an answer that is the last of its connection: the final header, the body, the close.
 *
 * uWebSockets.js parses the bytes after a request whose response is complete. This response never completes: the rest
 * of the packet that carried the request, and anything that arrives before the answer has left, ends the connection
 * instead of being served; anything later is not read. A response completes when as many body bytes as its total are
 * written, so the total passed here is one byte too large, except in the first call, which writes it as Content-Length.
 * Without a body, the blank line that ends the head is written as part of the last header, since the calls that end a head
 * complete the response.
 *
 * A chunk without bytes begins the body, and shows whether the kernel took all of it. A binary that refuses such chunks gets
 * the last byte apart, for the same purpose: a byte written corked tells about those before it, and fits where they did,
 * unless they filled the last buffer that the kernel allows.
 */
export class UwsLastAnswer implements LastAnswer {
  readonly #res: UwsResponse;
  readonly #body: Uint8Array;
  readonly #settings: LastAnswerSettings;
  #isWritten = false;
  #closing: NodeJS.Timeout | undefined;

  /** @see HttpLibrary.createLastAnswer */
  constructor(res: UwsResponse, body: Uint8Array, settings: LastAnswerSettings) {
    this.#res = res;
    this.#body = body;
    this.#settings = settings;
  }

  begin(): void {
    const res = this.#res;
    const { length } = this.#body;
    if (length === 0) {
      res.writeHeader('Connection', 'close\r\n');
      return;
    }
    if (this.#isChunked()) {
      res.writeHeader('Transfer-Encoding', 'chunked');
      res.writeHeader('Connection', `close\r\n\r\n1\r\n${String.fromCharCode(...this.#body)}\r\n0\r\n`);
      return;
    }
    res.writeHeader('Connection', 'close');
    res.onWritable((offset) => this.#writeFrom(offset));
    // The first call writes its total as Content-Length.
    if (this.#settings.keepsByte) res.tryEnd(this.#body.subarray(0, -1), length);
    else {
      res.tryEnd('', length);
      res.tryEnd(this.#body, length + 1);
    }
  }

  flush(): void {
    const res = this.#res;
    const { length } = this.#body;
    const begun = this.#settings.keepsByte ? length - 1 : length;
    if (length === 0 || this.#isChunked()) this.#finish();
    else if (res.getWriteOffset() === begun) {
      let isTaken = false;
      res.cork(() => {
        isTaken = this.#write(begun);
      });
      if (isTaken) this.#finish();
    }
  }

  abort(): void {
    clearTimeout(this.#closing);
  }

  /** Whether the body is a byte that cannot be kept: it is written as part of the last header, like the end of the head. */
  #isChunked(): boolean {
    return this.#settings.keepsByte && this.#body.length === 1;
  }

  #writeFrom(offset: number): boolean {
    if (this.#isWritten) return true;
    const isTaken = this.#write(offset);
    if (isTaken) this.#finish();
    return isTaken;
  }

  #write(offset: number): boolean {
    const { length } = this.#body;
    if (this.#settings.keepsByte && offset === length) return true;
    return this.#res.tryEnd(this.#body.subarray(offset), length + 1)[0];
  }

  #finish(): void {
    const { lingerMs, onWritten } = this.#settings;
    this.#isWritten = true;
    // Not earlier: a paused connection gets no writable events either.
    this.#res.pause();
    onWritten();
    if (lingerMs === 0) this.#res.close();
    else this.#closing = setTimeout(() => this.#res.close(), lingerMs).unref();
  }
}
