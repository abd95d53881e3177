/** Where a body stands: more to come, whole, or over its limit. */
export type BodyState = 'open' | 'whole' | 'too_large';

/** Accounts for the memory that bodies take. */
export interface BodyMemory {
  /** @returns Whether the body may take that much more; if not, it is dropped and nobody is told of its end. */
  take(bytes: number): boolean;
}

const EMPTY = new Uint8Array(0);
const FIRST_CAPACITY_BYTES = 4096;

/**
 * Gathers the chunks of one body within a limit. The limit holds for the declared length at once and for the
 * bytes that arrive all the same. Bytes go into one buffer that doubles, so that a body in single bytes costs
 * linear time and at most twice its size.
 */
export class BodyCollector {
  readonly #limitBytes: number;
  readonly #memory: BodyMemory | undefined;
  #state: BodyState | 'dropped';
  #buffer: Uint8Array = EMPTY;
  #length = 0;
  #onSettled: ((state: BodyState) => void) | undefined;
  #isBorrowing = false;

  /** @param expectedBytes - Declared length, 0 for no body, undefined when only the end will tell. */
  constructor(limitBytes: number, expectedBytes: number | undefined, memory?: BodyMemory) {
    this.#limitBytes = limitBytes;
    this.#memory = memory;
    this.#state = initialState(limitBytes, expectedBytes);
  }

  /** Takes one chunk; keeps a copy of it, since uWebSockets.js empties its buffer when the callback returns. */
  push(chunk: ArrayBuffer, isLast: boolean): void {
    if (this.#state !== 'open') return;
    if (this.#length + chunk.byteLength > this.#limitBytes) {
      this.#buffer = EMPTY;
      this.#settle('too_large');
      return;
    }
    const bytes = Buffer.from(chunk);
    if (isLast && this.#isBorrowing && this.#length === 0) this.#lend(bytes);
    else {
      this.#append(bytes, isLast);
      if (isLast && this.#state === 'open') this.#settle('whole');
    }
  }

  /**
   * Calls back once, with `whole` or `too_large`; at once when that is known.
   *
   * @param readsAtOnce - The bytes are looked at during the callback only, so that one chunk need not be copied.
   */
  whenSettled(onSettled: (state: BodyState) => void, readsAtOnce = false): void {
    this.#isBorrowing = readsAtOnce;
    if (this.#state === 'open') this.#onSettled = onSettled;
    else if (this.#state !== 'dropped') onSettled(this.#state);
  }

  /** The body, when it is whole. */
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
