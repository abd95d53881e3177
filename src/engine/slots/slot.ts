import { statementBytes } from '../encoding.ts';
import { type CallOperation, type CallResult, type KeyReference, OPERATION_NAMES } from '../operation.ts';
import {
  CONTEXT_LENGTH,
  DONE,
  FAULTY,
  FREE,
  GENERATION,
  GENERATION_MASK,
  KEY_HANDLE,
  KEY_ID,
  OPERATION,
  ORDER,
  PARAMETER,
  REFUSED,
  RESULT,
  SEPARATELY,
  type SlotLayout,
  STATE,
  SUCCEEDED,
} from './slot-layout.ts';

/** State of a published slot, seen from the main thread. */
export type SlotState = 'ready' | 'taken' | 'done' | 'faulty';

const REFUSAL = /^([^:]+): (.*)$/s;

/** One slot, seen from the main thread. */
export class Slot {
  readonly #layout: SlotLayout;
  readonly #head: number;
  readonly #results: number;
  readonly #lengths: number;
  readonly #context: number;
  readonly #data: number;
  #statementBytes = 0;
  #usedBytes = 0;
  #holdsSeed = false;

  constructor(layout: SlotLayout, index: number) {
    this.#layout = layout;
    this.#head = layout.head(index);
    this.#results = layout.results(index);
    this.#lengths = layout.lengths(index);
    this.#context = layout.context(index);
    this.#data = layout.data(index);
  }

  /** Writes the head for proofs of one key. */
  beginProofs(key: KeyReference, inputCount: number, separately: boolean, order: number): void {
    this.#statementBytes = statementBytes(inputCount);
    this.#begin(0, order, inputCount, key);
    this.#layout.words[this.#head + SEPARATELY] = separately ? 1 : 0;
  }

  /** Writes a proof; only beyond the published number of items. */
  putProof(index: number, statement: Uint8Array): void {
    this.#layout.words[this.#results + index] = 0;
    this.#layout.bytes.set(statement, this.#data + index * this.#statementBytes);
  }

  /** Writes the head for calls that share an operation. */
  beginCalls({ call, key, width, depth, tag }: CallOperation, order: number): void {
    this.#usedBytes = 0;
    this.#begin(OPERATION_NAMES.indexOf(call), order, width ?? depth ?? 0, key);
    this.#holdsSeed = (call === 'sign' || call === 'publicKey') && typeof key?.source !== 'number';
    if (tag !== undefined) this.#writeContext(Buffer.from(tag));
  }

  /** Writes the bytes of the next call. The caller ensures that they fit, see `callRoomBytes`. */
  putCall(index: number, bytes: Uint8Array): void {
    const { words } = this.#layout;
    words[this.#results + index] = 0;
    words[this.#lengths + index] = bytes.length;
    this.#layout.bytes.set(bytes, this.#data + this.#usedBytes);
    this.#usedBytes += bytes.length;
  }

  /** Publishes the slot with this number of items: from now on a worker may take it. */
  publish(count: number): void {
    Atomics.store(this.#layout.words, this.#head + STATE, count);
  }

  /** Adds items to a ready slot; false if a worker has taken it. */
  extend(from: number, to: number): boolean {
    return this.#exchange(from, to);
  }

  /** Withdraws a ready batch; false if a worker has taken it. */
  withdraw(count: number): boolean {
    return this.#exchange(count, FREE);
  }

  /** State of a slot that was published. */
  get state(): SlotState {
    const state = this.#state;
    if (state < 0) return 'taken';
    if (state === DONE) return 'done';
    return state === FAULTY ? 'faulty' : 'ready';
  }

  /** Id of the thread that has taken it, or undefined. */
  get holder(): number | undefined {
    const state = this.#state;
    return state < 0 ? -state : undefined;
  }

  /** Returns the verdict byte of a proof of a batch that is done; 0 if the worker left none. */
  verdictByte(index: number): number {
    return this.#result(index);
  }

  /** Returns the results of the calls of a batch that is done; undefined for a call without one. */
  callResults(count: number): (CallResult | undefined)[] {
    const { words, bytes, dataBytes } = this.#layout;
    const results: (CallResult | undefined)[] = [];
    let at = 0;
    for (let index = 0; index < count; index += 1) {
      const length = words[this.#lengths + index] as number;
      const result = this.#result(index);
      const isInside = length >= 0 && at + length <= dataBytes;
      const start = this.#data + at;
      results.push(isInside ? callResult(result, bytes.slice(start, start + length)) : undefined);
      at += length;
    }
    return results;
  }

  /** Run time of a finished batch, in milliseconds. */
  get runMs(): number {
    return (this.#layout.words[this.#head + RESULT] as number) / 1000;
  }

  /** Fault text of a faulty batch. */
  get fault(): string {
    const length = this.#layout.words[this.#head + RESULT] as number;
    return textOf(this.#layout.bytes.slice(this.#data, this.#data + length));
  }

  /** Frees the slot and wipes any seed in it. */
  clear(): void {
    if (this.#holdsSeed) {
      const length = this.#layout.words[this.#head + CONTEXT_LENGTH] as number;
      this.#layout.bytes.fill(0, this.#context, this.#context + length);
      this.#holdsSeed = false;
    }
    Atomics.store(this.#layout.words, this.#head + STATE, FREE);
  }

  get #state(): number {
    return Atomics.load(this.#layout.words, this.#head + STATE);
  }

  #begin(operation: number, order: number, parameter: number, key: KeyReference | undefined): void {
    const { words } = this.#layout;
    const head = this.#head;
    const isHandle = typeof key?.source === 'number';
    words[head + ORDER] = order;
    words[head + GENERATION] = ((words[head + GENERATION] as number) + 1) & GENERATION_MASK;
    words[head + OPERATION] = operation;
    words[head + KEY_ID] = key?.id ?? 0;
    words[head + KEY_HANDLE] = isHandle ? (key.source as number) : 0;
    words[head + CONTEXT_LENGTH] = 0;
    words[head + PARAMETER] = parameter;
    if (key && !isHandle) this.#writeContext(key.source as Uint8Array);
  }

  #writeContext(bytes: Uint8Array): void {
    this.#layout.bytes.set(bytes, this.#context);
    this.#layout.words[this.#head + CONTEXT_LENGTH] = bytes.length;
  }

  #result(index: number): number {
    const { words } = this.#layout;
    const word = (words[this.#results + index] as number) >>> 0;
    return word >>> 8 === words[this.#head + GENERATION] ? word & 0xff : 0;
  }

  #exchange(from: number, to: number): boolean {
    return Atomics.compareExchange(this.#layout.words, this.#head + STATE, from, to) === from;
  }
}

function callResult(result: number, bytes: Uint8Array): CallResult | undefined {
  if (result === SUCCEEDED) return { ok: true, bytes };
  if (result !== REFUSED) return undefined;
  const [, code, detail] = REFUSAL.exec(textOf(bytes)) ?? [];
  return code === undefined ? undefined : { ok: false, code, detail: detail ?? '' };
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}
