import { element } from '../../../dom.ts';
import type { Listed } from '../../api/client.ts';
import type { Root } from '../../api/types.ts';
import type { View } from '../../context.ts';
import { badge, card, emptyState } from '../../parts/feedback.ts';
import { formatExact } from '../../parts/format.ts';
import { pager } from '../../parts/pager.ts';
import { type Column, code, link, table } from '../../parts/table.ts';
import { relativeTime } from '../../parts/time.ts';

const PAGE_ROWS = 50;

/** Roots of one tree, the newest first: `#/roots/staging/orb`. */
export const rootHistoryView: View = {
  title: 'Roots of a tree',
  async render({ api, path, signal, announce, rename }, target) {
    const [environment = '', tree = ''] = path;
    rename(`Roots of ${tree}, ${environment}`);
    const rows = pager<Root>({
      ...{ name: 'roots', signal, announce },
      read: (cursor, ended) =>
        api.get<Listed<Root>>(
          '/roots',
          { environment, tree, order: 'newest', cursor, limit: PAGE_ROWS },
          ended,
        ),
      show: (items) =>
        items.length > 0
          ? [table(`Roots of ${tree}, the newest first`, COLUMNS, items)]
          : [emptyState('No roots yet.', 'Neither a source nor an operator has added a root of this tree.')],
    });
    target.append(
      element('nav', { 'aria-label': 'Place', class: 'crumbs' }, link('← All roots', '/roots')),
      card('History', [element('p', { class: 'lead' }, ageRule(tree)), rows.node]),
    );
    await rows.load();
  },
};

/** Says how long roots of a tree are accepted (src/docs/spec/verification.md#root-age, src/docs/spec/worldid4.md#state). */
function ageRule(tree: string): string {
  const past =
    tree === 'account'
      ? 'a past one until the window of its registry has passed since it was superseded.'
      : 'a past one as long as the max_age of the request allows, counted from when it was received.';
  return `The current root is accepted at any age, ${past}`;
}

/** Creates the link to the history of a tree. */
export function historyLink({ environment, tree }: Pick<Root, 'environment' | 'tree'>): HTMLElement {
  const node = link('History', `/roots/${environment}/${tree}`);
  node.append(element('span', { class: 'visually-hidden' }, ` of ${tree}, ${environment}`));
  return node;
}

const COLUMNS: readonly Column<Root>[] = [
  {
    title: 'Received',
    isHead: true,
    cell: ({ received_at }) => whenOf(received_at),
  },
  { title: 'Root', kind: 'code', cell: ({ root }) => code(root, true) },
  {
    title: 'Superseded',
    cell: ({ superseded_at }) => (superseded_at === null ? badge('current', 'good') : whenOf(superseded_at)),
  },
  { title: 'Source', cell: ({ source }) => source },
  { title: 'Verifying key', cell: ({ key }) => key ?? 'that of the tree' },
];

function whenOf(time: string): Node[] {
  return [relativeTime(time), element('small', { class: 'block' }, formatExact(Date.parse(time)))];
}
