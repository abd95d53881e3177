import { batch, type Signal, signal, useSignal } from '@preact/signals';
import { type ComponentChildren, Fragment, type VNode } from 'preact';
import { useLayoutEffect, useMemo } from 'preact/hooks';
import type { Listed, Query } from '../api/client.ts';
import { useView } from '../context.ts';
import { Skeleton } from './content.tsx';
import { Failure } from './problem.tsx';
import { Table, type TableProps } from './table.tsx';

type Read<T> = (signal: AbortSignal) => Promise<T>;

type Outcome<T> = { readonly round: number } & ({ readonly value: T } | { readonly error: unknown });

/** Content that is read, and may be read again. */
export interface Resource<T> {
  /** How the last read ended; undefined before. */
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
    ...{ outcome, isBusy },
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
export function useList<T>(path: string, query: Query = {}): Resource<readonly T[]> {
  const { api } = useView();
  const read: Read<readonly T[]> = async (over) => (await api.get<Listed<T>>(path, query, over)).items;
  return useResource(read, [path, JSON.stringify(query)]);
}

/** Parts of `Loaded`. */
export interface LoadedProps<T> {
  readonly from: Resource<T>;
  readonly class?: string;
  /** Whether it is all that the view shows: the view is then opened again after a failure. */
  readonly isWhole?: boolean;
  readonly children: (value: T) => ComponentChildren;
}

/**
 * Shows content that is read: a skeleton meanwhile, the reason and a second try if it fails. Content that is already there
 * stays until the new one has come, so that nothing jumps.
 */
export function Loaded<T>({ from, class: name, isWhole = false, children }: LoadedProps<T>): VNode {
  const { reload } = useView();
  const outcome = from.outcome.value;
  const retry = isWhole ? reload : () => void from.load();
  const content =
    outcome === undefined ? (
      <Skeleton lines={isWhole ? 6 : 4} />
    ) : 'error' in outcome ? (
      <Failure error={outcome.error} retry={retry} />
    ) : (
      children(outcome.value)
    );
  // Elements of another read are not used again: what a person did with them, such as opening a part, is about other content.
  const fresh = <Fragment key={outcome?.round}>{content}</Fragment>;
  if (isWhole) return fresh;
  return (
    <div class={name} aria-busy={from.isBusy.value || undefined}>
      {fresh}
    </div>
  );
}

/** What a table of rows that are read shows. */
export interface ListProps<T> extends Omit<TableProps<T>, 'rows'> {
  readonly of: Resource<readonly T[]>;
  readonly class?: string;
  /** Shown if there are no rows. */
  readonly none: ComponentChildren;
}

/** A table of rows that are read. */
export function List<T>({ of, class: name, none, ...table }: ListProps<T>): VNode {
  return (
    <Loaded from={of} {...(name === undefined ? {} : { class: name })}>
      {(rows) => (rows.length === 0 ? none : <Table {...table} rows={rows} />)}
    </Loaded>
  );
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
export interface PagesSettings {
  /** Name of the rows, for the text of the buttons and what is said aloud. */
  readonly name: string;
  readonly path: string;
  /** The first page is read again when it changes. */
  readonly query?: Query;
  /** Rows of a page. */
  readonly limit: number;
  readonly isSilent?: boolean;
}

/** Reads the rows of a list page by page. */
export function usePages<T>({ name, path, query = {}, limit, isSilent = false }: PagesSettings): Pages<T> {
  const { api, announce } = useView();
  const place: Pages<T>['place'] = useSignal({ cursors: [undefined], next: undefined });
  const pageOf =
    (cursors: Cursors): Read<readonly T[]> =>
    async (over) => {
      const wanted = { ...query, cursor: cursors.at(-1), limit };
      const { items, next_cursor: next } = await api.get<Listed<T>>(path, wanted, over);
      over.throwIfAborted();
      place.value = { cursors, next: next ?? undefined };
      if (!isSilent) announce(`${items.length} ${name}, page ${cursors.length}`);
      return items;
    };
  const rows = useResource(pageOf([undefined]), [path, JSON.stringify(query)]);
  return {
    ...{ name, rows, place },
    load: (keepsPage = false) => rows.load(pageOf(keepsPage ? place.peek().cursors : [undefined])),
    turnTo(cursors) {
      if (!rows.isBusy.peek()) void rows.load(pageOf(cursors));
    },
  };
}

/** What a table of pages shows. */
export interface PagedListProps<T> extends Omit<ListProps<T>, 'of'> {
  readonly of: Pages<T>;
}

/** A table of one page, with buttons for the page before and after. */
export function PagedList<T>({ of: pages, ...list }: PagedListProps<T>): VNode {
  const { cursors, next } = pages.place.value;
  const page = cursors.length;
  return (
    <div class="pages">
      <List of={pages.rows} class="page-rows" {...list} />
      <nav class="pager" aria-label={`Pages of ${pages.name}`} hidden={page === 1 && next === undefined}>
        <button type="button" disabled={page === 1} onClick={() => pages.turnTo(cursors.slice(0, -1))}>
          Previous
        </button>
        <span class="muted">{`Page ${page}`}</span>
        <button type="button" disabled={next === undefined} onClick={() => pages.turnTo([...cursors, next])}>
          Next
        </button>
      </nav>
    </div>
  );
}
