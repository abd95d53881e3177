import type { Histogram } from '../engine.ts';

/** Bounds for times in seconds, from a tenth of a millisecond to five seconds. */
const SECONDS_BOUNDS: readonly number[] = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
];

/** Bounds for the number of proofs in a batch. */
const BATCH_BOUNDS: readonly number[] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/** Counts values by bound. `record` allocates nothing: it runs for each proof. */
export class HistogramRecorder {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;
  #count = 0;

  /** @param bounds - Ascending; an unbounded last one is added. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Array<number>(bounds.length + 1).fill(0);
  }

  /** Counts one value, or as many equal ones. */
  record(value: number, times: number = 1): void {
    let bucket = 0;
    while (bucket < this.#bounds.length && value > (this.#bounds[bucket] as number)) bucket += 1;
    this.#counts[bucket] = (this.#counts[bucket] as number) + times;
    this.#sum += value * times;
    this.#count += times;
  }

  /** Returns the counts so far, cumulative as in the Prometheus text format. */
  snapshot(): Histogram {
    let below = 0;
    const counts = this.#counts.map((count) => {
      below += count;
      return below;
    });
    return { bounds: this.#bounds, counts, sum: this.#sum, count: this.#count };
  }
}

/** Counters of the dispatcher, for `stats()`. The histograms are about proofs. */
export class DispatchStats {
  readonly queueWaitSeconds: HistogramRecorder = new HistogramRecorder(SECONDS_BOUNDS);
  readonly batchSize: HistogramRecorder = new HistogramRecorder(BATCH_BOUNDS);
  readonly runSeconds: HistogramRecorder = new HistogramRecorder(SECONDS_BOUNDS);
  /** Proofs and calls that have left the queue and are not answered yet. */
  running = 0;
  verified = 0;
  poisoned = 0;
  /** Combined batches that failed because of a bad proof. */
  brokenBatches = 0;

  /**
   * Counts a batch of proofs that a worker has finished.
   *
   * @param items - In order of arrival.
   * @param nowMs - End of the batch, on the clock of `queuedAtMs`.
   */
  ranBatch(items: readonly { readonly queuedAtMs: number }[], runMs: number, nowMs: number): void {
    this.batchSize.record(items.length);
    this.runSeconds.record(runMs / 1000);
    const begunAtMs = nowMs - runMs;
    // Items that arrived in one turn of the event loop have the same time and are counted together.
    for (let from = 0, to = 1; from < items.length; from = to, to += 1) {
      const queuedAtMs = items[from]?.queuedAtMs ?? begunAtMs;
      while (to < items.length && items[to]?.queuedAtMs === queuedAtMs) to += 1;
      this.queueWaitSeconds.record(Math.max(0, begunAtMs - queuedAtMs) / 1000, to - from);
    }
  }
}
