import { element } from '../../../dom.ts';
import type { UsageCounts, UsageDay } from '../../api/types.ts';
import { barChart } from '../../charts/bar-chart.ts';
import { formatCount } from '../../parts/format.ts';
import { table } from '../../parts/table.ts';

const DAY_MS = 86_400_000;
/** Kinds of requests that are counted, in the order of the chart, with the words for many of them. */
export const USAGE_KINDS = [
  ['verified_new', 'new people'],
  ['verified_reused', 'repeated proofs'],
  ['verified_session', 'sessions'],
  ['signed_in', 'sign-ins'],
  ['verify_refused', 'refused'],
] as const;

/**
 * Draws the counts of a period by day, with their sums and a table.
 *
 * @param length - Days of the period.
 */
export function usageChart(items: readonly UsageDay[], length: number): Node[] {
  const days = daysOf(items, length, Date.now());
  const totals = USAGE_KINDS.map(([kind]) => days.reduce((sum, { counts }) => sum + counts[kind], 0));
  const bars = days.map(({ day, counts }) => ({
    name: day,
    parts: USAGE_KINDS.map(([kind]) => counts[kind]),
  }));
  const { node, top } = barChart(bars);
  const legend = USAGE_KINDS.map(([, name], index) =>
    element(
      'li',
      { class: 'reading' },
      element('span', { class: `mark mark-${index}`, 'aria-hidden': 'true' }),
      element('span', { class: 'value' }, formatCount(totals[index] ?? 0)),
      ' ',
      element('span', { class: 'muted' }, name),
    ),
  );
  const edge = element('span', { class: 'axis-top', 'aria-hidden': 'true' }, formatCount(top));
  const axis = [days[0]?.day ?? '', days.at(-1)?.day ?? ''].map((day) => element('span', {}, day));
  const columns = [
    { title: 'Day (UTC)', isHead: true, cell: ({ day }: DayCounts) => day },
    ...USAGE_KINDS.map(([kind, name]) => ({
      title: name,
      kind: 'number' as const,
      cell: ({ counts }: DayCounts) => formatCount(counts[kind]),
    })),
  ];
  const busy = days.filter(({ counts }) => USAGE_KINDS.some(([kind]) => counts[kind] > 0)).reverse();
  return [
    element('ul', { class: 'readings' }, ...legend),
    element('div', { class: 'plot' }, edge, node),
    element('p', { class: 'axis', 'aria-hidden': 'true' }, ...axis),
    element('details', {}, element('summary', {}, 'By day'), table('Counts by day', columns, busy)),
  ];
}

interface DayCounts {
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
