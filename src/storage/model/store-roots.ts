import type { Bytes32, Environment, Tree } from '../values.ts';
import type { IssuerKey4Row, OprfKey4Row } from './store-worldid4.ts';

/** Roots of a tree that come first in a list, by the time at which they were received. */
export type RootOrder = 'oldest' | 'newest';

/** A root of a tree. Times are milliseconds since the epoch; `supersededAt` null means current. */
export interface RootRow {
  readonly environment: Environment;
  readonly tree: Tree;
  readonly root: Bytes32;
  readonly receivedAt: number;
  readonly supersededAt: number | null;
  readonly source: string;
  /** Verifying key of this root, or null for the key of the tree. */
  readonly keyId: string | null;
}

/** Place of a root in the list of its tree. */
export type RootPlace = Pick<RootRow, 'receivedAt' | 'root'>;

/** The root registry (spec/verification.md#roots). */
export interface RootStore {
  find(environment: Environment, tree: Tree, root: Bytes32): Promise<RootRow | undefined>;
  /** Lists all rows, ordered by environment, tree, received_at. */
  list(filter?: { environment?: Environment; tree?: Tree }): Promise<RootRow[]>;
  /**
   * Lists one page of the roots of a tree.
   *
   * @param after - Only roots after this one, in the order of the list.
   * @param order - Which roots come first; the oldest if absent.
   */
  page(
    environment: Environment,
    tree: Tree,
    limit: number,
    after?: RootPlace,
    order?: RootOrder,
  ): Promise<RootRow[]>;
  /** Lists the current root of each tree that has one. */
  listCurrent(): Promise<RootRow[]>;
  /**
   * Adds or updates roots in one transaction, in order. A row without `supersededAt` becomes the current one of its
   * (environment, tree) and supersedes the former at its own `receivedAt`, unless that one was received later: then it
   * becomes a past root that was superseded when the current one was received.
   */
  put(rows: readonly RootRow[]): Promise<void>;
  /** Removes superseded roots received before `time` (milliseconds since the epoch); returns their number. */
  prune(time: number): Promise<number>;
}

/** A block by number and hash. */
export interface BlockRef {
  readonly block: number;
  readonly blockHash: Bytes32;
}

/** How far the chain of a source has been read. Times are milliseconds since the epoch. */
export interface SourceProgress {
  /** First block of the scan; null until it is known. */
  readonly scanFrom: number | null;
  /** Last block that was read; null until the first block of the scan is known. */
  readonly checkpoint: BlockRef | null;
  /** Time of the last block up to which the current root is known; null before the first round. */
  readonly targetTime: number | null;
  /** Block up to which the look-back must be read; null once it has been read. */
  readonly backfillTo: number | null;
  /** Roots that were taken as current before the look-back was read, the last one being current. */
  readonly provisional: readonly Bytes32[];
  /** When logs were last read. */
  readonly logsAt: number;
  /** When all keys were last read. */
  readonly keysAt: number;
}

/** State of a source of roots. */
export interface RootSourceRow extends SourceProgress {
  readonly id: string;
  /** Raised by every change that depends on the state. */
  readonly version: number;
  readonly environment: Environment;
  readonly tree: Tree;
  /** Identifies the contracts that the state is about. */
  readonly configHash: string;
  readonly lastOkAt: number | null;
  /** Code and message of the last failure. */
  readonly lastError: string | null;
  readonly lastErrorAt: number | null;
  /** State of the providers as the last round found them, as JSON. */
  readonly providers: string | null;
}

/** A change of the root that a source recorded. */
export interface RootEventRow extends BlockRef {
  /** Position in the block; −1 for a root that was current before the first change of the scan. */
  readonly logIndex: number;
  readonly root: Bytes32;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** When a root was current: milliseconds since the epoch, `supersededAt` null while it is. */
export interface RootLife {
  readonly root: Bytes32;
  readonly receivedAt: number;
  readonly supersededAt: number | null;
}

/** What one step of a round changes, in one transaction. */
export interface SourceChange {
  readonly source: Pick<RootSourceRow, 'id' | 'version' | 'environment' | 'tree'>;
  readonly progress: SourceProgress;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly providers: string;
  /** Removes the changes above this block. */
  readonly dropEventsAbove?: number;
  readonly events: readonly RootEventRow[];
  readonly lives: readonly RootLife[];
  /** Roots whose rows go, if they are of this source. */
  readonly withdrawn: readonly Bytes32[];
  readonly issuers: readonly IssuerKey4Row[];
  readonly oprfKeys: readonly OprfKey4Row[];
}

/**
 * State of the sources of roots (spec/roots.md#rounds). Any number of nodes may run rounds of one source: a change is
 * made only on the version that it was derived from.
 */
export interface RootSourceStore {
  find(id: string): Promise<RootSourceRow | undefined>;
  /** Lists all sources by id, also those that are no longer configured. */
  list(): Promise<RootSourceRow[]>;
  /**
   * Adds the state of a source that has none. If it has one for other contracts, withdraws all that is known of them first.
   */
  open(source: Pick<RootSourceRow, 'id' | 'environment' | 'tree' | 'configHash'>): Promise<RootSourceRow>;
  /** Returns the latest change. */
  lastEvent(id: string): Promise<RootEventRow | undefined>;
  /** Lists all changes in the order of the chain. */
  events(id: string): Promise<RootEventRow[]>;
  /** Makes a change; false, with nothing written, if another node has changed the source meanwhile. */
  commit(change: SourceChange): Promise<boolean>;
  /** Records the failure of a round. */
  fail(id: string, error: string, providers: string, now: number): Promise<void>;
  /**
   * Withdraws the roots and changes of a source, so that its scan starts anew.
   *
   * @returns False if there is no such source.
   */
  reset(id: string): Promise<boolean>;
  /**
   * Removes changes before a time (milliseconds since the epoch), but never the latest one; and, if a tree of World ID 4.0
   * is named, rows of its roots that were superseded before that time.
   */
  sweep(source: Pick<RootSourceRow, 'id' | 'environment' | 'tree'>, time: number): Promise<void>;
}

/** Work that one node does for all (spec/operations.md#single-use). Times are milliseconds since the epoch. */
export interface LeaseStore {
  /** Takes or prolongs a lease; false while another holder has it. */
  take(name: string, holder: string, now: number, until: number): Promise<boolean>;
  /** Gives a lease up. */
  release(name: string, holder: string): Promise<void>;
  /** Returns who holds a lease at a time; undefined if nobody does. */
  holder(name: string, now: number): Promise<string | undefined>;
}
