import { element } from '../../dom.ts';

/** Content of a cell. */
export type Cell = Node | string | readonly (Node | string)[];

/** One column: its heading, and the cell of a row. */
export interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => Cell;
  readonly kind?: 'number' | 'code' | 'controls';
  /** Whether its cells name their rows. */
  readonly isHead?: boolean;
}

/**
 * Creates a table in a frame that scrolls by itself and can be focused for that. On a narrow screen each row becomes a
 * card whose cells repeat the headings of the columns.
 */
export function table<T>(
  caption: string,
  columns: readonly Column<T>[],
  rows: readonly T[],
  isCaptionShown = false,
): HTMLElement {
  const head = columns.map(({ title, kind }) =>
    element('th', { scope: 'col', 'data-kind': kind, role: 'columnheader' }, title),
  );
  // The roles keep the meaning of a table where its rows are laid out as cards.
  const body = rows.map((row) =>
    element('tr', { role: 'row' }, ...columns.map((column) => cellOf(column, row))),
  );
  const captionClass = isCaptionShown ? undefined : 'visually-hidden';
  return element(
    'div',
    { class: 'table-frame' },
    element(
      'table',
      { role: 'table' },
      element('caption', { class: captionClass }, caption),
      element('thead', { role: 'rowgroup' }, element('tr', { role: 'row' }, ...head)),
      element('tbody', { role: 'rowgroup' }, ...body),
    ),
  );
}

function cellOf<T>({ title, cell, kind, isHead }: Column<T>, row: T): HTMLElement {
  const content = cell(row);
  const nodes = Array.isArray(content) ? content : [content as Node | string];
  const name = element('span', { class: 'cell-name', 'aria-hidden': 'true' }, title);
  const value = element('div', { class: 'cell-value' }, ...nodes);
  return isHead === true
    ? element('th', { scope: 'row', 'data-kind': kind, role: 'rowheader' }, name, value)
    : element('td', { 'data-kind': kind, role: 'cell' }, name, value);
}

/** Creates an identifier that is cut on screen, whole on hover and when it is copied. */
export function code(text: string, isShort = false): HTMLElement {
  return element('code', { class: isShort ? 'short' : 'whole', title: isShort ? text : undefined }, text);
}

/** Creates a link that is large enough to be pressed. */
export function link(text: string, address: string): HTMLElement {
  return element('a', { class: 'link', href: `#${address}` }, text);
}
