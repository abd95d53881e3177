import type { Config } from '../../config/settings/types.ts';
import { choiceOf } from '../../engine/backends/backend.ts';
import { createEngine } from '../../engine/create-engine.ts';
import type { Engine } from '../../engine/engine.ts';
import type { ProofEngine } from '../../engine/proof-engine.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Log } from '../../observability/log/log.ts';
import type { Part } from '../lifecycle.ts';

/**
 * Starts the engine, and logs its backend.
 *
 * @param onFailed - Receives the error if the engine fails permanently.
 */
export async function startEngine(
  config: Pick<Config, 'engine'>,
  log: Log,
  onFailed: (cause: ServiceError) => void,
): Promise<ProofEngine> {
  const engine = await createEngine(config.engine, {
    log({ event, ...fields }) {
      if (event === 'engine.failed') onFailed(new ServiceError('engine.worker_failed'));
      const isRoutine = event === 'engine.started' || event === 'engine.worker_ready';
      log[isRoutine ? 'debug' : 'error']('engine', { event, ...fields });
    },
  });
  const { backend, arithmetic, reason, workers } = engine.stats();
  const isFallback = backend === 'wasm' && config.engine.backend === 'auto';
  const fields = { backend, arithmetic, workers };
  log[isFallback ? 'warn' : 'info'](`engine runs on ${choiceOf(arithmetic)}: ${reason}`, fields);
  return engine;
}

/** Returns the running engine as a part. */
export function enginePart(engine: Pick<Engine, 'stats' | 'close'>): Part {
  return {
    name: 'engine',
    stop: () => engine.close(),
    health: {
      engine() {
        const { readyWorkers, workers, arithmetic } = engine.stats();
        if (readyWorkers === 0 && workers > 0) throw new Error('no worker passed its self-test');
        return choiceOf(arithmetic);
      },
    },
    metrics(metrics) {
      const stats = engine.stats();
      const { backend } = stats;
      metrics.engineWorkers.reset();
      metrics.engineWorkers.set({ backend, state: 'configured' }, stats.workers);
      // An engine without workers is itself ready.
      const ready = Math.min(stats.readyWorkers, stats.workers);
      metrics.engineWorkers.set({ backend, state: 'ready' }, ready);
      metrics.engineQueueDepth.reset();
      metrics.engineQueueDepth.set({ backend }, stats.queueDepth);
      metrics.engineBrokenBatchesTotal.reset();
      metrics.engineBrokenBatchesTotal.inc({ backend }, stats.brokenBatches);
      metrics.engineWorkerRestartsTotal.reset();
      metrics.engineWorkerRestartsTotal.inc({ backend }, stats.workerRestarts);
      metrics.engineBackendInfo.reset();
      metrics.engineBackendInfo.set({ backend, arithmetic: stats.arithmetic }, 1);
      metrics.engineQueueWaitSeconds.show({ backend }, stats.queueWaitSeconds);
      metrics.engineBatchSize.show({ backend }, stats.batchSize);
    },
  };
}
