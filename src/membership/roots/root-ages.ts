import type { RootAgeSample } from '../../observability/metrics/metrics.ts';
import type { RootStore } from '../../storage/index.ts';

/** Age of the current root of each tree, for `roots_current_age_seconds`. */
export async function currentRootAges(
  roots: Pick<RootStore, 'listCurrent'>,
  now: number,
): Promise<RootAgeSample[]> {
  const rows = await roots.listCurrent();
  return rows.map(({ environment, tree, source, receivedAt }) => ({
    environment,
    tree,
    source,
    ageSeconds: Math.max(0, now - receivedAt) / 1000,
  }));
}
