import { LRUCache } from 'lru-cache';
import { ServiceError } from '../../errors/service-error.ts';
import { columns, type RowOf } from '../columns.ts';
import type { Driver, SqlRow, Statement } from '../drivers/driver.ts';
import { keysTemplate, rowsTemplate, sharedRowsTemplate } from '../sql.ts';
import { addMark, allOrNothing, writeAll } from '../transaction.ts';
import { ENVIRONMENTS } from '../values.ts';
import { GroupCommit } from './group-commit.ts';
import {
  ACTION,
  actionHash,
  distinctRows,
  type NullifierBatch,
  type NullifierEntry,
  type NullifierRecord,
  type NullifierRow,
  nullifierKey,
  PLACE,
  toBatches,
  toRow,
  WRITTEN,
} from './nullifier-rows.ts';

/** Much shorter than anything that could remove an action, and much longer than the time between groups. */
const SEEN_MS = 60_000;
const MAX_SEEN_ACTIONS = 1024;
/** Share of known nullifiers in the last group from which a lookup before the write pays off. */
const MIN_KNOWN_SHARE_FOR_LOOKUP = 0.5;

const { nullifier, createdAt, rowId } = WRITTEN.members;
const STORED = columns({ nullifier, createdAt, rowId });
/** A stored nullifier: the time of its recording, and the id that only its writer knows. */
type StoredNullifier = RowOf<typeof STORED>;
const ADDED = columns({ rowId });

const insertNew = sharedRowsTemplate(PLACE.width, WRITTEN.width, insertText);
/** Returns the row id of each row that was not stored yet. */
const insertReturning = sharedRowsTemplate(
  PLACE.width,
  WRITTEN.width,
  (list) => `${insertText(list)} returning ${ADDED.list()}`,
);
const storedByKey = keysTemplate(
  1,
  (list) => `select ${STORED.list()} from nullifiers where environment = $1 and nullifier in (${list})`,
);
/** Adds the actions that are not stored yet; stored descriptions stay unchanged. */
const insertActions = rowsTemplate(
  ACTION.width,
  (list) =>
    `insert into actions (${ACTION.list()}) values ${list} on conflict (app_id, action_hash, environment) do nothing`,
);

function insertText(list: string): string {
  return `insert into nullifiers (${PLACE.list()}, ${WRITTEN.list()}) values ${list} on conflict (nullifier, environment) do nothing`;
}

/** Receives the measurements of the nullifier store. */
export interface NullifierObserver {
  /** Reports a group commit: its rows and its duration. */
  nullifierCommit(rows: number, seconds: number): void;
  retry(operation: string): void;
}

/** Sizes of groups (spec/operations.md#group-commit). */
export interface GroupSettings {
  readonly groupMaxRows: number;
  readonly groupMaxDelayMs: number;
}

/** The nullifier store of a driver. */
export type ClosableNullifierStore = ReturnType<typeof createNullifierStore>;
/** Durable record of used nullifiers; one row for (environment, nullifier), never changed. */
export type NullifierStore = Pick<ClosableNullifierStore, 'record'>;

/** Creates a store that records nullifiers in groups, one durable commit per group. */
export function createNullifierStore(
  driver: Driver,
  settings: GroupSettings,
  observer: NullifierObserver | undefined,
) {
  const commits = new NullifierCommits(driver, observer);
  const group = new GroupCommit<NullifierRow, NullifierRecord>({
    maxRows: settings.groupMaxRows,
    maxDelayMs: settings.groupMaxDelayMs,
    inFlight: driver.traits.groupsInFlight,
    commit: (rows, attempt) => commits.commit(rows, attempt),
    onRetry: () => observer?.retry('nullifiers.record'),
  });
  return {
    /**
     * Records a nullifier. Resolves after its commit; of concurrent callers exactly one gets `isNew`.
     *
     * @throws ServiceError `store.unreachable`, `store.failed`
     */
    record(entry: NullifierEntry): Promise<NullifierRecord> {
      let row: NullifierRow;
      try {
        row = toRow(entry);
      } catch (error) {
        return Promise.reject(error);
      }
      return group.add(row);
    },
    /** Commits the waiting rows and refuses further ones. */
    close: (): Promise<void> => group.close(),
  };
}

/** Commits groups of rows, one transaction each. */
class NullifierCommits {
  readonly #driver: Driver;
  readonly #observer: NullifierObserver | undefined;
  /** Actions that were committed a moment ago: most groups need not write one, and then have a single statement. */
  readonly #seenActions = new LRUCache<string, true>({ max: MAX_SEEN_ACTIONS, ttl: SEEN_MS });
  /** Share of the last group's nullifiers that were already stored. */
  #knownShare = 0;

  constructor(driver: Driver, observer: NullifierObserver | undefined) {
    this.#driver = driver;
    this.#observer = observer;
  }

  async commit(rows: readonly NullifierRow[], attempt: number): Promise<NullifierRecord[]> {
    const { sorted, repeats } = distinctRows(rows);
    const unseen = this.#unseenActions(rows);
    const actions = insertActions(
      [...unseen.values()].map((row) =>
        ACTION.values({ ...row, description: row.actionDescription, hash: actionHash(row.action) }),
      ),
    );
    // The first attempt may have been committed without its standby: only a later commit shows that it has the rows.
    if (attempt > 1) actions.push(addMark('settlement'));
    const start = performance.now();
    // If most are known, for example when people prove again, a lookup first saves the write.
    const looksFirst = this.#knownShare >= MIN_KNOWN_SHARE_FOR_LOOKUP;
    const known = looksFirst
      ? await readPresent(this.#driver, sorted, actions)
      : new Map<string, StoredNullifier>();
    const missing = known.size === 0 ? sorted : sorted.filter((row) => !known.has(keyOf(row)));
    // If all seem new, not returning the row ids of added rows saves a tenth of the work. A second
    // attempt may find rows of the first.
    const seemNew =
      this.#driver.traits.isRollbackFree && attempt === 1 && (looksFirst || this.#knownShare === 0);
    if (missing.length > 0) await this.#add(missing, actions, known, seemNew);
    for (const key of unseen.keys()) this.#seenActions.set(key, true);
    this.#observer?.nullifierCommit(rows.length, (performance.now() - start) / 1000);
    this.#knownShare = known.size / sorted.length;
    if (known.size === 0) return rows.map((row) => newRecord(row, repeats.get(row) ?? row));
    return rows.map((row) => recordOf(row, repeats.get(row) ?? row, known));
  }

  /** Adds rows; puts those that turn out to be stored already into `known`. */
  async #add(
    missing: readonly NullifierRow[],
    actions: readonly Statement[],
    known: Map<string, StoredNullifier>,
    seemNew: boolean,
  ): Promise<void> {
    if (seemNew && (await this.#addedAll(missing, actions))) return;
    const others = await this.#addNew(missing, actions);
    if (others.length === 0) return;
    for (const [key, stored] of await readPresent(this.#driver, others, [])) known.set(key, stored);
    if (!others.every((row) => known.has(keyOf(row))))
      throw new ServiceError('store.failed', 'a nullifier was neither written nor found');
  }

  /** Adds all rows; returns false and adds none if one is already stored. */
  async #addedAll(sorted: readonly NullifierRow[], actions: readonly Statement[]): Promise<boolean> {
    const inserts = this.#batchesOf(sorted).map((batch) => ({
      ...insertNew(PLACE.values(batch[0]), batch.map(WRITTEN.values)),
      mustChange: batch.length,
    }));
    return await allOrNothing(this.#driver, [...inserts, ...actions]);
  }

  /** Adds the rows that are not stored yet; returns the others. */
  async #addNew(
    sorted: readonly NullifierRow[],
    actions: readonly Statement[],
  ): Promise<readonly NullifierRow[]> {
    const batches = this.#batchesOf(sorted);
    const inserts = batches.map((batch) =>
      insertReturning(PLACE.values(batch[0]), batch.map(WRITTEN.values)),
    );
    const results = await writeAll(this.#driver, [...inserts, ...actions]);
    return batches.flatMap((batch, index) => {
      const added = new Set((results[index] ?? []).map((row) => ADDED.toRow(row).rowId));
      return batch.filter((row) => !added.has(row.rowId));
    });
  }

  /** Returns the first row of each action that was not seen lately, in an order that avoids deadlocks. */
  #unseenActions(rows: readonly NullifierRow[]): Map<string, NullifierRow> {
    const actions = new Map<string, NullifierRow>();
    let last: NullifierRow | undefined;
    for (const row of rows) {
      if (last !== undefined && isSameAction(last, row)) continue;
      last = row;
      const key = actionKey(row);
      if (!actions.has(key) && !this.#seenActions.has(key)) actions.set(key, row);
    }
    return new Map([...actions].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  #batchesOf(sorted: readonly NullifierRow[]): NullifierBatch[] {
    const { maxGroupStatementRows, anyGroupStatementRows } = this.#driver.traits;
    return toBatches(sorted, maxGroupStatementRows, anyGroupStatementRows);
  }
}

/** Returns the record of a row whose winner is new. */
function newRecord(row: NullifierRow, winner: NullifierRow): NullifierRecord {
  return { isNew: winner === row, createdAt: winner.createdAt };
}

function recordOf(
  row: NullifierRow,
  winner: NullifierRow,
  known: ReadonlyMap<string, StoredNullifier>,
): NullifierRecord {
  const stored = known.get(keyOf(winner));
  if (stored === undefined) return newRecord(row, winner);
  // If the first attempt was committed but its answer was lost, the stored row is this group's.
  return { isNew: winner === row && stored.rowId === row.rowId, createdAt: stored.createdAt };
}

/**
 * Reads the rows that are already stored, through the writer: in the transaction of `first`, so that it sees
 * what those statements left, on the thread that serializes all writes.
 *
 * @param first - Statements that run earlier in the same transaction.
 */
async function readPresent(
  driver: Driver,
  rows: readonly NullifierRow[],
  first: readonly Statement[],
): Promise<Map<string, StoredNullifier>> {
  const found = new Map<string, StoredNullifier>();
  const lookups = ENVIRONMENTS.flatMap((environment) => {
    const nullifiers = rows.flatMap((row) => (row.environment === environment ? [row.nullifier] : []));
    return storedByKey([environment], nullifiers).map((statement) => ({ environment, statement }));
  });
  const results = await writeAll(driver, [...first, ...lookups.map(({ statement }) => statement)]);
  lookups.forEach(({ environment }, index) => {
    for (const stored of (results[first.length + index] as SqlRow[]).map(STORED.toRow)) {
      found.set(nullifierKey(environment, stored.nullifier), stored);
    }
  });
  return found;
}

function keyOf({ environment, nullifier }: NullifierRow): string {
  return nullifierKey(environment, nullifier);
}

function isSameAction(one: NullifierRow, other: NullifierRow): boolean {
  return one.appId === other.appId && one.action === other.action && one.environment === other.environment;
}

function actionKey({ appId, action, environment }: NullifierRow): string {
  return JSON.stringify([appId, action, environment]);
}
