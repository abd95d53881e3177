import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Listed } from '../api/client.ts';
import type { Refusal } from '../api/types.ts';
import { useView, type View } from '../context.ts';
import { Empty, Prose } from '../parts/content.tsx';
import { Field } from '../parts/fields.tsx';
import { formatAmount, formatCount } from '../parts/format.ts';
import { CatalogueLink } from '../parts/problem.tsx';
import { Loaded, useResource } from '../parts/resource.tsx';
import { Time } from '../parts/time.tsx';

const PERIODS = [
  ['1', 'last hour'],
  ['24', 'last 24 hours'],
  ['168', 'last 7 days'],
] as const;

/** What was refused lately, why, and what helps. */
export const refusalsView: View = {
  title: 'Refusals',
  lead: 'Requests that the service turned down, counted over all nodes, the most frequent first. A few are normal: people mistype, clients retry. A sudden rise is worth a look.',
  Content: RefusalsPage,
};

function RefusalsPage(): VNode {
  const { api, query, remember, announce } = useView();
  const [hours, setHours] = useState(query.get('hours') ?? '24');
  const refusals = useResource(
    async (over) => {
      const { items } = await api.get<Listed<Refusal>>('/errors/recent', { hours }, over);
      announce(formatAmount(items.length, 'kind of refusal', 'kinds of refusal'));
      return byCode(items);
    },
    [hours],
  );
  const choose = (chosen: string): void => {
    remember({ hours: chosen });
    setHours(chosen);
  };
  return (
    <>
      <div class="toolbar">
        <Field
          spec={{ name: 'hours', label: 'Period', kind: 'select', choices: PERIODS, value: hours }}
          onValue={choose}
        />
      </div>
      <Loaded from={refusals} class="refusals">
        {(groups) =>
          groups.size === 0 ? (
            <Empty
              title="Nothing was refused."
              text="Every request of this period was answered as it was asked."
            />
          ) : (
            [...groups.values()].map((rows) => <RefusalCard rows={rows} />)
          )
        }
      </Loaded>
    </>
  );
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

/** Refusals of one code. */
function RefusalCard({ rows }: { rows: Refusals }): VNode {
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
        <p class="muted">
          last <Time at={latest} />
        </p>
      </div>
      <div class="refusal-text">
        <h2 id={id}>{title}</h2>
        <p>
          <strong>Why: </strong>
          <Prose text={cause} />
        </p>
        <p>
          <strong>What helps: </strong>
          <Prose text={cure} />
        </p>
        <ul class="places" aria-label="Where it happened">
          {rows.map(({ route, count }) => (
            <li>
              <code>{route}</code>
              {` ${formatCount(count)}`}
            </li>
          ))}
        </ul>
        <CatalogueLink code={code} />
      </div>
    </section>
  );
}
