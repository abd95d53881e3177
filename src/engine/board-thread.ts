import {
  BoardLayout,
  type BoardSetup,
  CALLED,
  DONE,
  FAULTY,
  GENERATION,
  INPUT_COUNT,
  KEY_HANDLE,
  KEY_ID,
  KEY_LENGTH,
  ORDER,
  PUBLISHED,
  RESULT,
  RUNG,
  SINGLY,
  STATE,
} from './board-layout.ts';
import { INPUT_BYTES, PROOF_BYTES } from './rows.ts';

const MAX_FAULT_BYTES = 256;

/** A batch that this thread has taken. */
export interface TakenBatch {
  readonly tray: number;
  readonly count: number;
  readonly keyId: number;
  /** Handle of the key in the addon, or the key's bytes, where each thread prepares it. */
  readonly key: number | Uint8Array;
  /**
   * Proof ‖ inputs of each, one after another, in private memory that lasts until the next batch. The shared bytes are
   * read once, so that no check can be fooled by bytes that change after it.
   */
  readonly batch: Uint8Array;
  readonly generation: number;
  /** Many of the proofs are expected to be bad. */
  readonly singly: boolean;
}

/** A thread's side of the board (`board-layout.ts`). */
export class BoardThread {
  readonly #layout: BoardLayout;
  readonly #words: Int32Array;
  readonly #threadId: number;
  #private = new Uint8Array(0);

  constructor(setup: BoardSetup, threadId: number) {
    this.#layout = new BoardLayout(setup);
    this.#words = this.#layout.words;
    this.#threadId = threadId;
  }

  /** Changes with every announcement; to be read before `take`, for `wait`. */
  get published(): number {
    return Atomics.load(this.#words, PUBLISHED);
  }

  /** Takes the open tray that is next in order, if there is one. */
  take(): TakenBatch | undefined {
    for (let tray = this.#next(); tray >= 0; tray = this.#next()) {
      const at = this.#layout.head(tray) + STATE;
      const count = Atomics.load(this.#words, at);
      const isOpen = count > 0 && count < DONE;
      if (isOpen && Atomics.compareExchange(this.#words, at, count, -this.#threadId) === count) {
        return this.#read(tray, count);
      }
    }
    return undefined;
  }

  /**
   * Leaves the verdicts, each marked with the generation that was read with the proofs.
   *
   * @param verdicts - A byte for each proof.
   */
  answer({ tray, count, generation }: TakenBatch, verdicts: Uint8Array, runMs: number): void {
    if (verdicts.length !== count) throw new RangeError(`${count} proofs got ${verdicts.length} verdicts`);
    const first = this.#layout.verdicts(tray);
    for (let index = 0; index < count; index += 1) {
      this.#words[first + index] = (generation << 8) | (verdicts[index] as number);
    }
    this.#end(tray, DONE, Math.min(Math.round(runMs * 1000), 0x7fff_ffff));
  }

  /** Says that nothing is known of any proof of the batch. */
  fail({ tray }: TakenBatch, detail: string): void {
    const text = Buffer.from(detail).subarray(0, MAX_FAULT_BYTES);
    this.#layout.bytes.set(text, this.#layout.data(tray));
    this.#end(tray, FAULTY, text.length);
  }

  /** True when nobody has told the main thread since it last looked: then the caller has to. */
  ring(): boolean {
    return Atomics.exchange(this.#words, RUNG, 1) === 0;
  }

  /** Whether the main thread asks this thread to come back. It asks one. */
  isCalled(): boolean {
    return Atomics.load(this.#words, CALLED) === 1 && Atomics.exchange(this.#words, CALLED, 0) === 1;
  }

  /** Sleeps until something is announced that `published` did not count yet; false when the time is over. */
  wait(published: number, milliseconds: number): boolean {
    return Atomics.wait(this.#words, PUBLISHED, published, milliseconds) !== 'timed-out';
  }

  #next(): number {
    let [found, lowest] = [-1, 0];
    for (let tray = 0; tray < this.#layout.trays; tray += 1) {
      const head = this.#layout.head(tray);
      const state = Atomics.load(this.#words, head + STATE);
      if (state <= 0 || state >= DONE) continue;
      const order = this.#words[head + ORDER] as number;
      if (found < 0 || ((order - lowest) | 0) < 0) [found, lowest] = [tray, order];
    }
    return found;
  }

  #read(tray: number, count: number): TakenBatch {
    const { bytes } = this.#layout;
    const head = this.#layout.head(tray);
    const word = (at: number): number => this.#words[head + at] as number;
    const length = count * (PROOF_BYTES + word(INPUT_COUNT) * INPUT_BYTES);
    if (this.#private.length < length) this.#private = new Uint8Array(length);
    const start = this.#layout.data(tray);
    this.#private.set(bytes.subarray(start, start + length));
    const keyStart = this.#layout.key(tray);
    const keyLength = word(KEY_LENGTH);
    return {
      tray,
      count,
      keyId: word(KEY_ID),
      key: keyLength === 0 ? word(KEY_HANDLE) >>> 0 : bytes.slice(keyStart, keyStart + keyLength),
      batch: this.#private.subarray(0, length),
      generation: word(GENERATION),
      singly: word(SINGLY) === 1,
    };
  }

  #end(tray: number, state: number, result: number): void {
    const head = this.#layout.head(tray);
    this.#words[head + RESULT] = result;
    Atomics.store(this.#words, head + STATE, state);
  }
}
