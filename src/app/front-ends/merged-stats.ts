import type { EngineStats } from '../../engine/engine.ts';
import type { HistogramSample } from '../../histogram.ts';

/** Adds up what several engines counted. */
export function mergedStats(first: EngineStats, others: readonly EngineStats[]): EngineStats {
  return others.reduce(added, first);
}

function added(one: EngineStats, other: EngineStats): EngineStats {
  return {
    backend: one.backend,
    arithmetic: one.arithmetic,
    reason: one.reason,
    workers: one.workers + other.workers,
    readyWorkers: Math.min(one.readyWorkers, one.workers) + other.readyWorkers,
    workerRestarts: one.workerRestarts + other.workerRestarts,
    poisoned: one.poisoned + other.poisoned,
    brokenBatches: one.brokenBatches + other.brokenBatches,
    queueDepth: one.queueDepth + other.queueDepth,
    running: one.running + other.running,
    verified: one.verified + other.verified,
    queueWaitSeconds: addedSamples(one.queueWaitSeconds, other.queueWaitSeconds),
    batchSize: addedSamples(one.batchSize, other.batchSize),
    runSeconds: addedSamples(one.runSeconds, other.runSeconds),
  };
}

/** Adds two histograms with the same bounds. */
function addedSamples(one: HistogramSample, other: HistogramSample): HistogramSample {
  return {
    bounds: one.bounds,
    counts: one.counts.map((count, at) => count + (other.counts[at] ?? 0)),
    sum: one.sum + other.sum,
    count: one.count + other.count,
  };
}
