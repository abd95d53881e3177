import { ServiceError } from '../errors/index.ts';
import type { Cancellations } from './cancellations.ts';
import type { Verdict } from './engine.ts';
import type { Item, Lane, WorkRefusal } from './queue.ts';
import type { Slot, SlotArena } from './slots.ts';
import type { KeyReference, VerifyTask } from './task.ts';
import { refusal, verdictOfByte } from './verdicts.ts';

/** A proof that waits or runs. */
export interface ProofItem extends Item {
  readonly lane: ProofLane;
  readonly resolve: (verdict: Verdict) => void;
  readonly reject: (error: ServiceError) => void;
  readonly signal: AbortSignal | undefined;
  /** Gone once the proof has its answer. */
  slot: Slot | undefined;
}

/** The proofs of one verifying key. */
export class ProofLane implements Lane<ProofItem> {
  readonly waiting: Set<ProofItem> = new Set();
  readonly isMeasured = true;
  readonly name: string;
  readonly #key: KeyReference;
  readonly #inputCount: number;
  readonly #arena: SlotArena;
  readonly #cancellations: Cancellations<ProofItem>;

  constructor(
    keyId: string,
    key: KeyReference,
    inputCount: number,
    arena: SlotArena,
    cancellations: Cancellations<ProofItem>,
  ) {
    this.name = `verify ${keyId}`;
    this.#key = key;
    this.#inputCount = inputCount;
    this.#arena = arena;
    this.#cancellations = cancellations;
  }

  /** Copies a proof into a slot and makes the item that stands for it. */
  item(
    proof: Uint8Array,
    inputs: Uint8Array,
    signal: AbortSignal | undefined,
    resolve: (verdict: Verdict) => void,
    reject: (error: ServiceError) => void,
  ): ProofItem {
    const slot = this.#arena.take(proof, inputs);
    return { lane: this, queuedAtMs: performance.now(), resolve, reject, signal, slot };
  }

  toTask(items: readonly ProofItem[]): VerifyTask {
    const chunks: SharedArrayBuffer[] = [];
    const slots: number[] = [];
    for (const { slot } of items) {
      if (!slot) throw new TypeError('an answered proof cannot run');
      let chunk = chunks.indexOf(slot.chunk.buffer);
      if (chunk < 0) chunk = chunks.push(slot.chunk.buffer) - 1;
      slots.push(chunk, slot.index);
    }
    const { stride } = this.#arena;
    return { kind: 'verify', key: this.#key, inputCount: this.#inputCount, stride, chunks, slots };
  }

  settle(items: readonly ProofItem[]): ProofItem[] {
    const left: ProofItem[] = [];
    for (const item of items) {
      const byte = item.slot && this.#arena.verdictByte(item.slot);
      const verdict = byte === undefined ? undefined : verdictOfByte(byte);
      if (!verdict) left.push(item);
      else {
        this.#release(item);
        item.resolve(verdict);
      }
    }
    return left;
  }

  refuse(item: ProofItem, code: WorkRefusal): void {
    this.#release(item);
    if (code === 'engine.cancelled' || code === 'engine.poison') item.resolve(refusal(code));
    else item.reject(new ServiceError(code));
  }

  #release(item: ProofItem): void {
    if (item.signal) this.#cancellations.forget(item.signal, item);
    if (!item.slot) return;
    this.#arena.giveBack(item.slot);
    item.slot = undefined;
  }
}
