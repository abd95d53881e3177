import type { EngineEvent, Executor, Outcome } from '../pool/executor.ts';
import { afterLoss, type Repeat, type WorkRefusal } from '../queue/work.ts';
import type { CallItem, CallLane } from './call-lane.ts';
import type { DispatchStats } from './dispatch-stats.ts';

interface Batch extends Repeat<CallItem> {
  readonly lane: CallLane;
}

/** The calls that wait or run. Lanes take turns; a call waits for no company. */
export class CallRuns {
  readonly #executor: Executor;
  readonly #maxBatch: number;
  readonly #stats: DispatchStats;
  readonly #log: (event: EngineEvent) => void;
  readonly #ended: () => void;
  /** Lanes with waiting calls, the next in turn first. */
  readonly #turns = new Set<CallLane>();
  /** Batches that run as soon as a thread is there. */
  readonly #ready: Batch[] = [];
  #depth = 0;
  #running = 0;
  #deferred = 0;

  /** @param ended - Called when a task has ended and its thread is free. */
  constructor(
    executor: Executor,
    maxBatch: number,
    stats: DispatchStats,
    log: (event: EngineEvent) => void,
    ended: () => void,
  ) {
    this.#executor = executor;
    this.#maxBatch = maxBatch;
    this.#stats = stats;
    this.#log = log;
    this.#ended = ended;
  }

  /** Calls that wait. */
  get depth(): number {
    return this.#depth;
  }

  /** Threads that do calls. */
  get running(): number {
    return this.#running;
  }

  /** Whether a thread could begin a task. */
  get isWaiting(): boolean {
    return this.#turns.size + this.#ready.length > 0;
  }

  /** Whether nothing waits or runs. */
  get isEmpty(): boolean {
    return !this.isWaiting && this.#running + this.#deferred === 0;
  }

  add(item: CallItem): void {
    item.lane.waiting.push(item);
    this.#turns.add(item.lane);
    this.#depth += 1;
  }

  /** Makes batches ready for threads that are on their way: what is in them does not wait in the queue any more. */
  prepare(batches: number): void {
    while (this.#ready.length < batches && this.#turns.size > 0) this.#ready.push(this.#next() as Batch);
  }

  /** Sends the batch that is next in turn to a free thread. */
  start(): void {
    const batch = this.#ready.shift() ?? this.#next();
    if (batch) void this.#run(batch);
  }

  /** Refuses all that does not run. */
  refuseAll(code: WorkRefusal): void {
    for (let batch = this.#next(); batch; batch = this.#next()) this.#ready.push(batch);
    for (const batch of this.#ready.splice(0)) this.#refuse(batch, code);
  }

  #next(): Batch | undefined {
    for (const lane of this.#turns) {
      const items: CallItem[] = [];
      while (items.length < this.#maxBatch && lane.waiting.size > 0)
        items.push(lane.waiting.shift() as CallItem);
      this.#turns.delete(lane);
      if (lane.waiting.size > 0) this.#turns.add(lane);
      this.#depth -= items.length;
      this.#stats.running += items.length;
      return { lane, items, losses: 0 };
    }
    return undefined;
  }

  async #run(batch: Batch): Promise<void> {
    const { lane, items } = batch;
    this.#running += 1;
    try {
      const outcome = await this.#executor.run(lane.toTask(items));
      if (outcome.kind === 'lost') this.#repeat(batch, outcome);
      else {
        const left = lane.settle(items, outcome.results);
        this.#stats.running -= items.length - left.length;
        if (left.length > 0)
          this.#repeat({ ...batch, items: left }, { kind: 'lost', hasBegun: true, reason: 'no answer' });
      }
    } catch (error) {
      this.#refuse(batch, 'internal.unforeseen');
      const reason = error instanceof Error ? error.message : String(error);
      this.#log({ event: 'engine.worker_error', reason });
    } finally {
      this.#running -= 1;
      this.#ended();
    }
  }

  #repeat(batch: Batch, { hasBegun, reason }: Extract<Outcome, { kind: 'lost' }>): void {
    const { lane, items, losses } = batch;
    if (!hasBegun) {
      // The task never reached a thread; a later turn of the event loop finds the pool in another state.
      this.#deferred += 1;
      setImmediate(() => {
        this.#deferred -= 1;
        this.#ready.push(batch);
        this.#ended();
      });
      return;
    }
    this.#log({ event: 'engine.batch_lost', lane: lane.name, items: items.length, reason });
    const repeats = afterLoss(items, losses);
    for (const repeat of repeats) this.#ready.push({ lane, ...repeat });
    if (repeats.length > 0) return;
    this.#stats.poisoned += 1;
    this.#log({ event: 'engine.poisoned', lane: lane.name });
    this.#refuse(batch, 'engine.poison');
  }

  #refuse({ lane, items }: Batch, code: WorkRefusal): void {
    for (const item of items) lane.refuse(item, code);
    this.#stats.running -= items.length;
  }
}
