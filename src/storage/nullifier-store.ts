import { createHash } from 'node:crypto';
import { ServiceError } from '../errors/index.ts';
import type { Driver, Statement } from './drivers/driver.ts';
import { GroupCommit } from './group-commit.ts';
import { distinctRows, type NullifierRow, nullifierKey, toBatches, toRow } from './nullifier-rows.ts';
import { textColumn } from './statements/columns.ts';
import {
  insertActions,
  insertNewNullifiers,
  insertNullifiers,
  nullifiersByKey,
  type StoredNullifier,
  toStoredNullifier,
  type WrittenNullifier,
} from './statements/nullifiers.ts';
import { ENVIRONMENTS } from './statements/roots.ts';
import type { Environment, NullifierRecord, NullifierStore, StoreObserver, StoreSettings } from './store.ts';

/** The nullifier store, and the flush of what waits. */
export interface ClosableNullifierStore extends NullifierStore {
  close(): Promise<void>;
}

/** Records nullifiers in groups, each group one durable commit. */
export function createNullifierStore(
  driver: Driver,
  settings: Pick<StoreSettings, 'groupMaxRows' | 'groupMaxDelayMs'>,
  observer: StoreObserver | undefined,
): ClosableNullifierStore {
  const commits = new NullifierCommits(driver, observer);
  const group = new GroupCommit<NullifierRow, NullifierRecord>({
    maxRows: settings.groupMaxRows,
    maxDelayMs: settings.groupMaxDelayMs,
    commit: (rows, attempt) => commits.commit(rows, attempt),
    onRetry: () => observer?.retry('nullifiers.record'),
  });
  return {
    record(entry) {
      try {
        return group.add(toRow(entry));
      } catch (error) {
        return Promise.reject(error);
      }
    },
    close: () => group.close(),
  };
}

/** Commits groups of rows, one transaction each. */
class NullifierCommits {
  readonly #driver: Driver;
  readonly #observer: StoreObserver | undefined;
  /** Whether the last group had a nullifier that was there before. */
  #metKnown = false;

  constructor(driver: Driver, observer: StoreObserver | undefined) {
    this.#driver = driver;
    this.#observer = observer;
  }

  async commit(rows: readonly NullifierRow[], attempt: number): Promise<NullifierRecord[]> {
    const { sorted, repeats } = distinctRows(rows);
    const actions = insertActions(actionsOf(rows).map((entry) => ({ entry, hash: hashOf(entry.action) })));
    const start = performance.now();
    // Nearly always all are new; to have no names of added rows come back saves a tenth of the work. A second attempt
    // may find rows of the first.
    const isQuick = attempt === 1 && !this.#metKnown && (await this.#addedAll(sorted, actions));
    const inserted = isQuick ? undefined : await this.#addNew(sorted, actions);
    this.#observer?.nullifierCommit(rows.length, (performance.now() - start) / 1000);
    const others = inserted === undefined ? [] : sorted.filter((row) => !inserted.has(row));
    this.#metKnown = others.length > 0;
    if (inserted === undefined || !this.#metKnown) {
      return rows.map((row) => newRecord(row, repeats.get(row) ?? row));
    }
    const present = await readPresent(this.#driver, others);
    return rows.map((row) => recordOf(row, repeats.get(row) ?? row, inserted, present, attempt));
  }

  /** Adds all rows; where one is there already, gives false and adds none. */
  async #addedAll(sorted: readonly NullifierRow[], actions: readonly Statement[]): Promise<boolean> {
    const inserts = toBatches(sorted, false).map((batch) =>
      insertNewNullifiers(batch[0], batch.map(toWrite)),
    );
    const results = await this.#driver.write([...inserts, ...actions]);
    // an action follows the last of them, so that one that does not hold leaves fewer
    return results.length > inserts.length;
  }

  /** Adds the rows that are not there, and gives those. */
  async #addNew(
    sorted: readonly NullifierRow[],
    actions: readonly Statement[],
  ): Promise<ReadonlySet<NullifierRow>> {
    const batches = toBatches(sorted, true);
    const inserts = batches.map((batch) => insertNullifiers(batch[0], batch.map(toWrite)));
    const results = await this.#driver.write([...inserts, ...actions]);
    const inserted = new Set<NullifierRow>();
    for (const [index, batch] of batches.entries()) {
      const added = new Set((results[index] ?? []).map((row) => textColumn(row[0])));
      for (const row of batch) if (added.has(row.requestId)) inserted.add(row);
    }
    return inserted;
  }
}

/** The first entry of each action, sorted as rows are, and for the same reason. */
function actionsOf(rows: readonly NullifierRow[]): NullifierRow[] {
  const actions = new Map<string, NullifierRow>();
  let last: NullifierRow | undefined;
  for (const row of rows) {
    if (last !== undefined && isSameAction(last, row)) continue;
    last = row;
    const key = actionKey(row);
    if (!actions.has(key)) actions.set(key, row);
  }
  return [...actions].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
}

/** The record of a row whose winner is new. */
function newRecord(row: NullifierRow, winner: NullifierRow): NullifierRecord {
  return { isNew: winner === row, createdAt: winner.createdAt };
}

function recordOf(
  row: NullifierRow,
  winner: NullifierRow,
  inserted: ReadonlySet<NullifierRow>,
  present: ReadonlyMap<string, StoredNullifier>,
  attempt: number,
): NullifierRecord {
  if (inserted.has(winner)) return newRecord(row, winner);
  const stored = present.get(nullifierKey(row.environment, row.nullifier));
  if (stored === undefined) {
    throw new ServiceError('store.failed', 'a nullifier was neither written nor found');
  }
  // The first attempt may have been committed and its answer lost: then the row is the one of this group. On the
  // first attempt a row that is there is another's, even under the same request id, which a proxy may repeat.
  const isMine =
    attempt > 1 && winner === row && stored.requestId === row.requestId && stored.createdAt === row.createdAt;
  return { isNew: isMine, createdAt: stored.createdAt };
}

/** Rows that were there before. Read as a write, in a transaction of their own: a replica may not know them yet. */
async function readPresent(
  driver: Driver,
  rows: readonly NullifierRow[],
): Promise<Map<string, StoredNullifier>> {
  const found = new Map<string, StoredNullifier>();
  const statements = ENVIRONMENTS.flatMap((environment) => {
    const nullifiers = rows.flatMap((row) => (row.environment === environment ? [row.nullifier] : []));
    return nullifiersByKey(environment, nullifiers).map((statement) => ({ environment, statement }));
  });
  const results = await driver.write(statements.map(({ statement }) => statement));
  results.forEach((stored, index) => {
    const environment = statements[index]?.environment as Environment;
    for (const each of stored.map(toStoredNullifier)) {
      found.set(nullifierKey(environment, each.nullifier), each);
    }
  });
  return found;
}

function isSameAction(one: NullifierRow, other: NullifierRow): boolean {
  return one.appId === other.appId && one.action === other.action && one.environment === other.environment;
}

function actionKey({ appId, action, environment }: NullifierRow): string {
  return JSON.stringify([appId, action, environment]);
}

function toWrite(row: NullifierRow): WrittenNullifier {
  return [row.nullifier, row.createdAt, row.requestId];
}

function hashOf(action: string): Uint8Array {
  return createHash('sha256').update(action).digest();
}
