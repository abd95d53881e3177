import { Histogram } from '../../histogram.ts';

/** Bounds for times in seconds, from a tenth of a millisecond to five seconds. */
const SECONDS_BOUNDS: readonly number[] = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
];

/** Bounds for the number of proofs in a batch. */
const BATCH_BOUNDS: readonly number[] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/** Counters of the dispatcher, for `stats()`. The histograms are about proofs. */
export class DispatchStats {
  readonly queueWaitSeconds: Histogram = new Histogram(SECONDS_BOUNDS);
  readonly batchSize: Histogram = new Histogram(BATCH_BOUNDS);
  readonly runSeconds: Histogram = new Histogram(SECONDS_BOUNDS);
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
    this.batchSize.observe(items.length);
    this.runSeconds.observe(runMs / 1000);
    const begunAtMs = nowMs - runMs;
    // Items that arrived in one turn of the event loop have the same time and are counted together.
    for (let from = 0, to = 1; from < items.length; from = to, to += 1) {
      const queuedAtMs = items[from]?.queuedAtMs ?? begunAtMs;
      while (to < items.length && items[to]?.queuedAtMs === queuedAtMs) to += 1;
      this.queueWaitSeconds.observe(Math.max(0, begunAtMs - queuedAtMs) / 1000, to - from);
    }
  }
}
