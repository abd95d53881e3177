import { verdictOfByte } from '../encoding.ts';
import type { EngineEvent, ProofSource, VerdictReceiver, VerifyOptions } from '../engine.ts';
import type { CallOperation } from '../operation.ts';
import type { Executor } from '../pool/executor.ts';
import { type EngineState, FairQueue, type QueueLimits } from '../queue/fair-queue.ts';
import {
  type Batch,
  type CallBatch,
  type CallItem,
  type ProofBatch,
  type ProofKey,
  refuseBatch,
  refuseProof,
  type WorkRefusal,
} from '../queue/work-queues.ts';
import type { BatchSlots } from '../slots/batch-slots.ts';
import type { Slot } from '../slots/slot.ts';
import { DispatchStats } from './dispatch-stats.ts';
import { refusedCall, retriesAfterLoss } from './failures.ts';

/**
 * After this many new proofs the dispatcher polls the slots before the turn of the event loop ends. A poll costs a
 * microsecond; a small batch costs more than that.
 */
const MAX_UNPOLLED = 16;

/** A batch that has left the queue, with the number of workers lost while running it. */
interface PendingBatch {
  readonly batch: Batch;
  readonly losses: number;
  /** Whether it runs again after a loss, whole or item by item; no item may join it. */
  readonly isRetry: boolean;
}

/** A batch in a slot. */
interface PublishedBatch extends PendingBatch {
  readonly slot: Slot;
}

/**
 * Moves proofs and calls from the queue to the workers, and answers back to the callers.
 *
 * Life of a batch: queued → published in a slot → taken by a worker → answered, or lost with the worker and
 * then published again, whole or item by item, or refused as poison. The states of a slot are those of
 * `slots/slot-layout.ts`; the dispatcher polls them (`#pump`) when items were added, when workers
 * notify it, and when a thread ends.
 *
 * An idle worker gets one task: to serve the slots. It takes batch after batch, and returns when none has
 * been ready for a short time. One batch of proofs per worker is published ahead, and new proofs join a
 * batch that no worker has begun: a worker that ends a batch finds the next one at once, which by then
 * contains all waiting proofs. One batch of calls is published for each idle worker, or one
 * ahead if none is idle, and later calls of its queue join it. While both kinds are ready, a worker
 * alternates between proofs and calls.
 *
 * Cost of a proof between `verifyStatement` and its answer. Its bytes are copied twice (once more by
 * `verify`, whose caller may change them before the answer):
 *
 * 1. To a slot, where the batch is contiguous. Proofs do not wait in shared memory: a worker cannot change a
 *    proof that it does not hold, and the size of shared memory does not limit the queue.
 * 2. From the slot to private memory of the worker, once per batch: shared bytes are read once.
 *
 * Allocations: one object per proof; `verify` adds a promise and its receiver. Verdicts and refusals are
 * frozen and shared; the time is read once per turn of the event loop; a signal has no listener and is
 * checked when its proof is taken; histograms count the proofs of one turn together. A batch costs a wake-up
 * if a worker sleeps. The workers send one message for all batches that ended since the last poll of the
 * main thread.
 */
export class Dispatcher {
  readonly stats: DispatchStats;
  readonly #queue: FairQueue;
  readonly #slots: BatchSlots;
  readonly #executor: Executor;
  readonly #log: (event: EngineEvent) => void;
  #published: PublishedBatch[] = [];
  /** Batches that run again, or found no free slot. */
  readonly #pending: PendingBatch[] = [];
  /** Running tasks that serve the slots. */
  #serving = 0;
  #planned: 'soon' | 'turn' | undefined;
  /** Proofs added since the last poll. */
  #unpolled = 0;
  #nowMs = 0;
  #dueTimer: NodeJS.Timeout | undefined;
  #whenDrained: (() => void) | undefined;
  /** Whether another dispatcher takes the waiting items. */
  #isRetired = false;
  #failure: string | undefined;

  /** @param former - Dispatcher whose queue and counters this one shares; the caller retires it. */
  constructor(
    executor: Executor,
    limits: QueueLimits,
    log: (event: EngineEvent) => void,
    former?: Dispatcher,
  ) {
    this.#executor = executor;
    this.#slots = executor.slots;
    this.#queue = former === undefined ? new FairQueue(limits) : former.#queue;
    this.stats = former?.stats ?? new DispatchStats();
    this.#log = log;
    executor.listen({
      ready: () => this.#pump(),
      answered: () => this.#pump(),
      ended: (threadId) => this.#threadEnded(threadId),
      failed: (reason) => {
        this.#failure = reason;
        this.#pump();
      },
    });
  }

  /** Reason why no thread can work any more; undefined while threads can. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Number of waiting proofs and calls. */
  get depth(): number {
    return this.#queue.depth;
  }

  /** Whether `count` more proofs of this source may wait. */
  hasRoomFor(count: number, source?: ProofSource): boolean {
    return this.#queue.hasRoomFor(count, source, this.#now());
  }

  /** Queues a proof; proofs added in one turn of the event loop are batched together. */
  addProof(
    key: ProofKey,
    statement: Uint8Array,
    options: VerifyOptions,
    receiver: VerdictReceiver,
    index: number,
  ): void {
    this.#queue.addProof(key, statement, options, receiver, index, this.#now());
    if (++this.#unpolled === MAX_UNPOLLED) this.#pollSoon();
  }

  /** Queues a call. */
  addCall(operation: CallOperation, item: CallItem): void {
    this.#queue.addCall(operation, item);
    this.#now();
  }

  /** Stops delaying batches to fill them; resolves when nothing waits or runs. */
  async drain(): Promise<void> {
    const drained = new Promise<void>((resolve) => {
      this.#whenDrained = resolve;
    });
    // Not synchronously: the caller may be a receiver that `#collect` has called.
    this.#pollSoon();
    await drained;
  }

  /** Stops taking items from the queue, which a newer dispatcher shares; resolves when no item runs here. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    await this.drain();
  }

  /**
   * Returns the time, read once between two polls, and schedules the next poll: if every worker has its next batch,
   * after `MAX_UNPOLLED` new proofs or at the end of the turn of the event loop, in which many requests may arrive;
   * otherwise as soon as the caller has added all its items.
   */
  #now(): number {
    if (this.#planned !== undefined) return this.#nowMs;
    this.#nowMs = performance.now();
    const { readyProofs, idle } = this.#census();
    if (readyProofs < Math.max(1, idle)) this.#pollSoon();
    else {
      this.#planned = 'turn';
      setImmediate(this.#look);
    }
    return this.#nowMs;
  }

  #pollSoon(): void {
    if (this.#planned === 'soon') return;
    this.#planned = 'soon';
    queueMicrotask(this.#look);
  }

  readonly #look = (): void => {
    // A microtask may have run before the immediate.
    if (this.#planned === undefined) return;
    this.#planned = undefined;
    this.#pump();
  };

  /** Polls all slots: answers batches that have ended, publishes batches that are due, and starts idle workers. */
  #pump(): void {
    this.#unpolled = 0;
    const nowMs = performance.now();
    this.#slots.expectNotice();
    this.#collect(nowMs);
    if (this.#failure !== undefined) this.#refuseAll('engine.worker_failed');
    const published = this.#publishDue(nowMs);
    if (published > 0) this.#slots.announce(published);
    const needed = Math.min(this.#published.length, this.#executor.readyCount);
    while (this.#serving < needed) void this.#serve();
    const waiting = this.#isRetired ? 0 : this.#queue.depth;
    if (waiting + this.#published.length + this.#pending.length === 0) this.#whenDrained?.();
  }

  async #serve(): Promise<void> {
    this.#serving += 1;
    const hasEndedWell = await this.#executor.serve();
    this.#serving -= 1;
    if (hasEndedWell) this.#pump();
    // Retried in a later turn of the event loop, when the pool may have replaced the thread.
    else setImmediate(() => this.#pump());
  }

  /** Counts the batches that are ready, and the workers that have taken none. */
  #census(): { readonly readyProofs: number; readonly readyCalls: number; readonly idle: number } {
    let [readyProofs, readyCalls, taken] = [0, 0, 0];
    for (const { batch, slot } of this.#published) {
      const { state } = slot;
      if (state === 'taken') taken += 1;
      else if (state === 'ready' && batch.kind === 'proofs') readyProofs += 1;
      else if (state === 'ready') readyCalls += 1;
    }
    return { readyProofs, readyCalls, idle: Math.max(0, this.#executor.readyCount - taken) };
  }

  /** Publishes the batches of calls and proofs that are due; returns the number of slots to announce. */
  #publishDue(nowMs: number): number {
    const { readyProofs, readyCalls, idle } = this.#census();
    const extended = readyCalls > 0 ? this.#extendCalls() : 0;
    const calls = this.#publishCalls(readyCalls, idle);
    const forProofs = Math.max(0, idle - readyCalls - calls);
    return extended + calls + this.#publishProofs(readyProofs, forProofs, nowMs);
  }

  /** Publishes a batch of calls for each idle worker, or one ahead if no worker is idle; returns their number. */
  #publishCalls(before: number, idle: number): number {
    const limit = Math.max(1, idle);
    let ready = before;
    while (ready < limit) {
      const pending = this.#takePending('calls') ?? this.#nextCalls();
      if (!pending || !this.#publish(pending)) break;
      ready += 1;
    }
    return ready - before;
  }

  /** Publishes a batch of proofs for each idle worker, and one ahead for every worker; returns their number. */
  #publishProofs(before: number, idle: number, nowMs: number): number {
    const threads = this.#executor.readyCount;
    const isDraining = this.#whenDrained !== undefined;
    let ready = before;
    const fill = (limit: number): void => {
      for (; ready < limit; ready += 1) {
        const state = { nowMs, threads, idle: idle - ready, isDraining };
        const pending = this.#takePending('proofs') ?? this.#nextProofs(state);
        if (!pending || !this.#publish(pending)) return;
      }
    };
    fill(idle);
    this.#extendProofs(nowMs);
    fill(idle + threads);
    clearTimeout(this.#dueTimer);
    this.#dueTimer = undefined;
    if (ready < idle + threads) this.#planDue({ nowMs, threads, idle: 0, isDraining });
    return ready - before;
  }

  /** Adds new proofs to batches of their queue that no worker has begun. */
  #extendProofs(nowMs: number): void {
    if (this.#isRetired) return;
    for (const { batch, slot, isRetry } of this.#published) {
      if (batch.kind !== 'proofs' || isRetry) continue;
      const { queue, items } = batch;
      const [count, room] = [items.length, queue.key.maxBatch - items.length];
      if (queue.waiting.size === 0 || room <= 0 || slot.state !== 'ready') continue;
      const more = this.#queue.takeMore(queue, room, nowMs);
      if (more.length === 0) continue;
      for (const [index, { statement }] of more.entries()) slot.putProof(count + index, statement);
      this.stats.running += more.length;
      if (slot.extend(count, count + more.length)) items.push(...more);
      else this.#pending.push({ batch: { ...batch, items: more, expectedMs: 0 }, losses: 0, isRetry: false });
    }
  }

  /** Adds new calls to batches of their queue that no worker has begun; returns the number of extended batches. */
  #extendCalls(): number {
    let extended = 0;
    if (this.#isRetired) return extended;
    for (const { batch, slot, isRetry } of this.#published) {
      if (batch.kind !== 'calls' || isRetry || slot.state !== 'ready') continue;
      const count = batch.items.length;
      const more = this.#queue.takeMoreCalls(batch, this.#slots.callBatchBytes);
      if (more.length === 0) continue;
      this.stats.running += more.length;
      // Results overwrite the calls in a slot, so no worker may take it while calls are added.
      if (slot.withdraw(count)) {
        for (const [index, { bytes }] of more.entries()) slot.putCall(count + index, bytes);
        batch.items.push(...more);
        slot.publish(batch.items.length);
        extended += 1;
      } else this.#pending.push({ batch: { ...batch, items: more }, losses: 0, isRetry: false });
    }
    return extended;
  }

  #takePending(kind: Batch['kind']): PendingBatch | undefined {
    const index = this.#pending.findIndex(({ batch }) => batch.kind === kind);
    return index < 0 ? undefined : this.#pending.splice(index, 1)[0];
  }

  #nextProofs(state: EngineState): PendingBatch | undefined {
    return this.#isRetired ? undefined : this.#taken(this.#queue.takeProofs(state));
  }

  #nextCalls(): PendingBatch | undefined {
    return this.#isRetired ? undefined : this.#taken(this.#queue.takeCalls(this.#slots.callBatchBytes));
  }

  #taken(batch: Batch | undefined): PendingBatch | undefined {
    if (!batch) return undefined;
    this.stats.running += batch.items.length;
    return { batch, losses: 0, isRetry: false };
  }

  /** Publishes a batch in a slot. If no slot is free, returns false and retries the batch first next time. */
  #publish(pending: PendingBatch): boolean {
    const { batch } = pending;
    const slot = batch.kind === 'proofs' ? this.#fillProofs(batch) : this.#fillCalls(batch);
    if (!slot) {
      this.#pending.unshift(pending);
      return false;
    }
    slot.publish(batch.items.length);
    this.#published.push({ ...pending, slot });
    return true;
  }

  #fillProofs({ queue: { key }, items, separately }: ProofBatch): Slot | undefined {
    const slot = this.#slots.acquireForProofs(key.reference, key.inputCount, separately);
    if (slot) for (const [index, { statement }] of items.entries()) slot.putProof(index, statement);
    return slot;
  }

  #fillCalls({ queue, items }: CallBatch): Slot | undefined {
    const slot = this.#slots.acquireForCalls(queue.operation);
    if (slot) for (const [index, { bytes }] of items.entries()) slot.putCall(index, bytes);
    return slot;
  }

  /** Answers the items of all batches that have ended. */
  #collect(nowMs: number): void {
    const hasEnded = ({ slot: { state } }: PublishedBatch): boolean => state === 'done' || state === 'faulty';
    const ended = this.#published.filter(hasEnded);
    if (ended.length === 0) return;
    this.#published = this.#published.filter((one) => !ended.includes(one));
    for (const one of ended) {
      if (one.slot.state === 'done') this.#settle(one, nowMs);
      else this.#lose(one, one.slot.fault, nowMs);
    }
  }

  #threadEnded(threadId: number): void {
    const published = this.#published;
    this.#published = [];
    for (const one of published) {
      if (one.slot.holder === threadId) this.#lose(one, 'the thread ended', performance.now());
      else this.#published.push(one);
    }
    this.#pump();
  }

  #settle(one: PublishedBatch, nowMs: number): void {
    const { batch, slot } = one;
    const unanswered: Batch =
      batch.kind === 'proofs'
        ? { ...batch, expectedMs: 0, items: this.#settleProofs(batch, slot, nowMs) }
        : { ...batch, items: this.#settleCalls(batch, slot) };
    this.#slots.release(slot);
    const left = unanswered.items.length;
    this.stats.running -= batch.items.length - left;
    if (left > 0) this.#retry({ ...one, batch: unanswered }, 'no answer', nowMs);
  }

  /** Answers the proofs of a batch that is done; returns the proofs without a verdict. */
  #settleProofs(batch: ProofBatch, slot: Slot, nowMs: number): ProofBatch['items'] {
    const { items } = batch;
    const { runMs } = slot;
    const verdicts = items.map((_, index) => verdictOfByte(slot.verdictByte(index)));
    const bad = this.#queue.finished(batch, verdicts, runMs, nowMs);
    this.stats.ranBatch(items, runMs, nowMs);
    if (bad > 0 && !batch.separately && items.length > 1) this.stats.brokenBatches += 1;
    const unanswered = items.filter((item, index) => {
      const verdict = verdicts[index];
      if (verdict) item.receiver.verdict(item.index, verdict);
      return !verdict;
    });
    this.stats.verified += items.length - unanswered.length;
    return unanswered;
  }

  /** Answers the calls of a batch that is done; returns the calls without a result. */
  #settleCalls({ queue, items }: CallBatch, slot: Slot): CallBatch['items'] {
    const results = slot.callResults(items.length);
    return items.filter(({ resolve, reject }, index) => {
      const result = results[index];
      if (result?.ok) resolve(result.bytes);
      else if (result) reject(refusedCall(queue.operation.call, result.code, result.detail));
      return !result;
    });
  }

  #lose(one: PublishedBatch, reason: string, nowMs: number): void {
    this.#slots.release(one.slot);
    if (one.batch.kind === 'proofs') this.#queue.lost(one.batch, nowMs);
    this.#retry(one, reason, nowMs);
  }

  #retry({ batch, losses }: PendingBatch, reason: string, nowMs: number): void {
    const queue = batch.queue.name;
    this.#log({ event: 'engine.batch_lost', queue, items: batch.items.length, reason });
    const retries = retriesOf(batch, losses);
    this.#pending.push(...retries);
    if (retries.length > 0) return;
    this.stats.poisoned += 1;
    this.#log({ event: 'engine.poisoned', queue });
    if (batch.kind === 'proofs') this.#queue.poisoned(batch, nowMs);
    this.#refuse(batch, 'engine.poison', nowMs);
  }

  /** Refuses all items that no worker has taken. */
  #refuseAll(code: WorkRefusal): void {
    const nowMs = performance.now();
    if (!this.#isRetired) for (const item of this.#queue.takeAllProofs()) refuseProof(item, code);
    for (let calls = this.#nextCalls(); calls; calls = this.#nextCalls()) this.#pending.push(calls);
    for (const { batch } of this.#pending.splice(0)) this.#refuse(batch, code, nowMs);
    const published = this.#published;
    this.#published = [];
    for (const one of published) {
      if (!one.slot.withdraw(one.batch.items.length)) this.#published.push(one);
      else {
        this.#slots.release(one.slot);
        this.#refuse(one.batch, code, nowMs);
      }
    }
  }

  #refuse(batch: Batch, code: WorkRefusal, nowMs: number): void {
    refuseBatch(batch, code);
    this.stats.running -= batch.items.length;
    if (batch.kind === 'calls') return;
    this.stats.verified += batch.items.length;
    this.#queue.ended(batch.queue, batch.items.length, nowMs);
  }

  #planDue(state: EngineState): void {
    if (this.#isRetired || this.#queue.depth === 0) return;
    const waitMs = this.#queue.nextDueAtMs(state) - state.nowMs;
    if (waitMs <= 0 || !Number.isFinite(waitMs)) return;
    this.#dueTimer = setTimeout(() => this.#pump(), Math.max(1, waitMs));
  }
}

function retriesOf(batch: Batch, losses: number): PendingBatch[] {
  if (batch.kind === 'calls') {
    return retriesAfterLoss(batch.items, losses).map(({ items, losses }) => ({
      batch: { ...batch, items },
      losses,
      isRetry: true,
    }));
  }
  return retriesAfterLoss(batch.items, losses).map(({ items, losses }) => ({
    batch: { ...batch, items, expectedMs: 0 },
    losses,
    isRetry: true,
  }));
}
