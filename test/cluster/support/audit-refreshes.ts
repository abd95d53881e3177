import { createEngine } from '../../../src/engine/create-engine.ts';
import { type Audit, auditIssuance } from '../../support/refresh/audit.ts';
import type { ClusterLoad, LoadTarget } from './cluster-load.ts';

const DAY_SECONDS = 86_400;
/** A node that waited for another one's commit counts from a time before it. */
const WAIT_SECONDS = 1;

/**
 * Compares the refreshes of a load with the records in the store.
 *
 * @param clockSpreadMs - Most that the clocks of the nodes differ from each other.
 */
export async function auditRefreshes(
  cluster: LoadTarget,
  load: ClusterLoad,
  clockSpreadMs = 0,
): Promise<Audit> {
  const engine = await createEngine({
    workers: 0,
    backend: 'auto',
    maxQueue: 64,
    maxBatch: 64,
    maxBatchDelayMs: 0,
  });
  try {
    return await cluster.withStore((store) =>
      auditIssuance(store, engine, load.refreshes, {
        limit: 1,
        windowSeconds: DAY_SECONDS + WAIT_SECONDS + clockSpreadMs / 1000,
        enrolled: load.enrolled,
        clockSpreadMs,
      }),
    );
  } finally {
    await engine.close();
  }
}
