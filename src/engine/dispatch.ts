import type { EngineEvent, Executor, Outcome } from './executor.ts';
import { BATCH_BOUNDS, HistogramRecorder, SECONDS_BOUNDS } from './histogram.ts';
import { type Batch, type Item, type QueueLimits, WorkQueue, type WorkRefusal } from './queue.ts';

// A batch that lost its thread runs once more; what loses a second one is taken apart.
const MAX_LOSSES = 2;

/** A batch on its way, with the number of threads that were lost with it. */
interface Run extends Batch {
  readonly losses: number;
}

/** Counters of the dispatcher, for `stats()`. */
export interface DispatchStats {
  readonly queueWaitSeconds: HistogramRecorder;
  readonly batchSize: HistogramRecorder;
  readonly runSeconds: HistogramRecorder;
  running: number;
  verified: number;
  poisoned: number;
}

/**
 * Takes batches from the queue to free threads. A batch whose thread was lost runs again, then its members one by
 * one, each of them twice at most: what loses a thread twice by itself is poison.
 */
export class Dispatcher {
  readonly queue: WorkQueue;
  readonly stats: DispatchStats = {
    queueWaitSeconds: new HistogramRecorder(SECONDS_BOUNDS),
    batchSize: new HistogramRecorder(BATCH_BOUNDS),
    runSeconds: new HistogramRecorder(SECONDS_BOUNDS),
    running: 0,
    verified: 0,
    poisoned: 0,
  };
  readonly #executor: Executor;
  readonly #log: (event: EngineEvent) => void;
  readonly #repeats: Run[] = [];
  #tasks = 0;
  #deferred = 0;
  #isPumpPlanned = false;
  #ripeTimer: NodeJS.Timeout | undefined;
  #whenDrained: (() => void) | undefined;
  #failure: string | undefined;

  constructor(executor: Executor, limits: QueueLimits, log: (event: EngineEvent) => void) {
    this.#executor = executor;
    this.#log = log;
    this.queue = new WorkQueue(limits);
    executor.listen({ ready: () => this.#pump(), failed: (reason) => this.#fail(reason) });
  }

  /** Why no thread can work any more, or undefined while threads can. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Queues an item; what is added in one turn of the event loop is batched together. */
  add(item: Item): void {
    this.queue.add(item);
    if (this.#isPumpPlanned) return;
    this.#isPumpPlanned = true;
    queueMicrotask(() => {
      this.#isPumpPlanned = false;
      this.#pump();
    });
  }

  /** Resolves when nothing waits or runs; from now on no batch waits for company. */
  async drain(): Promise<void> {
    const drained = new Promise<void>((resolve) => {
      this.#whenDrained = resolve;
    });
    this.#pump();
    await drained;
  }

  #pump(): void {
    if (this.#failure !== undefined) this.#refuseRepeats();
    while (this.#tasks < this.#executor.readyCount) {
      const idle = this.#executor.readyCount - this.#tasks;
      const run = this.#repeats.shift() ?? this.#next(idle);
      if (!run) break;
      void this.#run(run);
    }
    this.#planRipe();
    const left = this.#tasks + this.#deferred + this.#repeats.length + this.queue.depth;
    if (left === 0) this.#whenDrained?.();
  }

  #next(idle: number): Run | undefined {
    const nowMs = performance.now();
    const batch = this.queue.take(idle, nowMs, this.#whenDrained !== undefined);
    if (!batch) return undefined;
    this.stats.running += batch.items.length;
    if (batch.lane.isMeasured) {
      this.stats.batchSize.record(batch.items.length);
      for (const item of batch.items) this.stats.queueWaitSeconds.record((nowMs - item.queuedAtMs) / 1000);
    }
    return { ...batch, losses: 0 };
  }

  async #run(run: Run): Promise<void> {
    const { lane, items } = run;
    this.#tasks += 1;
    const startedAtMs = performance.now();
    try {
      const outcome = await this.#executor.run(lane.toTask(items));
      if (outcome.kind === 'lost') this.#repeat(run, outcome);
      else {
        if (lane.isMeasured) this.stats.runSeconds.record((performance.now() - startedAtMs) / 1000);
        const left = lane.settle(items, outcome.results);
        this.#answered(run, items.length - left.length);
        if (left.length > 0) {
          this.#repeat({ ...run, items: left }, { kind: 'lost', hasBegun: true, reason: 'no verdict' });
        }
      }
    } catch (error) {
      this.#refuse(items, 'internal.unforeseen', run);
      this.#log({
        event: 'engine.worker_error',
        reason: error instanceof Error ? error.message : String(error),
      });
    } finally {
      this.#tasks -= 1;
      this.#pump();
    }
  }

  #repeat(run: Run, { hasBegun, reason }: Extract<Outcome, { kind: 'lost' }>): void {
    const { lane, items } = run;
    if (!hasBegun) {
      // The task never reached a thread; a later turn of the event loop finds the pool in another state.
      this.#deferred += 1;
      setImmediate(() => {
        this.#deferred -= 1;
        this.#repeats.push(run);
        this.#pump();
      });
      return;
    }
    this.#log({ event: 'engine.batch_lost', lane: lane.name, items: items.length, reason });
    const losses = run.losses + 1;
    if (losses < MAX_LOSSES) this.#repeats.push({ lane, items, losses });
    else if (items.length > 1)
      for (const item of items) this.#repeats.push({ lane, items: [item], losses: 0 });
    else {
      this.stats.poisoned += 1;
      this.#log({ event: 'engine.poisoned', lane: lane.name });
      this.#refuse(items, 'engine.poison', run);
    }
  }

  #refuse(items: readonly Item[], code: WorkRefusal, { lane }: Batch): void {
    for (const item of items) lane.refuse(item, code);
    this.#answered({ lane }, items.length);
  }

  #answered({ lane }: Pick<Batch, 'lane'>, count: number): void {
    this.stats.running -= count;
    if (lane.isMeasured) this.stats.verified += count;
  }

  #fail(reason: string): void {
    this.#failure = reason;
    for (const { lane, items } of this.queue.takeAll()) {
      for (const item of items) lane.refuse(item, 'engine.worker_failed');
    }
    this.#pump();
  }

  #refuseRepeats(): void {
    for (const run of this.#repeats.splice(0)) this.#refuse(run.items, 'engine.worker_failed', run);
  }

  #planRipe(): void {
    clearTimeout(this.#ripeTimer);
    this.#ripeTimer = undefined;
    if (this.#tasks >= this.#executor.readyCount) return;
    const ripeAtMs = this.queue.nextRipeAtMs();
    if (!Number.isFinite(ripeAtMs)) return;
    this.#ripeTimer = setTimeout(() => this.#pump(), Math.max(1, ripeAtMs - performance.now()));
  }
}
