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
  lead: 'A past root is accepted for as long as the rules of its tree allow, counted from when it was superseded.',
  async render({ api, path, signal, announce, rename }, target) {
    const [environment = '', tree = ''] = path;
    rename(`Roots of ${tree}, ${environment}`);
    const rows = pager<Root>({
      ...{ name: 'roots', signal, announce },
      read: (cursor) =>
        api.get<Listed<Root>>(
          '/roots',
          { environment, tree, order: 'newest', cursor, limit: PAGE_ROWS },
          signal,
        ),
      show: (items) =>
        items.length > 0
          ? [table(`Roots of ${tree}, the newest first`, COLUMNS, items)]
          : [emptyState('No roots yet.', 'Neither a source nor an operator has added a root of this tree.')],
    });
    target.append(
      element('nav', { 'aria-label': 'Place', class: 'crumbs' }, link('← All roots', '/roots')),
      card('History', [rows.node]),
    );
    await rows.load();
  },
};

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
