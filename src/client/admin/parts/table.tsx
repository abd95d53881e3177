import type { ComponentChildren, VNode } from 'preact';

/** One column: its heading, and the cell of a row. */
export interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => ComponentChildren;
  readonly kind?: 'number' | 'code' | 'controls';
  /** Whether its cells name their rows. */
  readonly isHead?: boolean;
}

/** What a table shows. */
export interface TableProps<T> {
  readonly caption: string;
  readonly isCaptionShown?: boolean;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
}

/**
 * A table in a frame that scrolls by itself and can be focused for that. On a narrow screen each row becomes a card whose
 * cells repeat the headings of the columns; the roles keep the meaning of a table there.
 */
export function Table<T>({ caption, isCaptionShown = false, columns, rows }: TableProps<T>): VNode {
  return (
    <div class="table-frame">
      <table role="table">
        <caption class={isCaptionShown ? undefined : 'visually-hidden'}>{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ title, kind }) => (
              <th scope="col" data-kind={kind} role="columnheader">
                {title}
              </th>
            ))}
          </tr>
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
  const content = (
    <>
      <span class="cell-name" aria-hidden="true">
        {title}
      </span>
      <div class="cell-value">{cell(row)}</div>
    </>
  );
  return isHead === true ? (
    <th scope="row" data-kind={kind} role="rowheader">
      {content}
    </th>
  ) : (
    <td data-kind={kind} role="cell">
      {content}
    </td>
  );
}
