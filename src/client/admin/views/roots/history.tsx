import type { VNode } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { given } from '../../api/client.ts';
import type { Root } from '../../api/types.ts';
import { useView, type View } from '../../context.ts';
import { backLink, badge, card, link } from '../../parts/content.tsx';
import { pagedList, usePages } from '../../parts/resource.tsx';
import { type Column, code, codes, column, head } from '../../parts/table.tsx';
import { timeWithDate } from '../../parts/time.tsx';

/** Roots of one tree, the newest first: `#/roots/staging/orb`. */
export const rootHistoryView: View = { title: 'Roots of a tree', Content: HistoryPage };

function HistoryPage(): VNode {
  const { path, rename } = useView();
  const [environment = '', tree = ''] = path;
  useLayoutEffect(() => rename(`Roots of ${tree}, ${environment}`), []);
  const rows = usePages('GET /roots', {
    name: 'roots',
    input: {
      environment: given<Root['environment']>(environment),
      tree: given<Root['tree']>(tree),
      order: 'newest',
    },
    limit: 50,
  });
  const shown = pagedList(rows, {
    caption: `Roots of ${tree}, the newest first`,
    columns: COLUMNS,
    none: ['No roots yet.', 'Neither a source nor an operator has added a root of this tree.'],
  });
  const history = card('History', [<p class="lead">{ageRule(tree)}</p>, shown]);
  return <>{[backLink('/roots', '← All roots'), history]}</>;
}

/**
 * Describes the time for which roots of a tree are accepted (src/docs/spec/verification.md#root-age,
 * src/docs/spec/worldid4.md#state).
 */
function ageRule(tree: string): string {
  const past =
    tree === 'account'
      ? 'a past one until the window of its registry has passed since it was superseded.'
      : 'a past one as long as the max_age of the request allows, counted from when it was received.';
  return `The current root is accepted at any age, ${past}`;
}

/** Returns the link to the history of a tree. */
export function historyLink({ environment, tree }: Pick<Root, 'environment' | 'tree'>): VNode {
  const of = <span class="visually-hidden">{` of ${tree}, ${environment}`}</span>;
  return link(`/roots/${environment}/${tree}`, 'History', of);
}

const COLUMNS: readonly Column<Root>[] = [
  head('Received', ({ received_at }) => timeWithDate(received_at)),
  codes('Root', ({ root }) => code(root, true)),
  column('Superseded', ({ superseded_at: at }) =>
    at === null ? badge('current', 'good') : timeWithDate(at),
  ),
  column('Source', ({ source }) => source),
  column('Verifying key', ({ key }) => key ?? 'that of the tree'),
];
