import { element } from '../../dom.ts';
import type { Listed } from '../api/client.ts';
import type { AuditRow } from '../api/types.ts';
import type { View } from '../context.ts';
import { badge, card, emptyState } from '../parts/feedback.ts';
import { formField } from '../parts/form.ts';
import { differencesOf, formatExact } from '../parts/format.ts';
import { pager } from '../parts/pager.ts';
import { type Column, code, table } from '../parts/table.ts';
import { relativeTime } from '../parts/time.ts';

const PAGE_ROWS = 50;
const MAX_OPEN_ITEMS = 4;
const FILTERS = [
  ['actor', 'Who', 'For example cli:root or api:config'],
  ['action', 'Action', 'For example app.updated'],
  ['target', 'Object', 'For example an app_id'],
] as const;

/** Who changed what and when. */
export const auditView: View = {
  title: 'Audit',
  lead: 'Every change, the latest first, whether from this page, the API, the command line or the configuration. Rows are never changed; proofgate audit verify proves it.',
  async render({ api, query, remember, signal, announce }, target) {
    const fields = FILTERS.map(([name, label, hint]) => {
      const control = element('input', {
        name,
        type: 'search',
        value: query.get(name) ?? '',
        autocomplete: 'off',
      });
      return { name, control, node: formField(name, label, control, hint).node };
    });
    const values = (): Record<string, string> =>
      Object.fromEntries(fields.map(({ name, control }) => [name, control.value.trim()]));
    /** What the list is filtered by: a field that is being typed in counts once it is sent. */
    let chosen = values();
    const clear = element('button', { type: 'button' }, 'Clear');
    const filters = element(
      'form',
      { class: 'filters', 'aria-label': 'Filters', role: 'search' },
      ...fields.map(({ node }) => node),
      element('div', { class: 'buttons' }, element('button', { class: 'primary' }, 'Filter'), clear),
    );
    const rows = pager<AuditRow>({
      ...{ name: 'changes', signal, announce },
      read: (cursor, ended) =>
        api.get<Listed<AuditRow>>('/audit', { ...chosen, cursor, limit: PAGE_ROWS }, ended),
      show(items) {
        if (items.length > 0) return [table('Changes, the latest first', COLUMNS, items)];
        const isFiltered = Object.values(chosen).some((value) => value !== '');
        return isFiltered
          ? [emptyState('No change fits.', 'The filters compare whole values. Clear one of them.')]
          : [emptyState('No changes yet.', 'Whatever you change is listed here.')];
      },
    });
    const load = (): void => {
      chosen = values();
      remember(chosen);
      void rows.load();
    };
    filters.addEventListener('submit', (event) => {
      event.preventDefault();
      load();
    });
    clear.addEventListener('click', () => {
      for (const { control } of fields) control.value = '';
      load();
    });
    target.append(card('Filters', [filters]), card('Changes', [rows.node]));
    await rows.load();
  },
};

const COLUMNS: readonly Column<AuditRow>[] = [
  {
    title: 'When',
    isHead: true,
    cell: ({ at }) => [relativeTime(at), element('small', { class: 'block' }, formatExact(Date.parse(at)))],
  },
  { title: 'Who', cell: ({ actor }) => actor },
  {
    title: 'What',
    cell: ({ action, target }) => [badge(action), element('span', { class: 'block' }, code(target))],
  },
  { title: 'Change', cell: (row) => differenceList(row) },
];

function differenceList({ before, after }: AuditRow): HTMLElement | string {
  const list = differencesOf(before, after);
  if (list.length === 0) return '–';
  const items = list.map((one) => {
    const name = element('span', { class: 'change-name' }, one.name);
    const parts: (Node | string)[] = [];
    if (one.before !== undefined) {
      parts.push(element('span', { class: 'visually-hidden' }, ' was '), element('del', {}, one.before));
    }
    if (one.after !== undefined) {
      parts.push(element('span', { class: 'visually-hidden' }, ' is now '), element('ins', {}, one.after));
    }
    return element('li', {}, name, ...parts);
  });
  const node = element('ul', { class: 'changes' }, ...items);
  // A new object has many values, none of which was changed.
  if (items.length <= MAX_OPEN_ITEMS) return node;
  const words =
    before === null ? 'values of the new object' : after === null ? 'values that it had' : 'changes';
  return element('details', {}, element('summary', {}, `${items.length} ${words}`), node);
}
