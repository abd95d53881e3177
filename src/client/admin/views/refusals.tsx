import type { VNode } from 'preact';
import type { Refusal } from '../api/types.ts';
import { useView, type View } from '../context.ts';
import { catalogueLink, empty, labelled, prose } from '../parts/content.tsx';
import { useFilters } from '../parts/fields.tsx';
import { formatAmount, formatCount } from '../parts/format.ts';
import { loaded, useResource } from '../parts/resource.tsx';
import { time } from '../parts/time.tsx';

const PERIODS = { 1: 'last hour', 24: 'last 24 hours', 168: 'last 7 days' };

/** Recent refusals with their reasons and remedies. */
export const refusalsView: View = {
  title: 'Refusals',
  lead: 'Requests that the service turned down, counted over all nodes, the most frequent first. A few are normal: people mistype, clients retry. A sudden rise is worth a look.',
  Content: RefusalsPage,
};

function RefusalsPage(): VNode {
  const { api, announce } = useView();
  const [{ hours }, filters] = useFilters({
    hours: { label: 'Period', kind: 'select', choices: PERIODS, value: '24' },
  });
  const refusals = useResource(
    async (over) => {
      const { items } = await api.call('GET /errors/recent', { hours: Number(hours) }, { signal: over });
      announce(formatAmount(items.length, 'kind of refusal', 'kinds of refusal'));
      return [...byCode(items).values()];
    },
    [hours],
  );
  const none = [
    'Nothing was refused.',
    'Every request of this period was answered as it was asked.',
  ] as const;
  const show = (groups: readonly Refusals[]) => (groups.length === 0 ? empty(none) : groups.map(refusalCard));
  return <>{[<div class="toolbar">{filters}</div>, loaded(refusals, show, 'refusals')]}</>;
}

type Refusals = readonly [Refusal, ...Refusal[]];

function byCode(refusals: readonly Refusal[]): ReadonlyMap<string, Refusals> {
  const groups = new Map<string, Refusals>();
  for (const refusal of refusals) {
    const group = groups.get(refusal.code);
    groups.set(refusal.code, group === undefined ? [refusal] : [...group, refusal]);
  }
  return groups;
}

/** Shows the refusals of one code. */
function refusalCard(rows: Refusals): VNode {
  const [{ code, title, cause, cure }] = rows;
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  const [latest = ''] = rows
    .map(({ last_at }) => last_at)
    .sort()
    .reverse();
  const id = `refusal-${code.replaceAll('.', '-')}`;
  return (
    <section class="refusal" aria-labelledby={id}>
      <div class="refusal-count">
        <p class="tile-value">{formatCount(total)}</p>
        <p class="muted">{['last ', time(latest)]}</p>
      </div>
      <div class="refusal-text">
        <h2 id={id}>{title}</h2>
        {labelled('Why: ', prose(cause))}
        {labelled('What helps: ', prose(cure))}
        <ul class="places" aria-label="Where it happened">
          {rows.map(({ route, count }) => (
            <li>{[<code>{route}</code>, ` ${formatCount(count)}`]}</li>
          ))}
        </ul>
        {catalogueLink(code)}
      </div>
    </section>
  );
}
