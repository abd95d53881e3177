import type { SourceListing } from '../../membership/index.ts';
import { isoTime } from '../../text.ts';

/** Returns the members of a source of roots, with its providers. */
export function sourceJson(source: SourceListing): Record<string, unknown> {
  const { id, isConfigured, kind, environment, tree, chainId, place, quorum, isStale, isFailing } = source;
  const { block, lagSeconds, currentRoot, currentRootAgeSeconds, lastError, lastErrorAgeSeconds } = source;
  return {
    ...{ id, configured: isConfigured, kind: kind ?? null, environment, tree },
    ...{ chain_id: chainId ?? null, place: place ?? null, quorum: quorum ?? null },
    ...{ block: block ?? null, lag_seconds: lagSeconds ?? null, stale: isStale, failing: isFailing },
    current_root: currentRoot ?? null,
    current_root_age_seconds: currentRootAgeSeconds ?? null,
    backfill_blocks_left: source.backfillBlocksLeft,
    lease_holder: source.leaseHolder ?? null,
    last_error: lastError ?? null,
    last_error_age_seconds: lastErrorAgeSeconds ?? null,
    providers: source.providers.map(({ host, state, since, range, lastError, lastErrorAt }) => ({
      ...{ host, state, since: since === undefined ? null : isoTime(since), range: range ?? null },
      last_error: lastError ?? null,
      last_error_at: lastErrorAt === undefined ? null : isoTime(lastErrorAt),
    })),
  };
}
