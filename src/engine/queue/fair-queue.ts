import { breaksBatch, VALID } from '../encoding.ts';
import type { ProofSource, Verdict, VerdictReceiver, VerifyOptions } from '../engine.ts';
import type { CallOperation } from '../operation.ts';
import { CallTurns } from './call-turns.ts';
import { FairShareCredit, UnsuspectedLoad } from './fair-share-credit.ts';
import { SharedWindow, type SuspectedSource, SuspectedSources } from './suspected-sources.ts';
import {
  type CallBatch,
  type CallItem,
  type ProofBatch,
  type ProofItem,
  type ProofKey,
  type ProofQueue,
  QueueGroup,
  refuseProof,
} from './work-queues.ts';

/** Limits of the queue. */
export interface QueueLimits {
  /** Maximum number of waiting proofs and calls, over all queues. */
  readonly maxQueue: number;
  readonly maxBatch: number;
  /** Time for which an incomplete batch of proofs waits for more; 0: none. */
  readonly maxBatchDelayMs: number;
}

/** State of the engine when a batch is requested. */
export interface EngineState {
  /** On the clock of `queuedAtMs`. */
  readonly nowMs: number;
  /** Threads that are ready for work. */
  readonly threads: number;
  /** Idle ones among them; the waiting proofs of a queue are divided among these. */
  readonly idle: number;
  /** Whether batches are no longer delayed to fill them. */
  readonly isDraining: boolean;
}

// One suspected source may occupy 1/4 of the queue; one large request always fits.
const SUSPECT_QUEUE_DIVISOR = 4;
const LARGE_REQUEST = 64;
const OVERFLOW_BATCH = 64;
/** All suspected sources together may occupy 1/3 of the queue, and the overflow another third. */
const COMMON_QUEUE_DIVISOR = 3;
const SWEEP_AFTER_MS = 100;

/**
 * Waiting proofs and calls, with an account of every proof in flight.
 *
 * A proof waits in one of three places, each with a queue per verifying key; queues take turns, so that a busy key
 * delays another by at most one batch:
 *
 * - shared: proofs of all sources that are not suspected.
 * - overflow: while some source is suspected, proofs in excess of `SharedWindow`; its batches are shorter.
 * - the group of one suspected source, limited by its `FairShareCredit`, in turn with the two others.
 *
 * Life of a proof: `addProof` → waiting → taken (`takeProofs`, `takeMore`) → answered (`finished`, `ended`). A waiting
 * proof whose source becomes suspected moves to the queue of its source; one whose signal is aborted is refused and
 * removed. A proof counts as in flight, for its source, from `addProof` until it is answered or refused.
 */
export class FairQueue {
  readonly #limits: QueueLimits;
  readonly #calls = new CallTurns();
  readonly #sources = new SuspectedSources();
  readonly #unsuspected = new UnsuspectedLoad();
  readonly #shared = new QueueGroup();
  readonly #overflow = new QueueGroup();
  readonly #window = new SharedWindow();
  readonly #groups = new WeakMap<SuspectedSource, QueueGroup>();
  /** Groups of suspected sources with waiting proofs, the next in turn first. */
  readonly #suspected = new Set<QueueGroup>();
  /** Suspected sources with proofs in flight. */
  #suspectsInFlight = 0;
  /** Waiting proofs of all suspected sources. */
  #suspectedWaiting = 0;
  /** Index of the place to try first for the next batch. */
  #turn = 0;
  #proofDepth = 0;
  #addedSinceSweep = 0;
  #sweptAtMs = Number.NEGATIVE_INFINITY;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** Number of waiting proofs and calls. */
  get depth(): number {
    return this.#proofDepth + this.#calls.depth;
  }

  /** Whether `count` more proofs of this source may wait. */
  hasRoomFor(count: number, source: ProofSource | undefined, nowMs: number): boolean {
    const { maxQueue } = this.#limits;
    const suspect = this.#sources.find(source, nowMs);
    if (suspect && !this.#hasRoomForSuspect(suspect, count)) return false;
    const { waiting } = this.#overflow;
    const isOverflowFull = waiting > 0 && waiting + count > this.#queueShare(COMMON_QUEUE_DIVISOR);
    if (!suspect && isOverflowFull && this.#overflows(source, count, nowMs)) return false;
    if (this.depth + count <= maxQueue) return true;
    this.#removeCancelled(nowMs);
    return this.depth + count <= maxQueue;
  }

  /** Adds a proof to the queue of its key and source. */
  addProof(
    key: ProofKey,
    statement: Uint8Array,
    { source, signal }: VerifyOptions,
    receiver: VerdictReceiver,
    index: number,
    nowMs: number,
  ): void {
    const queue = this.#queueFor(key, source, nowMs);
    this.#addedSinceSweep += 1;
    this.#arrived(queue, nowMs);
    this.#push({ queue, queuedAtMs: nowMs, statement, source, signal, receiver, index });
  }

  /** Adds a call to the queue of its operation. */
  addCall(operation: CallOperation, item: CallItem): void {
    this.#calls.add(operation, item);
  }

  /** Takes the batch of proofs that is next in turn, if one is due. */
  takeProofs(state: EngineState): ProofBatch | undefined {
    if (this.#suspected.size === 0 && this.#overflow.waiting === 0) return this.#takeShared(state);
    const places = [
      () => this.#takeShared(state),
      () => this.#takeDue(this.#overflow, OVERFLOW_BATCH, state),
      () => this.#takeSuspected(state),
    ] as const;
    for (let tried = 0; tried < places.length; tried += 1) {
      const batch = places[(this.#turn + tried) % places.length]?.();
      if (!batch) continue;
      this.#turn = (this.#turn + tried + 1) % places.length;
      return batch;
    }
    return undefined;
  }

  /** Takes up to `room` more proofs for a batch of this queue that no worker has begun. */
  takeMore(queue: ProofQueue, room: number, nowMs: number): ProofItem[] {
    const items = queue.group === this.#shared ? this.#takeItems(queue, room, nowMs) : [];
    if (queue.waiting.size === 0) queue.group.turns.delete(queue);
    return items;
  }

  /** Takes the batch of calls that is next in turn, if any call is waiting; `maxBytes` as for `CallTurns.take`. */
  takeCalls(maxBytes: number): CallBatch | undefined {
    return this.#calls.take(this.#limits.maxBatch, maxBytes);
  }

  /** Takes more calls for a batch that no worker has begun, within its space; `maxBytes` as for `CallTurns.take`. */
  takeMoreCalls(batch: CallBatch, maxBytes: number): CallItem[] {
    return this.#calls.takeMore(batch, this.#limits.maxBatch, maxBytes);
  }

  /** Takes all waiting proofs, for refusal. */
  takeAllProofs(): ProofItem[] {
    const items: ProofItem[] = [];
    for (const group of [this.#shared, this.#overflow, ...this.#suspected]) {
      for (const { waiting } of group.turns) {
        for (let item = waiting.shift(); item; item = waiting.shift()) items.push(item);
      }
      group.turns.clear();
      group.waiting = 0;
    }
    this.#suspected.clear();
    this.#suspectedWaiting = 0;
    this.#proofDepth = 0;
    return items;
  }

  /**
   * Accounts for a batch that a worker has finished: its run time, and the verdicts for each source. Must be called
   * before the proofs are answered.
   *
   * @param verdicts - One for each item; undefined if the worker left none and the proof is not answered yet.
   * @returns The number of bad proofs: those that break a combined batch.
   */
  finished(
    batch: ProofBatch,
    verdicts: readonly (Verdict | undefined)[],
    runMs: number,
    nowMs: number,
  ): number {
    const { queue, items, expectedMs } = batch;
    const { credit, suspect } = queue.group;
    credit?.ranBatch(items.length, expectedMs, runMs, nowMs);
    let [bad, answered] = [0, 0];
    for (const [index, { source }] of items.entries()) {
      const verdict = verdicts[index];
      if (!verdict) continue;
      answered += 1;
      if (verdict === VALID) {
        if (suspect) this.#sources.recordValid(suspect);
      } else if (breaksBatch(verdict)) {
        bad += 1;
        if (source) this.#sources.recordBad(source, nowMs);
      }
    }
    credit?.recordBad(bad, items.length);
    this.ended(queue, answered, nowMs);
    return bad;
  }

  /** Accounts for a batch that was lost with its worker. Its proofs have no answer yet. */
  lost({ queue, items, expectedMs }: ProofBatch, nowMs: number): void {
    queue.group.credit?.ranBatch(items.length, expectedMs, expectedMs, nowMs);
  }

  /** Accounts for proofs that ended workers: each counts as a bad proof of its source. */
  poisoned({ items }: ProofBatch, nowMs: number): void {
    for (const { source } of items) if (source) this.#sources.recordBad(source, nowMs);
  }

  /** Accounts for proofs of this queue that were taken and are now answered or refused. */
  ended({ group: { credit } }: ProofQueue, count: number, nowMs: number): void {
    (credit ?? this.#unsuspected).inFlight -= count;
    if (!credit) this.#unsuspected.seen(nowMs);
    else if (credit.inFlight === 0 && count > 0) this.#suspectsInFlight -= 1;
  }

  /**
   * Returns the time at which the next batch of proofs is due; Infinity if none is waiting, in the past if it is due
   * already.
   */
  nextDueAtMs({ nowMs, threads }: EngineState): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { credit } of this.#suspected) {
      next = Math.min(next, credit?.dueAtMs(nowMs, threads, this.#suspectsInFlight) ?? next);
    }
    for (const queue of [...this.#shared.turns, ...this.#overflow.turns]) {
      next = Math.min(next, this.#dueAtMs(queue));
      if (next <= nowMs) break;
    }
    return next;
  }

  /** Returns the queue in which a proof must wait. */
  #queueFor(key: ProofKey, source: ProofSource | undefined, nowMs: number): ProofQueue {
    const suspect = this.#sources.find(source, nowMs);
    if (suspect) return this.#groupOf(suspect, nowMs).queueOf(key);
    if (this.#overflows(source, 1, nowMs)) return this.#overflow.queueOf(key);
    if (source && this.#sources.hasAny(nowMs)) this.#window.add(source);
    return this.#shared.queueOf(key);
  }

  #takeShared(state: EngineState): ProofBatch | undefined {
    const batch = this.#takeDue(this.#shared, Number.POSITIVE_INFINITY, state);
    // Proofs also leave the shared queues by joining a ready batch or by cancellation.
    if (batch !== undefined || this.#shared.waiting === 0) this.#window.reset();
    return batch;
  }

  #takeDue(group: QueueGroup, limit: number, state: EngineState): ProofBatch | undefined {
    for (const queue of group.turns) {
      if (!state.isDraining && this.#dueAtMs(queue) > state.nowMs) continue;
      const items = this.#takePart(queue, Math.min(limit, queue.key.maxBatch), state);
      if (items.length === 0) continue;
      this.#unsuspected.tookBatch(state.nowMs);
      return { kind: 'proofs', queue, items, expectedMs: 0, separately: false };
    }
    return undefined;
  }

  #takeSuspected(state: EngineState): ProofBatch | undefined {
    const { nowMs, threads, isDraining } = state;
    for (const group of this.#suspected) {
      const { credit } = group;
      if (!credit) continue;
      if (!isDraining && credit.dueAtMs(nowMs, threads, this.#suspectsInFlight) > nowMs) continue;
      this.#suspected.delete(group);
      this.#suspected.add(group);
      for (const queue of group.turns) {
        const limit = Math.min(queue.key.maxBatch, credit.batchSize(nowMs));
        const items = this.#takePart(queue, limit, state);
        if (items.length === 0) continue;
        const expectedMs = credit.tookBatch(items.length);
        return { kind: 'proofs', queue, items, expectedMs, separately: credit.expectsBad };
      }
    }
    return undefined;
  }

  #takePart(queue: ProofQueue, limit: number, { idle, nowMs }: EngineState): ProofItem[] {
    const { turns } = queue.group;
    const part = Math.ceil(queue.waiting.size / Math.max(1, idle));
    const items = this.#takeItems(queue, Math.min(part, limit), nowMs);
    turns.delete(queue);
    if (queue.waiting.size > 0) turns.add(queue);
    return items;
  }

  /**
   * Takes items that may run. Cancelled proofs are refused; items of a newly suspected source move to its
   * queue.
   */
  #takeItems(queue: ProofQueue, limit: number, nowMs: number): ProofItem[] {
    const items: ProofItem[] = [];
    const { group } = queue;
    while (items.length < limit) {
      const item = queue.waiting.shift();
      if (!item) break;
      this.#left(group);
      const suspect = group.suspect ?? this.#sources.find(item.source, nowMs);
      if (item.signal?.aborted) this.#cancel(item, nowMs);
      else if (suspect === group.suspect) items.push(item);
      else this.#move(item, suspect, nowMs);
    }
    return items;
  }

  #move(item: ProofItem, suspect: SuspectedSource | undefined, nowMs: number): void {
    const queue = this.#groupOf(suspect, nowMs).queueOf(item.queue.key);
    this.ended(item.queue, 1, nowMs);
    this.#arrived(queue, nowMs);
    item.queue = queue;
    this.#push(item);
  }

  #push(item: ProofItem): void {
    const { queue } = item;
    queue.waiting.push(item);
    queue.group.turns.add(queue);
    queue.group.waiting += 1;
    this.#proofDepth += 1;
    if (!queue.group.suspect) return;
    this.#suspected.add(queue.group);
    this.#suspectedWaiting += 1;
  }

  #left(group: QueueGroup): void {
    group.waiting -= 1;
    this.#proofDepth -= 1;
    if (!group.suspect) return;
    this.#suspectedWaiting -= 1;
    if (group.waiting === 0) this.#suspected.delete(group);
  }

  #arrived({ group: { credit } }: ProofQueue, nowMs: number): void {
    if (!credit) this.#unsuspected.seen(nowMs);
    else if (credit.inFlight === 0) this.#suspectsInFlight += 1;
    (credit ?? this.#unsuspected).inFlight += 1;
  }

  #groupOf(suspect: SuspectedSource | undefined, nowMs: number): QueueGroup {
    if (!suspect) return this.#shared;
    let group = this.#groups.get(suspect);
    if (!group) {
      group = new QueueGroup(suspect, new FairShareCredit(this.#unsuspected, nowMs));
      this.#groups.set(suspect, group);
    }
    return group;
  }

  #hasRoomForSuspect(suspect: SuspectedSource, count: number): boolean {
    const waiting = this.#groups.get(suspect)?.waiting ?? 0;
    if (waiting + count > this.#queueShare(SUSPECT_QUEUE_DIVISOR)) return false;
    return this.#suspectedWaiting + count <= this.#queueShare(COMMON_QUEUE_DIVISOR);
  }

  /** Returns the size of a part of the queue, in proofs; at least one large request. */
  #queueShare(part: number): number {
    const { maxQueue } = this.#limits;
    return Math.max(maxQueue / part, Math.min(maxQueue, LARGE_REQUEST));
  }

  /** Whether any of `count` proofs of an unsuspected source must wait in the overflow. */
  #overflows(source: ProofSource | undefined, count: number, nowMs: number): boolean {
    return source !== undefined && this.#sources.hasAny(nowMs) && this.#window.isExceededBy(source, count);
  }

  /**
   * The caller is notified after this turn: it may add proofs while this queue is being read or its space was just
   * promised.
   */
  #cancel(item: ProofItem, nowMs: number): void {
    this.ended(item.queue, 1, nowMs);
    queueMicrotask(() => refuseProof(item, 'engine.cancelled'));
  }

  /** Removes all cancelled proofs. Amortized: runs at most once per maxQueue/4 additions, or per 100 ms. */
  #removeCancelled(nowMs: number): void {
    const isDue = this.#addedSinceSweep >= this.#limits.maxQueue / SUSPECT_QUEUE_DIVISOR;
    if (!isDue && nowMs - this.#sweptAtMs < SWEEP_AFTER_MS) return;
    this.#addedSinceSweep = 0;
    this.#sweptAtMs = nowMs;
    for (const group of [this.#shared, this.#overflow, ...this.#suspected]) {
      for (const queue of group.turns) {
        queue.waiting.keep((item) => {
          if (!item.signal?.aborted) return true;
          this.#left(group);
          this.#cancel(item, nowMs);
          return false;
        });
        if (queue.waiting.size === 0) group.turns.delete(queue);
      }
    }
  }

  #dueAtMs(queue: ProofQueue): number {
    const { maxBatchDelayMs } = this.#limits;
    if (maxBatchDelayMs <= 0 || queue.waiting.size >= queue.key.maxBatch) return Number.NEGATIVE_INFINITY;
    return (queue.waiting.first?.queuedAtMs ?? Number.POSITIVE_INFINITY) + maxBatchDelayMs;
  }
}
