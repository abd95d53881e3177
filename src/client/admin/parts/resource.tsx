import { batch, type Signal, signal, useSignal } from '@preact/signals';
import { type ComponentChildren, Fragment, type VNode } from 'preact';
import { useLayoutEffect, useMemo } from 'preact/hooks';
import type { InputOf, ItemOf, ListPlace, PagePlace } from '../api/client.ts';
import { useView, type View, type ViewContext } from '../context.ts';
import { empty, failure, type None, skeleton } from './content.tsx';
import { type TableParts, table } from './table.tsx';

type Read<T> = (signal: AbortSignal) => Promise<T>;

type Outcome<T> = { readonly round: number } & ({ readonly value: T } | { readonly error: unknown });

/** Content that is read, and may be read again. */
export interface Resource<T> {
  /** Outcome of the last read; undefined before the first. */
  readonly outcome: Signal<Outcome<T> | undefined>;
  readonly isBusy: Signal<boolean>;
  /**
   * Reads, and ends an earlier call that still reads. Resolves also if it fails.
   *
   * @param read - Replaces how it is read, from now on.
   */
  load(read?: Read<T>): Promise<void>;
}

function createResource<T>(read: Read<T>, ended: AbortSignal): Resource<T> {
  const outcome: Resource<T>['outcome'] = signal(undefined);
  const isBusy = signal(false);
  let current = read;
  let reading = new AbortController();
  let round = 0;
  return {
    outcome,
    isBusy,
    async load(wanted = current) {
      current = wanted;
      reading.abort();
      reading = new AbortController();
      const over = AbortSignal.any([ended, reading.signal]);
      isBusy.value = true;
      round++;
      const came: Outcome<T> = await wanted(over).then(
        (value) => ({ round, value }),
        (error: unknown) => ({ round, error }),
      );
      if (over.aborted) return;
      batch(() => {
        outcome.value = came;
        isBusy.value = false;
      });
    },
  };
}

/** Reads content when the view opens, and again when a dependency of `read` changes. */
export function useResource<T>(read: Read<T>, dependencies: readonly unknown[] = []): Resource<T> {
  const { signal: ended } = useView();
  const resource = useMemo(() => createResource(read, ended), []);
  useLayoutEffect(() => void resource.load(read), [...dependencies]);
  return resource;
}

/** Reads the items of a list that has one page. */
export function useList<P extends ListPlace>(place: P, input: InputOf<P>): Resource<readonly ItemOf<P>[]> {
  const { api } = useView();
  const read: Read<readonly ItemOf<P>[]> = async (signal) =>
    itemsOf(await api.call(place, input, { signal }));
  return useResource(read, [place, JSON.stringify(input)]);
}

/** Returns the items of a list: what the types of a place say of its output is lost where the place is a parameter. */
function itemsOf<P extends ListPlace>({ items }: { readonly items: readonly unknown[] }) {
  return items as readonly ItemOf<P>[];
}

interface LoadedProps<T> {
  readonly of: Resource<T>;
  readonly class?: string | undefined;
  /** Whether it is all that the view shows: the view is then opened again after a failure. */
  readonly isWhole?: boolean;
  readonly show: (value: T) => ComponentChildren;
}

function Loaded<T>({ of, class: name, isWhole = false, show }: LoadedProps<T>): VNode {
  const { reload } = useView();
  const outcome = of.outcome.value;
  let content: ComponentChildren;
  if (outcome === undefined) content = skeleton(isWhole ? 6 : 4);
  else if ('value' in outcome) content = show(outcome.value);
  else content = failure(outcome.error, isWhole ? reload : () => void of.load());
  // Elements are not reused for another read: their state, such as an opened part, belongs to other content.
  const fresh = <Fragment key={outcome?.round}>{content}</Fragment>;
  if (isWhole) return fresh;
  return (
    <div class={name} aria-busy={of.isBusy.value || undefined}>
      {fresh}
    </div>
  );
}

/**
 * Shows loaded content: a skeleton while loading, the reason and a retry button after a failure. Existing content is
 * kept until the new one has arrived, so that the layout does not jump.
 *
 * @param name - Class of its frame.
 */
export function loaded<T>(of: Resource<T>, show: (value: T) => ComponentChildren, name?: string): VNode {
  return <Loaded of={of} show={show} class={name} />;
}

/** Creates a view of one object, which is read first. */
export function objectView<T>(
  title: string,
  read: (context: ViewContext) => Promise<T>,
  show: (object: T) => ComponentChildren,
): View {
  const Content = (): VNode => {
    const context = useView();
    return <Loaded isWhole of={useResource(() => read(context))} show={show} />;
  };
  return { title, Content };
}

/** Parts of a table with loaded rows. */
export interface ListParts<T> extends TableParts<T> {
  /** Shown if there are no rows, with what may be done next. */
  readonly none: None;
  readonly step?: VNode;
}

/** Shows a table of rows that are read. */
export function list<T>(of: Resource<readonly T[]>, parts: ListParts<T>, name?: string): VNode {
  const show = (rows: readonly T[]) =>
    rows.length === 0 ? empty(parts.none, parts.step) : table(parts, rows);
  return loaded(of, show, name);
}

type Cursors = readonly (string | undefined)[];

/** Rows that are read page by page; only one page is in memory, however many there are. */
export interface Pages<T> {
  readonly name: string;
  readonly rows: Resource<readonly T[]>;
  /** Cursors of the pages up to the current one, and that of the next page. */
  readonly place: Signal<{ readonly cursors: Cursors; readonly next: string | undefined }>;
  /** Reads the first page, or with `true` the current one. */
  load(keepsPage?: boolean): Promise<void>;
  /** Reads the page of the last cursor, unless another one is being read: which page is next is not known then. */
  turnTo(cursors: Cursors): void;
}

/** Settings of `usePages`. */
export interface PagesSettings<P extends PagePlace> {
  /** Name of the rows, for the text of the buttons and what is said aloud. */
  readonly name: string;
  /** The first page is read again when it changes. */
  readonly input: Omit<InputOf<P>, 'cursor' | 'limit'>;
  /** Rows of a page. */
  readonly limit: number;
  readonly isSilent?: boolean;
}

/** Reads the rows of a list page by page. */
export function usePages<P extends PagePlace>(
  operation: P,
  { name, input, limit, isSilent = false }: PagesSettings<P>,
): Pages<ItemOf<P>> {
  const { api, announce } = useView();
  const place: Pages<ItemOf<P>>['place'] = useSignal({ cursors: [undefined], next: undefined });
  const pageOf =
    (cursors: Cursors): Read<readonly ItemOf<P>[]> =>
    async (over) => {
      const wanted = { ...input, cursor: cursors.at(-1), limit } as InputOf<P>;
      const page = await api.call(operation, wanted, { signal: over });
      const { next_cursor: next } = page;
      const items = itemsOf<P>(page);
      over.throwIfAborted();
      place.value = { cursors, next: next ?? undefined };
      if (!isSilent) announce(`${items.length} ${name}, page ${cursors.length}`);
      return items;
    };
  const rows = useResource(pageOf([undefined]), [operation, JSON.stringify(input)]);
  return {
    name,
    rows,
    place,
    load: (keepsPage = false) => rows.load(pageOf(keepsPage ? place.peek().cursors : [undefined])),
    turnTo(cursors) {
      if (!rows.isBusy.peek()) void rows.load(pageOf(cursors));
    },
  };
}

/** Shows a table of one page, with buttons for the page before and after. */
export function pagedList<T>(pages: Pages<T>, parts: ListParts<T>): VNode {
  const { cursors, next } = pages.place.value;
  const page = cursors.length;
  const turn = (text: string, isEnd: boolean, to: Cursors): VNode => (
    <button type="button" disabled={isEnd} onClick={() => pages.turnTo(to)}>
      {text}
    </button>
  );
  return (
    <div class="pages">
      {list(pages.rows, parts, 'page-rows')}
      <nav class="pager" aria-label={`Pages of ${pages.name}`} hidden={page === 1 && next === undefined}>
        {turn('Previous', page === 1, cursors.slice(0, -1))}
        <span class="muted">{`Page ${page}`}</span>
        {turn('Next', next === undefined, [...cursors, next])}
      </nav>
    </div>
  );
}
