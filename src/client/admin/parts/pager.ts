import { element } from '../../dom.ts';
import type { Listed } from '../api/client.ts';
import { fill } from './feedback.ts';

/** Settings of a list that is read page by page. */
export interface PagerParts<T> {
  /** Name of the rows, for the text of the buttons. */
  readonly name: string;
  readonly signal: AbortSignal;
  readonly read: (cursor: string | undefined) => Promise<Listed<T>>;
  /** @param isFirst - Whether it is the first page. */
  readonly show: (rows: readonly T[], isFirst: boolean) => readonly Node[];
  readonly announce: (text: string) => void;
}

/** A list with buttons for the page before and after. */
export interface Pager {
  readonly node: HTMLElement;
  /** Reads the first page, or with `true` the current one. */
  load(keepsPage?: boolean): Promise<void>;
}

/** Creates a list; only one page is on the screen and in memory, however many rows there are. */
export function pager<T>({ name, signal, read, show, announce }: PagerParts<T>): Pager {
  const place = element('div', { class: 'page-rows' });
  const previous = element('button', { type: 'button' }, 'Previous');
  const next = element('button', { type: 'button' }, 'Next');
  const where = element('span', { class: 'muted' });
  const bar = element('nav', { class: 'pager', 'aria-label': `Pages of ${name}` }, previous, where, next);
  bar.hidden = true;
  /** Cursors of the pages up to the current one. */
  let cursors: (string | undefined)[] = [undefined];
  let after: string | undefined;
  /** Rises with each request, so that a slow answer does not replace a later one. */
  let turn = 0;

  async function load(): Promise<void> {
    turn++;
    const mine = turn;
    await fill(place, signal, async () => {
      const { items, next_cursor: cursor } = await read(cursors.at(-1));
      if (mine !== turn) return [...place.childNodes];
      after = cursor ?? undefined;
      const page = cursors.length;
      bar.hidden = page === 1 && after === undefined;
      previous.disabled = page === 1;
      next.disabled = after === undefined;
      where.textContent = `Page ${page}`;
      announce(`${items.length} ${name}, page ${page}`);
      return show(items, page === 1);
    });
  }
  previous.addEventListener('click', () => {
    cursors = cursors.slice(0, -1);
    void load();
  });
  next.addEventListener('click', () => {
    cursors = [...cursors, after];
    void load();
  });
  return {
    node: element('div', { class: 'pages' }, place, bar),
    async load(keepsPage = false) {
      if (!keepsPage) cursors = [undefined];
      await load();
    },
  };
}
