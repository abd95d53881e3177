import { realpathSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { ServiceError } from '../../errors/service-error.ts';
import type { Driver, TableShape } from '../drivers/driver.ts';
import { refuseAbsent } from '../drivers/libsql.ts';
import { describeAddress } from '../drivers/postgres/postgres-address.ts';
import { acquireDatabaseLock } from '../files/serve-lock.ts';
import { parseStoreUrl } from '../files/store-url.ts';
import { migrate, migrationStatus } from '../migrations/migrate.ts';
import { type Migration, readMigrations } from '../migrations/migration-files.ts';
import { createNodeStore, LIVE_NODE_MS } from '../nodes.ts';
import { openDriver, type StoreSettings } from '../open-store.ts';
import { copyByKeys } from './copy-by-keys.ts';
import { copyByRanges } from './copy-by-ranges.ts';
import { type CopyClaim, claimCopy, reopenSource } from './copy-marks.ts';
import { type CopyPair, keysOf, type TableCopy } from './copy-pair.ts';
import { rowsAfter } from './table-rows.ts';

/** Source and target of a copy between stores. */
export interface StoreCopyOptions {
  readonly from: string;
  readonly to: string;
  /** Settings of both stores but the address. */
  readonly settings: Omit<StoreSettings, 'url'>;
  /** Copies from a store that is being served, without check and end: a later call has less to do. */
  readonly isAhead: boolean;
  /** Whether the source is left in service at the end. */
  readonly keepsSource: boolean;
  /** Reports the rows that were read, of about so many. */
  readonly onProgress?: (rows: number, total: number) => void;
  readonly signal?: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Copied table. */
export interface CopiedTable {
  readonly table: string;
  readonly rows: number;
  readonly added: number;
  /** Rows that the target had and the source has not, or has with other values. */
  readonly removed: number;
  /** Digest of the rows of the source, which those of the target equal unless the copy was made ahead. */
  readonly digest: string;
}

/** A copy between stores. */
export interface StoreCopyReport {
  /** Addresses without user and password. */
  readonly from: string;
  readonly to: string;
  readonly tables: readonly CopiedTable[];
}

/** Tables that describe a store or its processes. */
const OWN_TABLES = [
  'schema_migrations',
  'schema_requirements',
  'store_marks',
  'store_copies',
  'nodes',
  'backups',
];

/**
 * Copies all rows of a store to another, of the same or another engine. What the target has already is compared, not
 * written again: a copy that was interrupted or made ahead continues. Neither store can be served until the target has the
 * same rows, by number and digest, as read back from it; from then on only the target can.
 *
 * @throws ServiceError `store.absent`, `store.unreachable`, `store.migrations_pending`, `store.newer`, `store.moved`,
 *   `store.copy_unfinished`, `server.locked`, `store.in_use`, `copy.target_in_service`, `copy.taken_over`, `copy.differs`,
 *   `copy.interrupted`, `config.invalid`, `cli.usage`
 */
export async function copyStore(options: StoreCopyOptions): Promise<StoreCopyReport> {
  const closing: (() => Promise<void>)[] = [];
  try {
    const source = await open(
      options.from,
      { ...options, mustExist: true, isLocked: !options.isAhead },
      closing,
    );
    const target = await open(options.to, { ...options, mustExist: false, isLocked: true }, closing);
    if (source.place === target.place) throw new ServiceError('cli.usage', 'both addresses are of one store');
    const migrations = readMigrations();
    await requireMigrated(source.driver, migrations);
    await migrate(target.driver, migrations, options.now);
    if (!options.isAhead) await refuseNodes(source.driver, options.now());
    await refuseNodes(target.driver, options.now());
    const tables = await copyTables(source.driver, target.driver, options);
    return { from: source.place, to: target.place, tables };
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

/**
 * Puts a store that was moved to another back into service.
 *
 * @returns False if it was not moved.
 * @throws ServiceError `store.absent`, `store.unreachable`, `config.invalid`
 */
export async function reopenStore(settings: StoreSettings): Promise<boolean> {
  const driver = await openDriver(settings, { mustExist: true, writesInline: true });
  try {
    return await reopenSource(driver);
  } finally {
    await driver.close();
  }
}

async function copyTables(
  source: Driver,
  target: Driver,
  { isAhead, keepsSource, onProgress, signal, now }: StoreCopyOptions,
): Promise<CopiedTable[]> {
  const shapes = await sharedTables(source, target);
  const heads = new Map<TableShape, TableHead>();
  for (const shape of shapes) heads.set(shape, await headOf(shape, source, target));
  const isEmpty = [...heads.values()].every((head) => head.isEmpty);
  const claim: CopyClaim = await claimCopy(source, target, isEmpty, now());
  if (!isAhead) await closeSource(source, claim, now());
  let rows = 0;
  const total = await countReads(source, target, shapes);
  const onPage = (count: number): void => {
    if (signal?.aborted === true) throw new ServiceError('copy.interrupted');
    rows += count;
    onProgress?.(rows, Math.max(rows, total));
  };
  const pair: CopyPair = { source, target, guard: claim.guard, onPage };
  const copied: CopiedTable[] = [];
  for (const [shape, head] of heads) {
    const copy = head.hasBytesFirst
      ? await copyByRanges(shape, pair, head.isEmpty, isAhead)
      : await copyByKeys(shape, pair, head.isEmpty);
    if (!isAhead) requireEqual(shape.name, copy);
    const { added, removed, source } = copy;
    copied.push({ table: shape.name, rows: source.rows, added, removed, digest: source.hex });
  }
  if (!isAhead) await claim.finish(keepsSource);
  return copied;
}

/** Takes the source out of service, unless a node has begun to serve from it: nodes check it after their report. */
async function closeSource(source: Driver, claim: CopyClaim, now: number): Promise<void> {
  await claim.closeSource(now);
  try {
    await refuseNodes(source, now);
  } catch (error) {
    await claim.closeSource(null);
    throw error;
  }
}

/** Properties of a table that determine how it is copied. */
interface TableHead {
  /** Whether the target has no rows. */
  readonly isEmpty: boolean;
  /** Whether the first key column contains bytes. */
  readonly hasBytesFirst: boolean;
}

async function headOf(shape: TableShape, source: Driver, target: Driver): Promise<TableHead> {
  const [ofSource] = await source.read(rowsAfter(shape, undefined, 1));
  const [ofTarget] = await target.read(rowsAfter(shape, undefined, 1));
  const row = ofSource ?? ofTarget ?? [];
  return {
    isEmpty: ofTarget === undefined,
    hasBytesFirst: keysOf(shape, [row])[0]?.[0] instanceof Uint8Array,
  };
}

function requireEqual(table: string, { source, target }: TableCopy): void {
  if (source.rows === target.rows && source.hex === target.hex) return;
  throw new ServiceError(
    'copy.differs',
    `${table}: ${source.rows} rows with digest ${source.hex}, in the target ${target.rows} with ${target.hex}`,
  );
}

/** @throws ServiceError `store.newer` for stores with different tables */
async function sharedTables(source: Driver, target: Driver): Promise<TableShape[]> {
  const ofSource = await source.tables();
  if (!isDeepStrictEqual(ofSource, await target.tables())) {
    throw new ServiceError('store.newer', 'the stores have different tables or columns');
  }
  return ofSource.filter(({ name }) => !OWN_TABLES.includes(name));
}

/** Counts the rows that a copy reads, or estimates them. */
async function countReads(source: Driver, target: Driver, shapes: readonly TableShape[]): Promise<number> {
  let total = 0;
  for (const { name } of shapes) total += (await source.countRows(name)) + (await target.countRows(name));
  return total;
}

/** Opens a store; its lock and itself are released by the steps that are added to `closing`. */
async function open(
  url: string,
  { settings, mustExist, isLocked }: StoreCopyOptions & { mustExist: boolean; isLocked: boolean },
  closing: (() => Promise<void>)[],
): Promise<{ driver: Driver; place: string }> {
  const address = parseStoreUrl(url);
  if (address.engine === 'libsql') {
    if (mustExist) refuseAbsent(address.path);
    if (isLocked) closing.push((await acquireDatabaseLock(address.path)).release);
  }
  const driver = await openDriver({ ...settings, url }, { mustExist, writesInline: true });
  closing.push(() => driver.close());
  const place =
    address.engine === 'libsql'
      ? `libsql:${realpathSync(address.path)}`
      : `postgres://${describeAddress(address)}`;
  return { driver, place };
}

/** @throws ServiceError `store.absent` for a database without tables, `store.migrations_pending`, `store.newer` */
async function requireMigrated(source: Driver, migrations: readonly Migration[]): Promise<void> {
  const { applied, pending } = await migrationStatus(source, migrations);
  if (applied.length === 0) throw new ServiceError('store.absent', 'the source has no tables');
  if (pending.length === 0) return;
  const names = pending.map(({ name }) => name).join(', ');
  throw new ServiceError('store.migrations_pending', `pending in the source: ${names}`);
}

/** @throws ServiceError `store.in_use` if nodes serve from a store */
async function refuseNodes(driver: Driver, now: number): Promise<void> {
  const nodes = await createNodeStore(driver).list();
  const live = nodes.filter(({ seenAt }) => now - seenAt < LIVE_NODE_MS);
  if (live.length === 0) return;
  const names = live.map(({ nodeId }) => nodeId).join(', ');
  throw new ServiceError('store.in_use', `nodes were seen in the last 30 seconds: ${names}`);
}
