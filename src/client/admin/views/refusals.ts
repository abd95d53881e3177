import { element } from '../../dom.ts';
import type { Listed } from '../api/client.ts';
import type { Refusal } from '../api/types.ts';
import type { View } from '../context.ts';
import { emptyState, fill, prose } from '../parts/feedback.ts';
import { formField, select } from '../parts/form.ts';
import { formatAmount, formatCount } from '../parts/format.ts';
import { catalogueLink } from '../parts/problem-note.ts';
import { relativeTime } from '../parts/time.ts';

const PERIODS = [
  ['1', 'last hour'],
  ['24', 'last 24 hours'],
  ['168', 'last 7 days'],
] as const;

/** What was refused lately, why, and what helps. */
export const refusalsView: View = {
  title: 'Refusals',
  lead: 'Requests that the service turned down, counted over all nodes, the most frequent first. A few are normal: people mistype, clients retry. A sudden rise is worth a look.',
  async render({ api, query, remember, signal, announce }, target) {
    const period = select(PERIODS, query.get('hours') ?? '24');
    const place = element('div', { class: 'refusals' });
    target.append(element('div', { class: 'toolbar' }, formField('hours', 'Period', period).node), place);
    const load = (): Promise<void> =>
      fill(place, signal, async () => {
        const { items } = await api.get<Listed<Refusal>>('/errors/recent', { hours: period.value }, signal);
        announce(formatAmount(items.length, 'kind of refusal', 'kinds of refusal'));
        if (items.length === 0) {
          return [
            emptyState('Nothing was refused.', 'Every request of this period was answered as it was asked.'),
          ];
        }
        return [...byCode(items)].map(([code, rows]) => refusalCard(code, rows));
      });
    period.addEventListener('change', () => {
      remember({ hours: period.value });
      void load();
    });
    await load();
  },
};

function byCode(refusals: readonly Refusal[]): Map<string, Refusal[]> {
  const groups = new Map<string, Refusal[]>();
  for (const refusal of refusals) groups.set(refusal.code, [...(groups.get(refusal.code) ?? []), refusal]);
  return groups;
}

function refusalCard(code: string, rows: readonly Refusal[]): HTMLElement {
  const [first] = rows;
  if (first === undefined) return element('div');
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  const latest =
    rows
      .map(({ last_at }) => last_at)
      .sort()
      .at(-1) ?? first.last_at;
  const id = `refusal-${code.replaceAll('.', '-')}`;
  const places = rows.map(({ route, count }) =>
    element('li', {}, element('code', {}, route), ` ${formatCount(count)}`),
  );
  return element(
    'section',
    { class: 'refusal', 'aria-labelledby': id },
    element(
      'div',
      { class: 'refusal-count' },
      element('p', { class: 'tile-value' }, formatCount(total)),
      element('p', { class: 'muted' }, 'last ', relativeTime(latest)),
    ),
    element(
      'div',
      { class: 'refusal-text' },
      element('h2', { id }, first.title),
      element('p', {}, element('strong', {}, 'Why: '), prose(first.cause)),
      element('p', {}, element('strong', {}, 'What helps: '), prose(first.cure)),
      element('ul', { class: 'places', 'aria-label': 'Where it happened' }, ...places),
      catalogueLink(code),
    ),
  );
}
