import { element } from '../../dom.ts';
import type { Listed } from '../api/client.ts';
import { fill } from './feedback.ts';

/** Settings of a list that is read page by page. */
export interface PagerParts<T> {
  /** Name of the rows, for the text of the buttons. */
  readonly name: string;
  readonly signal: AbortSignal;
  /** The signal ends a read that a later one replaces. */
  readonly read: (cursor: string | undefined, signal: AbortSignal) => Promise<Listed<T>>;
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
  let cursors: readonly (string | undefined)[] = [undefined];
  let after: string | undefined;

  async function load(wanted: readonly (string | undefined)[]): Promise<void> {
    await fill(place, signal, async (ended) => {
      const { items, next_cursor: cursor } = await read(wanted.at(-1), ended);
      ended.throwIfAborted();
      cursors = wanted;
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
  /** Goes from the page on the screen; while another one is being read, which page is next is not known. */
  const turnTo = (wanted: () => readonly (string | undefined)[]) => (): void => {
    if (!place.hasAttribute('aria-busy')) void load(wanted());
  };
  previous.addEventListener(
    'click',
    turnTo(() => cursors.slice(0, -1)),
  );
  next.addEventListener(
    'click',
    turnTo(() => [...cursors, after]),
  );
  return {
    node: element('div', { class: 'pages' }, place, bar),
    load: (keepsPage = false) => load(keepsPage ? cursors : [undefined]),
  };
}
