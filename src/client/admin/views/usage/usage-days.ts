import type { UsageCounts, UsageDay } from '../../api/types.ts';

const DAY_MS = 86_400_000;
/** Kinds of requests that are counted, in the order of the chart, with the words for many of them. */
export const USAGE_KINDS = [
  ['verified_new', 'new people'],
  ['verified_reused', 'repeated proofs'],
  ['verified_session', 'sessions'],
  ['signed_in', 'sign-ins'],
  ['verify_refused', 'refused'],
] as const;

/** Counts of one day. */
export interface DayCounts {
  readonly day: string;
  readonly counts: UsageCounts;
}

/**
 * Returns every day of the period, also those without requests; environments are added up.
 *
 * @param length - Days of the period.
 * @param now - Milliseconds since the epoch.
 */
export function daysOf(items: readonly UsageDay[], length: number, now: number): DayCounts[] {
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  return Array.from({ length }, (_, index) => {
    const day = new Date(today - (length - 1 - index) * DAY_MS).toISOString().slice(0, 'YYYY-MM-DD'.length);
    const rows = items.filter((row) => row.day === day);
    const counts = Object.fromEntries(
      USAGE_KINDS.map(([kind]) => [kind, rows.reduce((sum, row) => sum + row[kind], 0)]),
    ) as unknown as UsageCounts;
    return { day, counts };
  });
}
