import type { RootAgeSample } from '../../observability/metrics/metrics.ts';
import type { RootRow, RootStore } from '../../storage/index.ts';

/** What the age rule says of a known root. */
export interface RootCheck {
  readonly isAccepted: boolean;
  /** Whole seconds since the root was received; a root from the future has age 0. */
  readonly ageSeconds: number;
}

/**
 * Applies the age rule (spec/verification.md#root-age): a current root is acceptable whatever its age,
 * another one while `now − receivedAt` is at most `maxAgeSeconds`. When it was superseded does not count.
 *
 * @param now - Milliseconds since the epoch.
 */
export function checkRoot(root: RootRow, maxAgeSeconds: number, now: number): RootCheck {
  const ageMs = Math.max(0, now - root.receivedAt);
  const isAccepted = root.supersededAt === null || ageMs <= maxAgeSeconds * 1000;
  return { isAccepted, ageSeconds: Math.floor(ageMs / 1000) };
}

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
