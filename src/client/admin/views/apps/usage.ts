import { element } from '../../../dom.ts';
import type { Listed } from '../../api/client.ts';
import type { App, UsageDay } from '../../api/types.ts';
import { barChart } from '../../charts/bar-chart.ts';
import type { ViewContext } from '../../context.ts';
import { card, emptyState, fill } from '../../parts/feedback.ts';
import { formatCount } from '../../parts/format.ts';
import { table } from '../../parts/table.ts';

const DAYS = 30;
const DAY_MS = 86_400_000;
const KINDS = [
  ['verified_new', 'new people'],
  ['verified_reused', 'repeated proofs'],
  ['verified_session', 'sessions'],
  ['signed_in', 'sign-ins'],
  ['verify_refused', 'refused'],
] as const;

type Counts = Readonly<Record<(typeof KINDS)[number][0], number>>;

/** Creates the card with the counts of an app by day. */
export function usageCard({ app_id }: App, { api, signal }: ViewContext): HTMLElement {
  const place = element('div', { class: 'usage' });
  void fill(place, signal, async () => {
    const path = `/apps/${encodeURIComponent(app_id)}/usage`;
    const { items } = await api.get<Listed<UsageDay>>(path, { days: DAYS }, signal);
    if (items.length === 0) {
      return [
        emptyState(
          'No requests in the last 30 days.',
          'Verifications and sign-ins of this app are counted here.',
        ),
      ];
    }
    return draw(items);
  });
  return card('Usage in the last 30 days', [place]);
}

function draw(items: readonly UsageDay[]): Node[] {
  const days = daysOf(items, Date.now());
  const totals = KINDS.map(([kind]) => days.reduce((sum, { counts }) => sum + counts[kind], 0));
  const bars = days.map(({ day, counts }) => ({ name: day, parts: KINDS.map(([kind]) => counts[kind]) }));
  const { node, top } = barChart(bars);
  const legend = KINDS.map(([, name], index) =>
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
    ...KINDS.map(([kind, name]) => ({
      title: name,
      kind: 'number' as const,
      cell: ({ counts }: DayCounts) => formatCount(counts[kind]),
    })),
  ];
  const busy = days.filter(({ counts }) => KINDS.some(([kind]) => counts[kind] > 0)).reverse();
  return [
    element('ul', { class: 'readings' }, ...legend),
    element('div', { class: 'plot' }, edge, node),
    element('p', { class: 'axis', 'aria-hidden': 'true' }, ...axis),
    element('details', {}, element('summary', {}, 'By day'), table('Counts by day', columns, busy)),
  ];
}

interface DayCounts {
  readonly day: string;
  readonly counts: Counts;
}

/**
 * Returns every day of the period, also those without requests; both environments are added up.
 *
 * @param now - Milliseconds since the epoch.
 */
export function daysOf(items: readonly UsageDay[], now: number): DayCounts[] {
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  return Array.from({ length: DAYS }, (_, index) => {
    const day = new Date(today - (DAYS - 1 - index) * DAY_MS).toISOString().slice(0, 'YYYY-MM-DD'.length);
    const rows = items.filter((row) => row.day === day);
    const counts = Object.fromEntries(
      KINDS.map(([kind]) => [kind, rows.reduce((sum, row) => sum + row[kind], 0)]),
    ) as Record<(typeof KINDS)[number][0], number>;
    return { day, counts };
  });
}
