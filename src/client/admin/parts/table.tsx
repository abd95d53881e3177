/** Tables, their columns, and what is in their cells. */
import type { ComponentChildren, VNode } from 'preact';

/** Returns the content of a cell. */
export type Cell<T> = (row: T) => ComponentChildren;

/** One column: its heading, and the cell of a row. */
export interface Column<T> {
  readonly title: string;
  readonly cell: Cell<T>;
  readonly kind?: 'number' | 'code' | 'controls';
  /** Whether its cells name their rows. */
  readonly isHead?: boolean;
}

/** Returns the column whose cells name their rows. */
export function head<T>(title: string, cell: Cell<T>): Column<T> {
  return { title, cell, isHead: true };
}

/** Returns a column. */
export function column<T>(title: string, cell: Cell<T>): Column<T> {
  return { title, cell };
}

/** Returns a column of numbers. */
export function amounts<T>(title: string, cell: Cell<T>): Column<T> {
  return { title, cell, kind: 'number' };
}

/** Returns a column of identifiers. */
export function codes<T>(title: string, cell: Cell<T>): Column<T> {
  return { title, cell, kind: 'code' };
}

/** Returns a column of buttons. */
export function controls<T>(title: string, cell: Cell<T>): Column<T> {
  return { title, cell, kind: 'controls' };
}

/** Parts of a table. */
export interface TableParts<T> {
  readonly caption: string;
  readonly isCaptionShown?: boolean;
  readonly columns: readonly Column<T>[];
}

/**
 * Returns a table in a frame that scrolls by itself and can be focused for that. On a narrow screen each row becomes a card
 * whose cells repeat the headings of the columns; the roles keep the meaning of a table there.
 */
export function table<T>({ caption, isCaptionShown, columns }: TableParts<T>, rows: readonly T[]): VNode {
  const heads = columns.map(({ title, kind }) => (
    <th scope="col" data-kind={kind} role="columnheader">
      {title}
    </th>
  ));
  return (
    <div class="table-frame">
      <table role="table">
        <caption class={isCaptionShown === true ? undefined : 'visually-hidden'}>{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">{heads}</tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr role="row">{columns.map((column) => cellOf(column, row))}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function cellOf<T>({ title, cell, kind, isHead }: Column<T>, row: T): VNode {
  const name = (
    <span class="cell-name" aria-hidden="true">
      {title}
    </span>
  );
  const parts = [name, <div class="cell-value">{cell(row)}</div>];
  const props = { 'data-kind': kind, children: parts };
  return isHead === true ? <th scope="row" role="rowheader" {...props} /> : <td role="cell" {...props} />;
}

/** Returns an identifier; a short one is cut on screen, whole on hover and when it is copied. */
export function code(text: string, isShort = false): VNode {
  return (
    <code class={isShort ? 'short' : 'whole'} title={isShort ? text : undefined}>
      {text}
    </code>
  );
}

/** Returns a line in a cell; a small one below what the cell is about. */
export function line(...children: ComponentChildren[]): VNode {
  return <span class="block">{children}</span>;
}

/** Returns a small line below the content of a cell. */
export function small(...children: ComponentChildren[]): VNode {
  return <small class="block">{children}</small>;
}

/** Returns texts below each other. */
export function lines(items: readonly ComponentChildren[]): VNode {
  return <span class="lines">{[...items]}</span>;
}
