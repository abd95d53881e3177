import type { ProofSource, VerdictReceiver, VerifyOptions } from '../engine.ts';
import type { EngineEvent, Executor } from '../pool/executor.ts';
import { type Moment, ProofQueue, type QueueLimits } from '../queue/fair-queue.ts';
import type { Row } from '../statement.ts';
import type { CallItem } from './call-lane.ts';
import { CallRuns } from './call-runs.ts';
import { DispatchStats } from './dispatch-stats.ts';
import type { KeyOfProofs } from './proof-lane.ts';
import { ProofRuns } from './proof-runs.ts';

/** So many proofs join the batches before the end of the turn: a look costs a microsecond, a small batch more. */
const MOST_UNSEEN = 16;
const RESOLVED = Promise.resolve();

/**
 * Takes proofs and calls from their queues to the threads.
 *
 * A thread that has nothing to do gets one task: to drain the board. It takes tray after tray from then on, and comes
 * back when nothing was laid out for a moment. The main thread lays out ahead as many batches as there are threads, and
 * proofs that come join a batch that no thread has begun: a thread that ends a batch finds the next one at once, and in
 * it all that waits by then. Calls are tasks of their own; where they wait and every thread drains, one is called back.
 *
 * What a proof costs between `verifyStatement` and its answer. Copies of its bytes, which it leaves to the engine until
 * then (`verify`, whose caller may change them, makes one copy more):
 *
 * 1. To a tray, where the batch then lies in one piece. Proofs do not wait in shared memory: whatever a thread does, it
 *    cannot touch one that it does not hold, and how much may wait is not bound to memory that threads know.
 * 2. Tray to private memory of the thread, in one piece for the batch: shared bytes are read once.
 *
 * Allocations: one object for the proof; `verify` makes a promise and what settles it. Verdicts and refusals are
 * frozen and shared, the time is read once in a turn of the event loop, a signal is looked at when the turn of its
 * proof comes and has no listener, histograms take proofs of one turn at once. A batch costs a wake-up, if a thread
 * sleeps, and one message from the threads, however many batches ended since the last.
 */
export class Dispatcher {
  readonly stats: DispatchStats = new DispatchStats();
  readonly #queue: ProofQueue;
  readonly #proofs: ProofRuns;
  readonly #calls: CallRuns;
  readonly #executor: Executor;
  #drains = 0;
  #wasCallLast = false;
  #planned: 'soon' | 'turn' | undefined;
  readonly #look = (): void => this.#runPlanned();
  /** Proofs that came since what waits was looked at. */
  #unseen = 0;
  #nowMs = 0;
  #ripeTimer: NodeJS.Timeout | undefined;
  #whenDrained: (() => void) | undefined;
  #failure: string | undefined;

  constructor(executor: Executor, limits: QueueLimits, log: (event: EngineEvent) => void) {
    this.#executor = executor;
    this.#queue = new ProofQueue(limits);
    this.#proofs = new ProofRuns(executor.board, this.#queue, this.stats, log);
    this.#calls = new CallRuns(executor, limits.maxBatch, this.stats, log, () => this.#pump());
    executor.listen({
      ready: () => this.#pump(),
      answered: () => this.#pump(),
      ended: (threadId) => {
        this.#proofs.threadEnded(threadId, performance.now());
        this.#pump();
      },
      failed: (reason) => this.#fail(reason),
    });
  }

  /** Why no thread can work any more, or undefined while threads can. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Proofs and calls that wait. */
  get depth(): number {
    return this.#queue.depth + this.#calls.depth;
  }

  /** Whether `count` more may wait. */
  hasRoomFor(count: number, source?: ProofSource): boolean {
    return this.#queue.hasRoomFor(count, this.#calls.depth, source, this.#now());
  }

  /** Queues a proof; what is added in one turn of the event loop is batched together. */
  addProof(
    key: KeyOfProofs,
    row: Row,
    { source, signal }: VerifyOptions,
    receiver: VerdictReceiver,
    index: number,
  ): void {
    const queuedAtMs = this.#now();
    const lane = this.#queue.laneOf(key, source, queuedAtMs);
    this.#queue.add({ lane, queuedAtMs, row, source, signal, receiver, index });
    if (++this.#unseen === MOST_UNSEEN) this.#lookSoon();
  }

  addCall(item: CallItem): void {
    this.#calls.add(item);
    this.#now();
  }

  /** Resolves when nothing waits or runs; from now on no batch waits for company. */
  async drain(): Promise<void> {
    const drained = new Promise<void>((resolve) => {
      this.#whenDrained = resolve;
    });
    this.#pump();
    await drained;
  }

  /**
   * The time, read once between two looks at what waits; after this there is something to look at. Where every thread
   * has its next batch, that is when `MOST_UNSEEN` proofs came or the turn of the event loop ends, in which many requests
   * may come; else as soon as this request, or whatever calls, has handed in all.
   */
  #now(): number {
    if (this.#planned !== undefined) return this.#nowMs;
    this.#nowMs = performance.now();
    if (this.#proofs.open < Math.max(1, this.#idle)) this.#lookSoon();
    else {
      this.#planned = 'turn';
      setImmediate(this.#look);
    }
    return this.#nowMs;
  }

  #lookSoon(): void {
    if (this.#planned === 'soon') return;
    this.#planned = 'soon';
    // as `queueMicrotask`, without the context that Node keeps for it
    void RESOLVED.then(this.#look);
  }

  #runPlanned(): void {
    // an immediate may find that a microtask was there before
    if (this.#planned === undefined) return;
    this.#planned = undefined;
    this.#pump();
  }

  #pump(): void {
    this.#unseen = 0;
    const nowMs = performance.now();
    const { board } = this.#executor;
    board.listen();
    this.#proofs.collect(nowMs);
    if (this.#failure !== undefined) this.#refuseAll();
    const laidOut = this.#layOut(nowMs);
    if (laidOut > 0) board.announce(laidOut);
    // Threads that drain and hold no tray take one each.
    this.#start(this.#proofs.open - (this.#drains - this.#proofs.taken));
    if (!this.#calls.isWaiting) board.uncall();
    else if (this.#drains > 0) {
      // Threads that drain and have nothing to take come back at once.
      this.#calls.prepare(this.#drains - this.#proofs.taken - this.#proofs.open);
      board.call();
    }
    if (this.#queue.depth + this.#proofs.count === 0 && this.#calls.isEmpty) this.#whenDrained?.();
  }

  /** Lays out a batch for each thread that has none, and one ahead for every thread. Gives their number. */
  #layOut(nowMs: number): number {
    const threads = this.#executor.readyCount;
    const isDraining = this.#whenDrained !== undefined;
    const idle = this.#idle;
    const before = this.#proofs.open;
    let open = before;
    const fill = (most: number): void => {
      while (open < most && this.#proofs.layOut({ nowMs, threads, idle: idle - open, isDraining })) open += 1;
    };
    fill(idle);
    this.#proofs.extend(nowMs);
    fill(idle + threads);
    clearTimeout(this.#ripeTimer);
    this.#ripeTimer = undefined;
    if (open < idle + threads) this.#planRipe({ nowMs, threads, idle: 0, isDraining });
    return open - before;
  }

  /** Threads that neither work on a batch nor on calls. */
  get #idle(): number {
    return Math.max(0, this.#executor.readyCount - this.#proofs.taken - this.#calls.running);
  }

  /** Gives free threads a task each: calls and proofs take turns. */
  #start(trays: number): void {
    let waiting = trays;
    const isFree = (): boolean => this.#drains + this.#calls.running < this.#executor.readyCount;
    while (isFree()) {
      if (this.#calls.isWaiting && (waiting <= 0 || !this.#wasCallLast)) {
        this.#wasCallLast = true;
        this.#calls.start();
      } else if (waiting > 0) {
        this.#wasCallLast = false;
        waiting -= 1;
        void this.#drainBoard();
      } else return;
    }
  }

  async #drainBoard(): Promise<void> {
    this.#drains += 1;
    const hasEndedWell = await this.#executor.drain();
    this.#drains -= 1;
    if (hasEndedWell) this.#pump();
    // A later turn of the event loop finds the pool in another state.
    else setImmediate(() => this.#pump());
  }

  #fail(reason: string): void {
    this.#failure = reason;
    this.#pump();
  }

  #refuseAll(): void {
    this.#proofs.refuseAll('engine.worker_failed');
    this.#calls.refuseAll('engine.worker_failed');
  }

  #planRipe(moment: Moment): void {
    if (this.#queue.depth === 0) return;
    const waitMs = this.#queue.nextRipeAtMs(moment) - moment.nowMs;
    if (waitMs <= 0 || !Number.isFinite(waitMs)) return;
    this.#ripeTimer = setTimeout(() => this.#pump(), Math.max(1, waitMs));
  }
}
