import type { VNode } from 'preact';
import type { UsageDay } from '../../api/types.ts';
import { BarChart } from '../../charts/bar-chart.tsx';
import { formatCount } from '../../parts/format.ts';
import { type Column, Table } from '../../parts/table.tsx';
import { type DayCounts, daysOf, USAGE_KINDS } from './usage-days.ts';

const COLUMNS: readonly Column<DayCounts>[] = [
  { title: 'Day (UTC)', isHead: true, cell: ({ day }) => day },
  ...USAGE_KINDS.map(([kind, title]) => ({
    ...{ title, kind: 'number' as const },
    cell: ({ counts }: DayCounts) => formatCount(counts[kind]),
  })),
];

/** Counts of a period by day, with their sums and a table. @param length - Days of the period. */
export function UsageChart({ items, length }: { items: readonly UsageDay[]; length: number }): VNode {
  const days = daysOf(items, length, Date.now());
  const busy = days.filter(({ counts }) => USAGE_KINDS.some(([kind]) => counts[kind] > 0)).reverse();
  return (
    <>
      <ul class="readings">
        {USAGE_KINDS.map(([kind, name], index) => (
          <li class="reading">
            <span class={`mark mark-${index}`} aria-hidden="true" />
            <span class="value">{formatCount(days.reduce((sum, { counts }) => sum + counts[kind], 0))}</span>{' '}
            <span class="muted">{name}</span>
          </li>
        ))}
      </ul>
      <BarChart
        bars={days.map(({ counts }) => USAGE_KINDS.map(([kind]) => counts[kind]))}
        format={formatCount}
      />
      <p class="axis" aria-hidden="true">
        <span>{days[0]?.day}</span>
        <span>{days.at(-1)?.day}</span>
      </p>
      <details>
        <summary>By day</summary>
        <Table caption="Counts by day" columns={COLUMNS} rows={busy} />
      </details>
    </>
  );
}
