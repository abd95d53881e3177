import type { VNode } from 'preact';
import { ENVIRONMENT, TREE } from '../../../../operations/schemas.ts';
import { confirmDialog } from '../../../confirm-dialog.ts';
import { given } from '../../api/client.ts';
import type { Root } from '../../api/types.ts';
import type { View } from '../../context.ts';
import { badge, card, empty } from '../../parts/content.tsx';
import { same } from '../../parts/fields.tsx';
import { FieldError, type FormParts, form } from '../../parts/form.tsx';
import { formatAmount } from '../../parts/format.ts';
import { list, loaded, useList } from '../../parts/resource.tsx';
import { type Column, code, codes, column, head, small } from '../../parts/table.tsx';
import { time } from '../../parts/time.tsx';
import { historyLink } from './history.tsx';
import { sourceCard } from './source-card.tsx';

/** Accepted roots, their sources and their age. */
export const rootsView: View = {
  title: 'Roots',
  lead: 'A proof names the root of a tree of people. It is accepted if the root is registered here and not too old.',
  Content: RootsPage,
};

function RootsPage(): VNode {
  const roots = list(useList('GET /roots', {}), {
    caption: 'Current root of each tree',
    columns: COLUMNS,
    none: [
      'No roots yet.',
      'Configure a source of roots (roots.sources), or add a root below. Until then every proof is refused.',
    ],
  });
  const none = empty([
    'No sources are configured.',
    'Roots come from operators only. The setting roots.sources lets the service read them from a chain.',
  ]);
  const sources = loaded(useList('GET /roots/sources', {}), (all) =>
    all.length === 0 ? none : all.map(sourceCard),
  );
  const forms = [card('Add a root', form(ADDITION)), card('Prune past roots', form(PRUNING))];
  return <>{[card('Current roots', roots), card('Sources', sources), <div class="columns">{forms}</div>]}</>;
}

const COLUMNS: readonly Column<Root>[] = [
  head('Tree', ({ tree, environment }) => [`${tree} `, badge(environment)]),
  codes('Root', ({ root }) => code(root, true)),
  column('Received', ({ received_at, source }) => [time(received_at), small(`from ${source}`)]),
  column('Verifying key', ({ key }) => key ?? 'that of the tree'),
  column('Past roots', historyLink),
];

const ADDITION: FormParts = {
  action: 'Add the root',
  fields: {
    environment: { label: 'Environment', kind: 'select', choices: same(...ENVIRONMENT.enum) },
    tree: {
      label: 'Tree',
      kind: 'select',
      choices: same(...TREE.enum),
    },
    root: {
      label: 'Root',
      kind: 'code',
      hint: '0x and up to 64 hex digits. It becomes the current root of its tree.',
    },
  },
  async submit(values, { api, reload, announce }) {
    const [environment, tree] = [values.text('environment'), values.text('tree')];
    const root = values.text('root');
    await api.call('POST /roots', {
      environment: given<Root['environment']>(environment),
      tree: given<Root['tree']>(tree),
      root,
    });
    reload();
    announce(`The root is current in the tree ${tree} of ${environment}.`, 'good');
  },
};

const PRUNING: FormParts = {
  action: 'Prune',
  isDanger: true,
  fields: {
    before: {
      label: 'Received before',
      kind: 'date',
      attributes: { required: true },
      hint: 'UTC. Current roots stay, and so do those that were received on this day or later. Proofs over removed roots are refused.',
    },
  },
  async submit(values, { api, announce }) {
    const day = values.text('before');
    if (day === '') throw new FieldError('before', 'Choose a date.');
    const isSure = await confirmDialog({
      title: `Remove past roots from before ${day}?`,
      text: 'Those of all trees, for good. A proof over one of them is refused from then on.',
      action: 'Remove',
    });
    if (!isSure) return;
    const { removed } = await api.call('POST /roots/prune', { before: `${day}T00:00:00.000Z` });
    announce(`${formatAmount(removed, 'past root')} ${removed === 1 ? 'is' : 'are'} removed.`, 'good');
  },
};
