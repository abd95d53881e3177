import {
  BoardLayout,
  type BoardSetup,
  boardBytes,
  CALLED,
  DONE,
  FAULTY,
  FREE,
  GENERATION,
  GENERATION_MASK,
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
import { INPUT_BYTES, PROOF_BYTES, type Row } from './rows.ts';
import type { KeyReference } from './task.ts';

/** What the main thread finds when it looks at a tray. */
export type TrayState = 'open' | 'taken' | 'done' | 'faulty';

/** Trays for each thread: one that it works on, one that waits for it, one that a thread before it may still hold. */
const TRAYS_PER_THREAD = 3;

/** The main thread's side of the board (`board-layout.ts`). */
export class Board {
  /** For the threads. */
  readonly setup: BoardSetup;
  readonly #layout: BoardLayout;
  readonly #words: Int32Array;
  readonly #free: Tray[];
  #order = 0;

  /** @param threads - As many threads take trays at a time. */
  constructor(threads: number, maxBatch: number) {
    const trays = TRAYS_PER_THREAD * threads + 1;
    this.setup = { buffer: new SharedArrayBuffer(boardBytes(trays, maxBatch)), trays, maxBatch };
    this.#layout = new BoardLayout(this.setup);
    this.#words = this.#layout.words;
    this.#free = Array.from({ length: trays }, (_, index) => new Tray(this.#layout, index)).reverse();
  }

  /** Most proofs with so many inputs that go into one tray. */
  roomFor(inputCount: number): number {
    const fit = Math.floor(this.#layout.dataBytes / (PROOF_BYTES + inputCount * INPUT_BYTES));
    return Math.min(this.#layout.maxBatch, fit);
  }

  /**
   * A free tray for proofs of one key, next in order; undefined when all are in use.
   *
   * @param singly - Many of the proofs are expected to be bad.
   */
  take(key: KeyReference, inputCount: number, singly: boolean): Tray | undefined {
    const tray = this.#free.pop();
    if (!tray) return undefined;
    this.#order = (this.#order + 1) | 0;
    tray.begin(key, inputCount, singly, this.#order);
    return tray;
  }

  /** Makes a tray free. Not to be called while a thread that lives holds it. */
  giveBack(tray: Tray): void {
    tray.clear();
    this.#free.push(tray);
  }

  /** Tells as many waiting threads of open trays. */
  announce(trays: number): void {
    Atomics.add(this.#words, PUBLISHED, 1);
    Atomics.notify(this.#words, PUBLISHED, trays);
  }

  /** Asks one of the threads that take trays to come back; it finishes the tray that it has. */
  call(): void {
    if (Atomics.exchange(this.#words, CALLED, 1) === 0) this.announce(1);
  }

  /** Nobody has to come back any more. */
  uncall(): void {
    Atomics.store(this.#words, CALLED, 0);
  }

  /** From now on the next answer is told again; to be called before the trays are looked at. */
  listen(): void {
    Atomics.store(this.#words, RUNG, 0);
  }
}

/** One tray, in the main thread. */
export class Tray {
  readonly #layout: BoardLayout;
  readonly #head: number;
  readonly #verdicts: number;
  readonly #key: number;
  readonly #data: number;
  #rowBytes = 0;

  constructor(layout: BoardLayout, index: number) {
    this.#layout = layout;
    this.#head = layout.head(index);
    this.#verdicts = layout.verdicts(index);
    this.#key = layout.key(index);
    this.#data = layout.data(index);
  }

  /** Writes the head for proofs of a key. */
  begin({ id, source }: KeyReference, inputCount: number, singly: boolean, order: number): void {
    const { words, bytes } = this.#layout;
    const head = this.#head;
    const isHandle = typeof source === 'number';
    this.#rowBytes = PROOF_BYTES + inputCount * INPUT_BYTES;
    words[head + ORDER] = order;
    words[head + GENERATION] = ((words[head + GENERATION] as number) + 1) & GENERATION_MASK;
    words[head + KEY_ID] = id;
    words[head + KEY_HANDLE] = isHandle ? source : 0;
    words[head + KEY_LENGTH] = isHandle ? 0 : source.byteLength;
    words[head + INPUT_COUNT] = inputCount;
    words[head + SINGLY] = singly ? 1 : 0;
    if (!isHandle) bytes.set(new Uint8Array(source), this.#key);
  }

  /** Writes a proof; only beyond the count for which the tray is open. */
  put(index: number, row: Row): void {
    this.#layout.words[this.#verdicts + index] = 0;
    this.#layout.bytes.set(row, this.#data + index * this.#rowBytes);
  }

  /** From now on a thread may take the tray, with so many proofs. */
  open(count: number): void {
    Atomics.store(this.#layout.words, this.#head + STATE, count);
  }

  /** Adds proofs to an open tray; false when a thread has taken it. */
  extend(from: number, to: number): boolean {
    return this.#exchange(from, to);
  }

  /** Takes an open tray back; false when a thread has taken it. */
  withdraw(count: number): boolean {
    return this.#exchange(count, FREE);
  }

  /** How far the batch is. */
  get state(): TrayState {
    const state = this.#state;
    if (state < 0) return 'taken';
    if (state === DONE) return 'done';
    return state === FAULTY ? 'faulty' : 'open';
  }

  /** The thread that works on it, or undefined. */
  get holder(): number | undefined {
    const state = this.#state;
    return state < 0 ? -state : undefined;
  }

  /** The verdict byte of a proof of a batch that is done; undefined when the thread left none. */
  verdictByte(index: number): number | undefined {
    const { words } = this.#layout;
    const cell = (words[this.#verdicts + index] as number) >>> 0;
    const byte = cell & 0xff;
    return byte !== 0 && cell >>> 8 === words[this.#head + GENERATION] ? byte : undefined;
  }

  /** Milliseconds that the thread spent on a batch that is done. */
  get runMs(): number {
    return (this.#layout.words[this.#head + RESULT] as number) / 1000;
  }

  /** What a faulty batch ended with. */
  get fault(): string {
    const length = this.#layout.words[this.#head + RESULT] as number;
    return Buffer.from(this.#layout.bytes.slice(this.#data, this.#data + length)).toString();
  }

  clear(): void {
    Atomics.store(this.#layout.words, this.#head + STATE, FREE);
  }

  get #state(): number {
    return Atomics.load(this.#layout.words, this.#head + STATE);
  }

  #exchange(from: number, to: number): boolean {
    return Atomics.compareExchange(this.#layout.words, this.#head + STATE, from, to) === from;
  }
}
