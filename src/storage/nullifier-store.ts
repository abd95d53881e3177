import { createHash } from 'node:crypto';
import { ServiceError } from '../errors/index.ts';
import { valueFault } from './drivers/bind.ts';
import type { Driver } from './drivers/driver.ts';
import { GroupCommit } from './group-commit.ts';
import { bytesColumn, textColumn } from './statements/columns.ts';
import {
  type ActionEntry,
  insertActions,
  insertNullifiers,
  nullifiersByKey,
  type StoredNullifier,
  toStoredNullifier,
} from './statements/nullifiers.ts';
import { ENVIRONMENTS } from './statements/roots.ts';
import type {
  Environment,
  NullifierEntry,
  NullifierRecord,
  NullifierStore,
  StoreObserver,
  StoreSettings,
} from './store.ts';

const NULLIFIER_BYTES = 32;

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
  const group = new GroupCommit<NullifierEntry, NullifierRecord>({
    maxRows: settings.groupMaxRows,
    maxDelayMs: settings.groupMaxDelayMs,
    commit: (entries, attempt) => commitGroup(driver, observer, entries, attempt),
    onRetry: () => observer?.retry('nullifiers.record'),
  });
  return {
    record: async (entry) => group.add(checkedEntry(entry)),
    close: () => group.close(),
  };
}

/** One bad value must not fail the others of its group, so that a row is checked before it joins. */
function checkedEntry(entry: NullifierEntry): NullifierEntry {
  const { environment, nullifier } = entry;
  if (!ENVIRONMENTS.includes(environment)) {
    throw new ServiceError('store.invalid_value', 'environment must be production or staging');
  }
  if (!(nullifier instanceof Uint8Array) || nullifier.length !== NULLIFIER_BYTES) {
    throw new ServiceError('store.invalid_value', `a nullifier must be ${NULLIFIER_BYTES} bytes`);
  }
  if (!Number.isSafeInteger(entry.createdAt)) {
    throw new ServiceError('store.invalid_value', 'createdAt must be whole milliseconds');
  }
  for (const name of ['appId', 'action', 'actionDescription', 'requestId'] as const) {
    const fault = typeof entry[name] === 'string' ? valueFault(entry[name]) : 'must be text';
    if (fault !== undefined) throw new ServiceError('store.invalid_value', `${name} ${fault}`);
  }
  // The caller may reuse its buffer while the entry waits.
  return { ...entry, nullifier: new Uint8Array(nullifier) };
}

async function commitGroup(
  driver: Driver,
  observer: StoreObserver | undefined,
  entries: readonly NullifierEntry[],
  attempt: number,
): Promise<NullifierRecord[]> {
  // Sorted by key: on an engine with row locks two groups that overlap could otherwise wait for each other.
  const winners = sortedByKey(firstOfEach(entries, nullifierKey));
  const actions = sortedByKey(firstOfEach(entries, actionKey));
  const inserts = insertNullifiers([...winners.values()]);
  const start = performance.now();
  const results = await driver.write([...inserts, ...insertActions([...actions.values()].map(actionOf))]);
  observer?.nullifierCommit(entries.length, (performance.now() - start) / 1000);
  const inserted = new Set(
    results
      .slice(0, inserts.length)
      .flat()
      .map((row) => keyOf(textColumn(row[0]), bytesColumn(row[1]))),
  );
  const present = await readPresent(
    driver,
    [...winners].flatMap(([key, entry]) => (inserted.has(key) ? [] : [entry])),
  );
  return entries.map((entry) => {
    const key = nullifierKey(entry);
    const winner = winners.get(key);
    if (inserted.has(key) && winner !== undefined) {
      return { isNew: winner === entry, createdAt: winner.createdAt };
    }
    const stored = present.get(key);
    if (stored === undefined) {
      throw new ServiceError('store.failed', 'a nullifier was neither written nor found');
    }
    // The first attempt may have been committed and its answer lost: then the row is the one of this group. On the
    // first attempt a row that is there is another's, even under the same request id, which a proxy may repeat.
    const isMine =
      attempt > 1 &&
      winner === entry &&
      stored.requestId === entry.requestId &&
      stored.createdAt === entry.createdAt;
    return { isNew: isMine, createdAt: stored.createdAt };
  });
}

/** Rows that were there before. Read as a write, in a transaction of their own: a replica may not know them yet. */
async function readPresent(
  driver: Driver,
  entries: readonly NullifierEntry[],
): Promise<Map<string, StoredNullifier>> {
  const found = new Map<string, StoredNullifier>();
  const statements = ENVIRONMENTS.flatMap((environment) => {
    const nullifiers = entries.flatMap((entry) =>
      entry.environment === environment ? [entry.nullifier] : [],
    );
    return nullifiersByKey(environment, nullifiers).map((statement) => ({ environment, statement }));
  });
  if (statements.length === 0) return found;
  const results = await driver.write(statements.map(({ statement }) => statement));
  results.forEach((rows, index) => {
    const environment = statements[index]?.environment as Environment;
    for (const stored of rows.map(toStoredNullifier)) found.set(keyOf(environment, stored.nullifier), stored);
  });
  return found;
}

function firstOfEach(
  entries: readonly NullifierEntry[],
  key: (entry: NullifierEntry) => string,
): Map<string, NullifierEntry> {
  const first = new Map<string, NullifierEntry>();
  for (const entry of entries) {
    const name = key(entry);
    if (!first.has(name)) first.set(name, entry);
  }
  return first;
}

function sortedByKey(entries: Map<string, NullifierEntry>): Map<string, NullifierEntry> {
  return new Map([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function nullifierKey(entry: NullifierEntry): string {
  return keyOf(entry.environment, entry.nullifier);
}

function keyOf(environment: string, nullifier: Uint8Array): string {
  const { buffer, byteOffset, byteLength } = nullifier;
  return `${environment}:${Buffer.from(buffer, byteOffset, byteLength).toString('hex')}`;
}

function actionKey(entry: NullifierEntry): string {
  return JSON.stringify([entry.appId, entry.action, entry.environment]);
}

function actionOf(entry: NullifierEntry): ActionEntry {
  return { entry, hash: createHash('sha256').update(entry.action).digest() };
}
