import { element } from '../../dom.ts';
import type { Listed } from '../api/client.ts';
import type { Root, RootSource } from '../api/types.ts';
import type { View, ViewContext } from '../context.ts';
import { actionButton } from '../parts/action-button.ts';
import { badge, card, emptyState, fill } from '../parts/feedback.ts';
import { form, formField, select } from '../parts/form.ts';
import { formatCount, formatDuration } from '../parts/format.ts';
import { code, table } from '../parts/table.ts';
import { relativeTime } from '../parts/time.ts';

const ENVIRONMENTS = [
  ['production', 'production'],
  ['staging', 'staging'],
] as const;
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
      card('Add a root', [addForm(context)]),
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
      { title: 'Received', cell: ({ received_at }) => relativeTime(received_at) },
      { title: 'Source', cell: ({ source }) => source },
      { title: 'Verifying key', cell: ({ key }) => key ?? 'that of the tree' },
    ],
    roots,
  );
}

function sourceCard(source: RootSource, context: ViewContext): HTMLElement {
  const { id, configured, kind, environment, tree, stale, block, lag_seconds: lag } = source;
  const age = source.current_root_age_seconds;
  const marks = [
    stale ? badge('stale', 'bad') : badge('fresh', 'good'),
    ...(configured ? [] : [badge('no longer configured', 'note')]),
  ];
  const rows = [
    `Tree ${tree}, ${environment}`,
    kind ?? '',
    block === null ? '' : `block ${formatCount(block)}`,
    lag === null ? '' : `${formatDuration(lag)} behind`,
    age === null ? 'no root yet' : `current root ${formatDuration(age)} old`,
  ].filter((text) => text !== '');
  const error = source.last_error;
  const when = source.last_error_age_seconds;
  const node = element(
    'article',
    { class: 'source', 'aria-label': `Source ${id}` },
    element('div', { class: 'card-head' }, element('h3', {}, id, ' ', ...marks), resetButton(id, context)),
    element('p', { class: 'muted' }, rows.join(' · ')),
  );
  if (error !== null) {
    const since = when === null ? '' : ` (${formatDuration(when)} ago)`;
    const text = element('p', {}, element('strong', {}, 'Last error: '), `${error}${since}`);
    node.append(element('div', { class: 'alert', 'data-level': stale ? 'error' : 'warning' }, text));
  }
  if (source.providers.length > 0) node.append(providerTable(source));
  return node;
}

function providerTable({ id, providers }: RootSource): HTMLElement {
  return table(
    `Providers of ${id}`,
    [
      { title: 'Provider', isHead: true, cell: ({ host }) => host },
      { title: 'State', cell: ({ state }) => badge(state, state === 'up' ? 'good' : 'note') },
      { title: 'Since', cell: ({ since }) => (since === null ? '–' : relativeTime(since)) },
      { title: 'Last error', cell: ({ last_error }) => last_error ?? 'none' },
    ],
    providers,
  );
}

function resetButton(id: string, context: ViewContext): HTMLElement {
  return actionButton({
    text: 'Read anew',
    context,
    attributes: { class: 'danger', 'aria-label': `Read source ${id} anew` },
    question: {
      title: `Read the source ${id} anew?`,
      text: 'Its roots are withdrawn and its scan begins again. Until it has read the current root, proofs over the withdrawn roots are refused. Roots that operators added stay.',
      action: 'Read anew',
    },
    async run() {
      await context.api.post(`/roots/sources/${encodeURIComponent(id)}/reset`);
      context.reload();
      return `The source ${id} begins anew.`;
    },
  });
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
