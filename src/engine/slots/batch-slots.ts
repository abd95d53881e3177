import { statementBytes } from '../encoding.ts';
import type { CallOperation, KeyReference } from '../operation.ts';
import { Slot } from './slot.ts';
import { ANNOUNCED, NOTIFIED, SlotLayout, type SlotsSetup, slotsBytes } from './slot-layout.ts';

/**
 * Slots for each worker: one in work, one for ready proofs, one for ready calls, and one that its predecessor may still
 * hold.
 */
const SLOTS_PER_WORKER = 4;

/** The batch slots, seen from the main thread; for the states see `slot-layout.ts`. */
export class BatchSlots {
  /** Setup data for the workers. */
  readonly setup: SlotsSetup;
  readonly #layout: SlotLayout;
  readonly #free: Slot[];
  #order = 0;

  /** @param workers - Number of workers that take slots. */
  constructor(workers: number, maxBatch: number) {
    const slots = SLOTS_PER_WORKER * workers + 1;
    this.setup = { buffer: new SharedArrayBuffer(slotsBytes(slots, maxBatch)), slots, maxBatch };
    this.#layout = new SlotLayout(this.setup);
    this.#free = Array.from({ length: slots }, (_, index) => new Slot(this.#layout, index)).reverse();
  }

  /** Returns the number of proofs with this number of public inputs that fit one slot. */
  roomFor(inputCount: number): number {
    const fit = Math.floor(this.#layout.dataBytes / statementBytes(inputCount));
    return Math.min(this.#layout.maxBatch, fit);
  }

  /** Bytes available to the calls of one batch; each call needs `callRoomBytes`. */
  get callBatchBytes(): number {
    return this.#layout.dataBytes;
  }

  /**
   * Acquires a free slot for proofs of one key, next in order; undefined if all are in use.
   *
   * @param separately - Whether the proofs are checked one by one, not combined.
   */
  acquireForProofs(key: KeyReference, inputCount: number, separately: boolean): Slot | undefined {
    const slot = this.#free.pop();
    this.#order = (this.#order + 1) | 0;
    slot?.beginProofs(key, inputCount, separately, this.#order);
    return slot;
  }

  /** Acquires a free slot for calls, next in order; undefined if all are in use. */
  acquireForCalls(operation: CallOperation): Slot | undefined {
    const slot = this.#free.pop();
    this.#order = (this.#order + 1) | 0;
    slot?.beginCalls(operation, this.#order);
    return slot;
  }

  /** Frees a slot and wipes any seed in it. Must not be called while a live thread holds it. */
  release(slot: Slot): void {
    slot.clear();
    this.#free.push(slot);
  }

  /** Wakes sleeping workers for this number of newly ready slots. */
  announce(slots: number): void {
    Atomics.add(this.#layout.words, ANNOUNCED, 1);
    Atomics.notify(this.#layout.words, ANNOUNCED, slots);
  }

  /** Makes the next answer notify the main thread again; must be called before the main thread polls the slots. */
  expectNotice(): void {
    Atomics.store(this.#layout.words, NOTIFIED, 0);
  }
}
