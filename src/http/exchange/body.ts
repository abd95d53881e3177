/** State of a body: incomplete, complete, or over its limit. */
export type BodyState = 'open' | 'whole' | 'too_large';

/** Accounts for the memory of bodies. */
export interface BodyMemory {
  /** @returns Whether the body may take this many more bytes; if not, it is dropped and never settles. */
  take(bytes: number): boolean;
}

const EMPTY = new Uint8Array(0);
const FIRST_CAPACITY_BYTES = 4096;

/**
 * Collects the chunks of one body within a limit, which applies to the declared length and to the bytes that
 * arrive. Bytes go into one buffer that doubles, so a body that arrives in single bytes costs linear time and
 * at most twice its size.
 */
export class BodyCollector {
  readonly #limitBytes: number;
  readonly #memory: BodyMemory | undefined;
  #state: BodyState | 'dropped';
  #buffer: Uint8Array = EMPTY;
  #length = 0;
  #onSettled: ((state: BodyState) => void) | undefined;
  #isBorrowing = false;

  /** @param expectedBytes - Declared length, 0 for no body, undefined if unknown until the end. */
  constructor(limitBytes: number, expectedBytes: number | undefined, memory?: BodyMemory) {
    this.#limitBytes = limitBytes;
    this.#memory = memory;
    this.#state = initialState(limitBytes, expectedBytes);
  }

  /** Takes one chunk and keeps a copy, since uWebSockets.js detaches its buffer when the callback returns. */
  push(chunk: ArrayBuffer | Uint8Array, isLast: boolean): void {
    if (this.#state !== 'open') return;
    if (this.#length + chunk.byteLength > this.#limitBytes) {
      this.#buffer = EMPTY;
      this.#settle('too_large');
      return;
    }
    const bytes = chunk instanceof Uint8Array ? chunk : Buffer.from(chunk);
    if (isLast && this.#isBorrowing && this.#length === 0) this.#lend(bytes);
    else {
      this.#append(bytes, isLast);
      if (isLast && this.#state === 'open') this.#settle('whole');
    }
  }

  /**
   * Calls back once, with `whole` or `too_large`, synchronously if the state is known already.
   *
   * @param readsAtOnce - Whether the bytes are read only during the callback, so that a body in one chunk need not be
   *   copied.
   */
  whenSettled(onSettled: (state: BodyState) => void, readsAtOnce = false): void {
    this.#isBorrowing = readsAtOnce;
    if (this.#state === 'open') this.#onSettled = onSettled;
    else if (this.#state !== 'dropped') onSettled(this.#state);
  }

  /** Whether more of the body is awaited. */
  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** Body, once it is complete. */
  get bytes(): Uint8Array {
    return this.#buffer.length === this.#length ? this.#buffer : this.#buffer.subarray(0, this.#length);
  }

  #lend(bytes: Uint8Array): void {
    this.#buffer = bytes;
    this.#length = bytes.length;
    this.#settle('whole');
    this.#buffer = EMPTY;
    this.#length = 0;
  }

  #append(chunk: Uint8Array, isLast: boolean): void {
    const needed = this.#length + chunk.length;
    if (needed > this.#buffer.length) {
      const capacity = isLast ? needed : this.#capacityFor(needed);
      if (this.#memory?.take(capacity - this.#buffer.length) === false) {
        this.#drop();
        return;
      }
      const grown = new Uint8Array(capacity);
      grown.set(this.bytes);
      this.#buffer = grown;
    }
    this.#buffer.set(chunk, this.#length);
    this.#length = needed;
  }

  #drop(): void {
    this.#state = 'dropped';
    this.#buffer = EMPTY;
    this.#length = 0;
    this.#onSettled = undefined;
  }

  #capacityFor(needed: number): number {
    const doubled = Math.max(needed, this.#buffer.length * 2, FIRST_CAPACITY_BYTES);
    return Math.max(needed, Math.min(doubled, this.#limitBytes));
  }

  #settle(state: BodyState): void {
    this.#state = state;
    const onSettled = this.#onSettled;
    this.#onSettled = undefined;
    onSettled?.(state);
  }
}

function initialState(limitBytes: number, expectedBytes: number | undefined): BodyState {
  if (expectedBytes === 0) return 'whole';
  return expectedBytes !== undefined && expectedBytes > limitBytes ? 'too_large' : 'open';
}
