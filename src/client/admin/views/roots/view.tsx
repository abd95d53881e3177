import type { VNode } from 'preact';
import { confirmDialog } from '../../../confirm-dialog.ts';
import type { Root, RootSource } from '../../api/types.ts';
import type { View } from '../../context.ts';
import { Badge, Card, Code, Empty, Small } from '../../parts/content.tsx';
import type { FieldSpec } from '../../parts/fields.tsx';
import { FieldError, Form } from '../../parts/form.tsx';
import { formatAmount } from '../../parts/format.ts';
import { List, Loaded, useList } from '../../parts/resource.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { HistoryLink } from './history.tsx';
import { SourceCard } from './source-card.tsx';

const ENVIRONMENTS = ['production', 'staging'];
const TREES = ['orb', 'secure_document', 'document', 'device', 'face', 'account'];
const FIELDS: readonly FieldSpec[] = [
  {
    ...{ name: 'environment', label: 'Environment', kind: 'select' },
    choices: ENVIRONMENTS.map((name) => [name, name]),
  },
  { name: 'tree', label: 'Tree', kind: 'select', choices: TREES.map((name) => [name, name]) },
  {
    ...{ name: 'root', label: 'Root', kind: 'code' },
    hint: '0x and up to 64 hex digits. It becomes the current root of its tree.',
  },
];
const BEFORE: FieldSpec = {
  ...{ name: 'before', label: 'Received before', kind: 'date', attributes: { required: true } },
  hint: 'UTC. Current roots stay, and so do those that were received on this day or later. Proofs over removed roots are refused.',
};

/** Roots that proofs may name, where they come from, and how fresh they are. */
export const rootsView: View = {
  title: 'Roots',
  lead: 'A proof names the root of a tree of people. It is accepted if the root is registered here and not too old.',
  Content: RootsPage,
};

function RootsPage(): VNode {
  const roots = useList<Root>('/roots');
  const sources = useList<RootSource>('/roots/sources');
  return (
    <>
      <Card title="Current roots">
        <List
          of={roots}
          caption="Current root of each tree"
          columns={COLUMNS}
          none={
            <Empty
              title="No roots yet."
              text="Configure a source of roots (roots.sources), or add a root below. Until then every proof is refused."
            />
          }
        />
      </Card>
      <Card title="Sources">
        <Loaded from={sources}>
          {(all) =>
            all.length === 0 ? (
              <Empty
                title="No sources are configured."
                text="Roots come from operators only. The setting roots.sources lets the service read them from a chain."
              />
            ) : (
              all.map((source) => <SourceCard source={source} />)
            )
          }
        </Loaded>
      </Card>
      <div class="columns">
        <Card title="Add a root">
          <AddForm />
        </Card>
        <Card title="Prune past roots">
          <PruneForm />
        </Card>
      </div>
    </>
  );
}

const COLUMNS: readonly Column<Root>[] = [
  {
    title: 'Tree',
    isHead: true,
    cell: ({ tree, environment }) => (
      <>
        {tree} <Badge>{environment}</Badge>
      </>
    ),
  },
  { title: 'Root', kind: 'code', cell: ({ root }) => <Code text={root} isShort /> },
  {
    title: 'Received',
    cell: ({ received_at, source }) => (
      <>
        <Time at={received_at} />
        <Small>{`from ${source}`}</Small>
      </>
    ),
  },
  { title: 'Verifying key', cell: ({ key }) => key ?? 'that of the tree' },
  { title: 'Past roots', cell: ({ environment, tree }) => <HistoryLink {...{ environment, tree }} /> },
];

function AddForm(): VNode {
  return (
    <Form
      fields={FIELDS}
      action="Add the root"
      submit={async (values, { api, reload, announce }) => {
        const [environment, tree] = [values.text('environment'), values.text('tree')];
        await api.post('/roots', { body: { environment, tree, root: values.text('root') } });
        reload();
        announce(`The root is current in the tree ${tree} of ${environment}.`, 'good');
      }}
    />
  );
}

function PruneForm(): VNode {
  return (
    <Form
      fields={[BEFORE]}
      action="Prune"
      isDanger
      submit={async (values, { api, announce }) => {
        const day = values.text('before');
        if (day === '') throw new FieldError('before', 'Choose a date.');
        const isSure = await confirmDialog({
          title: `Remove past roots from before ${day}?`,
          text: 'Those of all trees, for good. A proof over one of them is refused from then on.',
          action: 'Remove',
        });
        if (!isSure) return;
        const body = { before: `${day}T00:00:00.000Z` };
        const { removed } = await api.post<{ readonly removed: number }>('/roots/prune', { body });
        announce(`${formatAmount(removed, 'past root')} ${removed === 1 ? 'is' : 'are'} removed.`, 'good');
      }}
    />
  );
}
