import type { VNode } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import type { Root } from '../../api/types.ts';
import { useView, type View } from '../../context.ts';
import { BackLink, Badge, Card, Code, Empty, Link } from '../../parts/content.tsx';
import { PagedList, usePages } from '../../parts/resource.tsx';
import type { Column } from '../../parts/table.tsx';
import { TimeWithDate } from '../../parts/time.tsx';

/** Roots of one tree, the newest first: `#/roots/staging/orb`. */
export const rootHistoryView: View = { title: 'Roots of a tree', Content: HistoryPage };

function HistoryPage(): VNode {
  const { path, rename } = useView();
  const [environment = '', tree = ''] = path;
  useLayoutEffect(() => rename(`Roots of ${tree}, ${environment}`), []);
  const query = { environment, tree, order: 'newest' };
  const rows = usePages<Root>({ name: 'roots', path: '/roots', query, limit: 50 });
  return (
    <>
      <BackLink to="/roots">← All roots</BackLink>
      <Card title="History">
        <p class="lead">{ageRule(tree)}</p>
        <PagedList
          of={rows}
          caption={`Roots of ${tree}, the newest first`}
          columns={COLUMNS}
          none={
            <Empty
              title="No roots yet."
              text="Neither a source nor an operator has added a root of this tree."
            />
          }
        />
      </Card>
    </>
  );
}

/** Says how long roots of a tree are accepted (src/docs/spec/verification.md#root-age, src/docs/spec/worldid4.md#state). */
function ageRule(tree: string): string {
  const past =
    tree === 'account'
      ? 'a past one until the window of its registry has passed since it was superseded.'
      : 'a past one as long as the max_age of the request allows, counted from when it was received.';
  return `The current root is accepted at any age, ${past}`;
}

/** The link to the history of a tree. */
export function HistoryLink({ environment, tree }: Pick<Root, 'environment' | 'tree'>): VNode {
  return (
    <Link to={`/roots/${environment}/${tree}`}>
      History
      <span class="visually-hidden">{` of ${tree}, ${environment}`}</span>
    </Link>
  );
}

const COLUMNS: readonly Column<Root>[] = [
  { title: 'Received', isHead: true, cell: ({ received_at }) => <TimeWithDate at={received_at} /> },
  { title: 'Root', kind: 'code', cell: ({ root }) => <Code text={root} isShort /> },
  {
    title: 'Superseded',
    cell: ({ superseded_at: at }) =>
      at === null ? <Badge tone="good">current</Badge> : <TimeWithDate at={at} />,
  },
  { title: 'Source', cell: ({ source }) => source },
  { title: 'Verifying key', cell: ({ key }) => key ?? 'that of the tree' },
];
