import { BATCH_BOUNDS, HistogramRecorder, SECONDS_BOUNDS } from './histogram.ts';

/** Counters of the dispatcher, for `stats()`. The histograms are about proofs. */
export class DispatchStats {
  readonly queueWaitSeconds: HistogramRecorder = new HistogramRecorder(SECONDS_BOUNDS);
  readonly batchSize: HistogramRecorder = new HistogramRecorder(BATCH_BOUNDS);
  readonly runSeconds: HistogramRecorder = new HistogramRecorder(SECONDS_BOUNDS);
  /** Proofs and calls that have left the queue and have no answer yet. */
  running = 0;
  verified = 0;
  poisoned = 0;
  /** Combined batches that failed because of a bad proof. */
  brokenBatches = 0;

  /**
   * Counts a batch of proofs that a worker has finished.
   *
   * @param items - In order of arrival.
   * @param nowMs - When the batch ended, in the clock of `queuedAtMs`.
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
