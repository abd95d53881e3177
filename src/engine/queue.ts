import type { CallResult, Task } from './task.ts';

/** Why waiting or running work ends without an answer of its own. */
export type WorkRefusal =
  | 'engine.cancelled'
  | 'engine.poison'
  | 'engine.worker_failed'
  | 'internal.unforeseen';

/** One piece of work. */
export interface Item {
  readonly lane: Lane;
  readonly queuedAtMs: number;
}

/**
 * Work that fits into one task: proofs of one key, or calls of one function. A lane keeps what waits, turns a batch
 * into a task, and gives each item its answer.
 */
export interface Lane<I extends Item = Item> {
  /** Waiting items, oldest first. */
  readonly waiting: Set<I>;
  /** Whether batches of this lane count in the histograms, which are about proofs. */
  readonly isMeasured: boolean;
  /** Text for logs. */
  readonly name: string;
  toTask(items: readonly I[]): Task;
  /** Answers the items of a finished task; gives back those that the task left without an answer. */
  settle(items: readonly I[], results: readonly CallResult[] | undefined): I[];
  refuse(item: I, code: WorkRefusal): void;
}

/** Items of one lane that go to a worker together. */
export interface Batch {
  readonly lane: Lane;
  readonly items: readonly Item[];
}

/** Limits of the queue. */
export interface QueueLimits {
  /** Items that may wait, over all lanes. */
  readonly maxQueue: number;
  readonly maxBatch: number;
  /** How long an incomplete batch waits for more; 0: not at all. */
  readonly maxBatchDelayMs: number;
}

/** What waits, by lane. Lanes take turns, so that a busy key delays another by one batch at most. */
export class WorkQueue {
  readonly #limits: QueueLimits;
  /** Lanes with waiting items, the next in turn first. */
  readonly #turns = new Set<Lane>();
  #waiting = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** Items that wait, over all lanes. */
  get depth(): number {
    return this.#waiting;
  }

  /** Whether `count` more items may wait. */
  hasRoomFor(count: number): boolean {
    return this.#waiting + count <= this.#limits.maxQueue;
  }

  add(item: Item): void {
    item.lane.waiting.add(item);
    this.#turns.add(item.lane);
    this.#waiting += 1;
  }

  /** Takes a waiting item out; false when it waits no more. */
  remove(item: Item): boolean {
    const { lane } = item;
    if (!lane.waiting.delete(item)) return false;
    this.#waiting -= 1;
    if (lane.waiting.size === 0) this.#turns.delete(lane);
    return true;
  }

  /**
   * Takes the batch that is next in turn, if one is ripe.
   *
   * @param idleWorkers - How many workers are free; what waits in a lane is shared among them.
   * @param isDraining - Nothing waits for company any more.
   */
  take(idleWorkers: number, nowMs: number, isDraining: boolean): Batch | undefined {
    for (const lane of this.#turns) {
      if (!isDraining && this.#ripeAtMs(lane) > nowMs) continue;
      const share = Math.ceil(lane.waiting.size / Math.max(1, idleWorkers));
      const items: Item[] = [];
      for (const item of lane.waiting) {
        lane.waiting.delete(item);
        if (items.push(item) >= Math.min(share, this.#limits.maxBatch)) break;
      }
      this.#waiting -= items.length;
      this.#turns.delete(lane);
      if (lane.waiting.size > 0) this.#turns.add(lane);
      return { lane, items };
    }
    return undefined;
  }

  /** Takes everything that waits, for refusal. */
  takeAll(): Batch[] {
    const batches = [...this.#turns].map((lane) => ({ lane, items: [...lane.waiting] }));
    for (const { items } of batches) for (const item of items) this.remove(item);
    return batches;
  }

  /** When the next batch is ripe, in the clock of `queuedAtMs`; Infinity when nothing waits. */
  nextRipeAtMs(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const lane of this.#turns) next = Math.min(next, this.#ripeAtMs(lane));
    return next;
  }

  #ripeAtMs(lane: Lane): number {
    const { maxBatch, maxBatchDelayMs } = this.#limits;
    if (maxBatchDelayMs <= 0 || lane.waiting.size >= maxBatch) return Number.NEGATIVE_INFINITY;
    const [oldest] = lane.waiting;
    return oldest ? oldest.queuedAtMs + maxBatchDelayMs : Number.POSITIVE_INFINITY;
  }
}
