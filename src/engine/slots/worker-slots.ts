import { statementBytes } from '../encoding.ts';
import { type CallName, type CallResult, OPERATION_NAMES } from '../operation.ts';
import {
  ANNOUNCED,
  CONTEXT_LENGTH,
  DONE,
  FAULTY,
  GENERATION,
  KEY_HANDLE,
  KEY_ID,
  MAX_TEXT_BYTES,
  NOTIFIED,
  OPERATION,
  ORDER,
  PARAMETER,
  REFUSED,
  RESULT,
  SEPARATELY,
  SlotLayout,
  type SlotsSetup,
  STATE,
  SUCCEEDED,
} from './slot-layout.ts';

const VERIFY = OPERATION_NAMES.indexOf('verify');

interface Taken {
  readonly slot: number;
  readonly count: number;
  readonly generation: number;
  /** 0: no key. */
  readonly keyId: number;
  /** Handle of the key in the addon, or a view of its shared bytes if each worker prepares it. */
  readonly key: number | Uint8Array;
}

/** A batch of proofs that this worker has taken. */
export interface TakenProofs extends Taken {
  readonly operation: 'verify';
  /**
   * The concatenated statements, in private memory that is valid until the next batch. The shared bytes are read once,
   * so that a change after a check has no effect.
   */
  readonly statements: Uint8Array;
  /** Whether the proofs are checked one by one, not combined. */
  readonly separately: boolean;
}

/** A batch of calls that this worker has taken. */
export interface TakenCalls extends Taken {
  readonly operation: CallName;
  /** Width of `poseidon2`, depth of `oneLeafRoot`. */
  readonly parameter: number;
  /** Domain tag of `hashBytes`. */
  readonly tag: string;
  /** All items concatenated, in private memory like the statements of proofs. */
  readonly bytes: Uint8Array;
  /** Views of `bytes`, one per call. */
  readonly items: readonly Uint8Array[];
}

/** A batch that this worker has taken. */
export type TakenBatch = TakenProofs | TakenCalls;

/** The batch slots, seen from a worker (`slot-layout.ts`). */
export class WorkerSlots {
  readonly #layout: SlotLayout;
  readonly #words: Int32Array;
  readonly #threadId: number;
  #private = new Uint8Array(0);

  constructor(setup: SlotsSetup, threadId: number) {
    this.#layout = new SlotLayout(setup);
    this.#words = this.#layout.words;
    this.#threadId = threadId;
  }

  /** A number that changes with every announcement; read it before `take` and pass it to `wait`. */
  get announced(): number {
    return Atomics.load(this.#words, ANNOUNCED);
  }

  /**
   * Takes the ready slot that is next in order, if there is one.
   *
   * @param preferred - Kind of batch that is taken before the other one: the two take turns.
   */
  take(preferred: 'proofs' | 'calls'): TakenBatch | undefined {
    for (let slot = this.#next(preferred); slot >= 0; slot = this.#next(preferred)) {
      const at = this.#layout.head(slot) + STATE;
      const count = Atomics.load(this.#words, at);
      const isReady = count > 0 && count < DONE;
      if (isReady && Atomics.compareExchange(this.#words, at, count, -this.#threadId) === count) {
        return this.#read(slot, count);
      }
    }
    return undefined;
  }

  /**
   * Writes the verdicts of a batch of proofs, each tagged with the generation that was read with the batch.
   *
   * @param verdicts - One byte for each proof, never 0.
   */
  answerProofs({ slot, count, generation }: TakenProofs, verdicts: Uint8Array, runMs: number): void {
    if (verdicts.length !== count) throw new RangeError(`${count} proofs got ${verdicts.length} verdicts`);
    const first = this.#layout.results(slot);
    for (let index = 0; index < count; index += 1) {
      this.#words[first + index] = (generation << 8) | (verdicts[index] as number);
    }
    this.#finish(slot, runMs);
  }

  /**
   * Writes the results of a batch of calls.
   *
   * @throws RangeError if they do not fit the slot or their number is not that of the calls; no call is
   *   answered then.
   */
  answerCalls({ slot, count, generation }: TakenCalls, results: readonly CallResult[], runMs: number): void {
    if (results.length !== count) throw new RangeError(`${count} calls got ${results.length} results`);
    const answers = results.map((result) => (result.ok ? result.bytes : refusalText(result)));
    const total = answers.reduce((sum, { length }) => sum + length, 0);
    if (total > this.#layout.dataBytes) throw new RangeError(`the results have ${total} bytes`);
    let at = this.#layout.data(slot);
    for (const [index, bytes] of answers.entries()) {
      this.#layout.bytes.set(bytes, at);
      this.#words[this.#layout.lengths(slot) + index] = bytes.length;
      this.#words[this.#layout.results(slot) + index] =
        (generation << 8) | (results[index]?.ok ? SUCCEEDED : REFUSED);
      at += bytes.length;
    }
    this.#finish(slot, runMs);
  }

  /** Marks the batch as faulty: none of its items has a result. */
  fail({ slot }: TakenBatch, detail: string): void {
    const text = Buffer.from(detail).subarray(0, MAX_TEXT_BYTES);
    this.#layout.bytes.set(text, this.#layout.data(slot));
    this.#end(slot, FAULTY, text.length);
  }

  /** Whether no worker has notified the main thread since its last poll; if so, the caller must notify it. */
  needsNotice(): boolean {
    return Atomics.exchange(this.#words, NOTIFIED, 1) === 0;
  }

  /** Sleeps until an announcement newer than `announced`; returns false on timeout. */
  wait(announced: number, milliseconds: number): boolean {
    return Atomics.wait(this.#words, ANNOUNCED, announced, milliseconds) !== 'timed-out';
  }

  #next(preferred: 'proofs' | 'calls'): number {
    let [found, lowest, isPreferred] = [-1, 0, false];
    for (let slot = 0; slot < this.#layout.slots; slot += 1) {
      const head = this.#layout.head(slot);
      const state = Atomics.load(this.#words, head + STATE);
      if (state <= 0 || state >= DONE) continue;
      const order = this.#words[head + ORDER] as number;
      const isOfKind = (this.#words[head + OPERATION] === VERIFY) === (preferred === 'proofs');
      if (isPreferred && !isOfKind) continue;
      if (found < 0 || isOfKind !== isPreferred || ((order - lowest) | 0) < 0) {
        [found, lowest, isPreferred] = [slot, order, isOfKind];
      }
    }
    return found;
  }

  #read(slot: number, count: number): TakenBatch {
    const head = this.#layout.head(slot);
    const word = (at: number): number => this.#words[head + at] as number;
    const operation = OPERATION_NAMES[word(OPERATION)] ?? 'verify';
    const start = this.#layout.context(slot);
    const context = this.#layout.bytes.subarray(start, start + word(CONTEXT_LENGTH));
    const keyId = word(KEY_ID);
    const isHandle = context.length === 0 || keyId === 0;
    const key = isHandle ? word(KEY_HANDLE) >>> 0 : context;
    const taken: Taken = { slot, count, generation: word(GENERATION), keyId, key };
    if (operation === 'verify') {
      const statements = this.#copy(slot, count * statementBytes(word(PARAMETER)));
      return { ...taken, operation, statements, separately: word(SEPARATELY) === 1 };
    }
    const tag = keyId === 0 ? Buffer.from(context.slice()).toString() : '';
    return { ...taken, operation, parameter: word(PARAMETER), tag, ...this.#readCalls(slot, count) };
  }

  #readCalls(slot: number, count: number): Pick<TakenCalls, 'bytes' | 'items'> {
    const first = this.#layout.lengths(slot);
    const lengths = this.#words.slice(first, first + count);
    const bytes = this.#copy(
      slot,
      lengths.reduce((sum, length) => sum + length, 0),
    );
    let at = 0;
    const items = Array.from(lengths, (length) => {
      at += length;
      return bytes.subarray(at - length, at);
    });
    return { bytes, items };
  }

  #copy(slot: number, length: number): Uint8Array {
    if (this.#private.length < length) this.#private = new Uint8Array(length);
    const start = this.#layout.data(slot);
    this.#private.set(this.#layout.bytes.subarray(start, start + length));
    return this.#private.subarray(0, length);
  }

  #finish(slot: number, runMs: number): void {
    this.#end(slot, DONE, Math.min(Math.round(runMs * 1000), 0x7fff_ffff));
  }

  #end(slot: number, state: number, result: number): void {
    const head = this.#layout.head(slot);
    this.#words[head + RESULT] = result;
    Atomics.store(this.#words, head + STATE, state);
  }
}

function refusalText({ code, detail }: Extract<CallResult, { ok: false }>): Uint8Array {
  return Buffer.from(`${code}: ${detail}`).subarray(0, MAX_TEXT_BYTES);
}
