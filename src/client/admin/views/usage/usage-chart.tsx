import type { VNode } from 'preact';
import type { UsageDay } from '../../api/types.ts';
import { axis, barChart, reading } from '../../charts/bar-chart.tsx';
import { details } from '../../parts/content.tsx';
import { formatCount } from '../../parts/format.ts';
import { amounts, type Column, head, table } from '../../parts/table.tsx';
import { type DayCounts, daysOf, USAGE_KINDS } from './usage-days.ts';

const COLUMNS: readonly Column<DayCounts>[] = [
  head('Day (UTC)', ({ day }) => day),
  ...USAGE_KINDS.map(([kind, title]) => amounts(title, ({ counts }: DayCounts) => formatCount(counts[kind]))),
];

/** Shows the counts of a period by day, with their sums and a table. @param length - Days of the period. */
export function usageChart(items: readonly UsageDay[], length: number): VNode[] {
  const days = daysOf(items, length, Date.now());
  const busy = days.filter(({ counts }) => USAGE_KINDS.some(([kind]) => counts[kind] > 0)).reverse();
  const bars = days.map(({ counts }) => USAGE_KINDS.map(([kind]) => counts[kind]));
  const readings = USAGE_KINDS.map(([kind, name], index) => {
    const total = days.reduce((sum, { counts }) => sum + counts[kind], 0);
    return <li class="reading">{reading(index, formatCount(total), name)}</li>;
  });
  return [
    <ul class="readings">{readings}</ul>,
    barChart(bars, formatCount),
    axis(days[0]?.day ?? '', days.at(-1)?.day ?? ''),
    details('By day', table({ caption: 'Counts by day', columns: COLUMNS }, busy)),
  ];
}
