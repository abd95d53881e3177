import { type Deadlines, Timed } from '../../waiting/index.ts';
import type { UwsResponse } from '../uws.ts';

/**
 * End of an answer after which nothing of its connection is served: the last header, the body, the close.
 *
 * uWebSockets.js parses what follows a request whose response is complete. This response never completes, so whatever
 * is left of the packet that carried the request, and what comes before the answer has left, ends the connection instead
 * of being served; what comes later is not read. A body completes a response when as many bytes as its total were
 * written; the total given here is one byte too large. Without a body the head is ended by hand: the calls that end one
 * complete the response.
 */
export class LastAnswer extends Timed {
  readonly #res: UwsResponse;
  readonly #body: Uint8Array;
  readonly #lingering: Deadlines | undefined;
  readonly #onWritten: () => void;
  #isWritten = false;

  /**
   * @param lingering - How long the connection stays open after the answer where more of the request may arrive;
   *   without it, it is closed at once. Closing a connection with unread bytes in its receive queue resets it, and the
   *   reset can overtake the answer (RFC 9112 section 9.6).
   * @param onWritten - Called once, when the kernel has taken the whole answer.
   */
  constructor(res: UwsResponse, body: Uint8Array, lingering: Deadlines | undefined, onWritten: () => void) {
    super();
    this.#res = res;
    this.#body = body;
    this.#lingering = lingering;
    this.#onWritten = onWritten;
  }

  /** Ends the head and begins the body; to be called once, corked, after the other headers. */
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

  /** Looks after the cork whether the answer has left; `onWritable` continues it otherwise. To be called once. */
  flush(): void {
    const res = this.#res;
    if (this.#body.length === 0) this.#finish();
    else if (res.getWriteOffset() === this.#body.length)
      res.cork(() => this.#writeFrom(res.getWriteOffset()));
  }

  /** The connection is gone. */
  abort(): void {
    this.#lingering?.delete(this);
  }

  expire(): void {
    this.#res.close();
  }

  #writeFrom(offset: number): boolean {
    if (this.#isWritten) return true;
    const [isTaken] = this.#res.tryEnd(this.#body.subarray(offset), this.#body.length + 1);
    if (isTaken) this.#finish();
    return isTaken;
  }

  #finish(): void {
    this.#isWritten = true;
    // Not before: a paused connection is not told either that it can be written to.
    this.#res.pause();
    this.#onWritten();
    if (this.#lingering === undefined) this.#res.close();
    else this.#lingering.add(this);
  }
}
