import { confirmDialog } from '../../../confirm-dialog.ts';
import { element } from '../../../dom.ts';
import type { Listed } from '../../api/client.ts';
import type { Root, RootSource } from '../../api/types.ts';
import type { View, ViewContext } from '../../context.ts';
import { badge, card, emptyState, fill } from '../../parts/feedback.ts';
import { FieldError, form, formField, select } from '../../parts/form.ts';
import { formatAmount } from '../../parts/format.ts';
import { code, table } from '../../parts/table.ts';
import { relativeTime } from '../../parts/time.ts';
import { historyLink } from './history.ts';
import { sourceCard } from './source-card.ts';

const ENVIRONMENTS = ['production', 'staging'].map((name) => [name, name] as const);
const TREES = ['orb', 'secure_document', 'document', 'device', 'face', 'account'].map(
  (tree) => [tree, tree] as const,
);

/** Roots that proofs may name, where they come from, and how fresh they are. */
export const rootsView: View = {
  title: 'Roots',
  lead: 'A proof names the root of a tree of people. It is accepted if the root is registered here and not too old.',
  async render(context, target) {
    const { api, signal } = context;
    const [current, sources] = [element('div'), element('div')];
    target.append(
      card('Current roots', [current]),
      card('Sources', [sources]),
      element(
        'div',
        { class: 'columns' },
        card('Add a root', [addForm(context)]),
        card('Prune past roots', [pruneForm(context)]),
      ),
    );
    await Promise.all([
      fill(current, signal, async () => {
        const { items } = await api.get<Listed<Root>>('/roots', {}, signal);
        const text =
          'Configure a source of roots (roots.sources), or add a root below. Until then every proof is refused.';
        return items.length === 0 ? [emptyState('No roots yet.', text)] : [rootTable(items)];
      }),
      fill(sources, signal, async () => {
        const { items } = await api.get<Listed<RootSource>>('/roots/sources', {}, signal);
        const text =
          'Roots come from operators only. The setting roots.sources lets the service read them from a chain.';
        return items.length === 0
          ? [emptyState('No sources are configured.', text)]
          : items.map((source) => sourceCard(source, context));
      }),
    ]);
  },
};

function rootTable(roots: readonly Root[]): HTMLElement {
  return table(
    'Current root of each tree',
    [
      { title: 'Tree', isHead: true, cell: ({ tree, environment }) => [`${tree} `, badge(environment)] },
      { title: 'Root', kind: 'code', cell: ({ root }) => code(root, true) },
      {
        title: 'Received',
        cell: ({ received_at, source }) => [
          relativeTime(received_at),
          element('small', { class: 'block' }, `from ${source}`),
        ],
      },
      { title: 'Verifying key', cell: ({ key }) => key ?? 'that of the tree' },
      { title: 'Past roots', cell: (root) => historyLink(root) },
    ],
    roots,
  );
}

function addForm(context: ViewContext): HTMLElement {
  const [environment, tree] = [select(ENVIRONMENTS), select(TREES)];
  const root = element('input', { name: 'root', class: 'mono', spellcheck: 'false', autocomplete: 'off' });
  const fields = [
    formField('environment', 'Environment', environment),
    formField('tree', 'Tree', tree),
    formField('root', 'Root', root, '0x and up to 64 hex digits. It becomes the current root of its tree.'),
  ];
  return form({
    ...{ fields, action: 'Add the root', context },
    async submit() {
      const body = { environment: environment.value, tree: tree.value, root: root.value.trim() };
      await context.api.post('/roots', { body });
      context.reload();
      context.announce(`The root is current in the tree ${tree.value} of ${environment.value}.`, 'good');
    },
  });
}

function pruneForm(context: ViewContext): HTMLElement {
  const before = element('input', { type: 'date', name: 'before', required: true });
  const hint =
    'UTC. Current roots stay, and so do those that were received on this day or later. Proofs over removed roots are refused.';
  return form({
    fields: [formField('before', 'Received before', before, hint)],
    ...{ action: 'Prune', context, isDanger: true },
    async submit() {
      if (before.value === '') throw new FieldError('before', 'Choose a date.');
      const isSure = await confirmDialog({
        title: `Remove past roots from before ${before.value}?`,
        text: 'Those of all trees, for good. A proof over one of them is refused from then on.',
        action: 'Remove',
      });
      if (!isSure) return;
      const { removed } = await context.api.post<{ readonly removed: number }>('/roots/prune', {
        body: { before: `${before.value}T00:00:00.000Z` },
      });
      context.announce(
        `${formatAmount(removed, 'past root')} ${removed === 1 ? 'is' : 'are'} removed.`,
        'good',
      );
    },
  });
}
