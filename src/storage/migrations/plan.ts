import type { Driver, MigrationCost } from '../drivers/driver.ts';
import type { MigrationStatus } from './migrate.ts';
import type { Migration } from './migration-files.ts';

/** Kinds of changes that a migration can make; `rebuild_table` copies all rows to a table of another shape. */
export type TableChangeKind =
  | 'create_table'
  | 'rebuild_table'
  | 'add_column'
  | 'drop_table'
  | 'create_index'
  | 'drop_index';

/**
 * Operations blocked while a statement runs: nothing, the writes, or also the reads of the table; on an embedded
 * database the writes of the whole store.
 */
export type Blocked = 'nothing' | 'writes' | 'reads and writes';

/** One change of a table. */
export interface TableChange {
  readonly kind: TableChangeKind;
  readonly table: string;
  /** Name of the index; null for a change of the table itself. */
  readonly index: string | null;
  /** Rows of the table now, 0 if there is no such table; a large number may be estimated. */
  readonly rows: number;
  readonly blocks: Blocked;
}

/** Effects of a pending migration. */
export interface PlannedMigration {
  readonly version: number;
  readonly name: string;
  /** Purpose: the first sentence of its file. */
  readonly summary: string;
  /** Lowest version that a program must know to run on the store afterwards. */
  readonly runsFrom: number;
  readonly changes: readonly TableChange[];
  /** Estimated duration. */
  readonly seconds: number;
}

/** Effects of the pending migrations, in order. */
export interface MigrationPlan {
  /** Whether the store has no tables yet. */
  readonly isNew: boolean;
  readonly migrations: readonly PlannedMigration[];
  /** Estimated duration of all. */
  readonly seconds: number;
  /** Whether the program that made the last migration can start again on the store afterwards. */
  readonly formerCanStart: boolean;
  /** Whether all servers must be stopped before: rows that they write while a table is rebuilt are lost. */
  readonly needsStop: boolean;
}

const ROWS_PER_COST = 1_000_000;

/** Form of each statement of a migration that changes a table or an index. */
const STATEMENTS: Readonly<Partial<Record<TableChangeKind, RegExp>>> = {
  create_table: /^create table if not exists (?<table>\w+)/,
  add_column: /^alter table (?<table>\w+) add column if not exists /,
  create_index: /^create (?:unique )?index if not exists (?<index>\w+) on (?<table>\w+)/,
  drop_table: /^drop table if exists (?<table>\w+)/,
  drop_index: /^drop index if exists (?<index>\w+)/,
};
const REBUILD = /^alter table (?<table>\w+)_copy rename to \k<table>$/;

/**
 * Describes the effects of the pending migrations. `driver` must have one of the states of `status`.
 *
 * @param driver - A store that does not exist has none: its migrations make all tables.
 */
export async function planMigrations(
  driver: Driver | undefined,
  migrations: readonly Migration[],
  status: MigrationStatus,
): Promise<MigrationPlan> {
  const pending = migrations.filter(({ version }) => status.pending.some((row) => row.version === version));
  const tableOfIndex = indexesOf(migrations);
  const count = rowCounter(driver);
  const planned: PlannedMigration[] = [];
  for (const { version, name, summary, runsFrom, statements } of pending) {
    const changes: TableChange[] = [];
    for (const change of changesOf(statements, tableOfIndex)) {
      const rows = await count(change.table);
      changes.push({ ...change, rows, blocks: blockedBy(change.kind, driver?.traits.migrationCost) });
    }
    const seconds = changes.reduce((sum, change) => sum + secondsOf(change, driver?.traits.migrationCost), 0);
    planned.push({ version, name, summary, runsFrom, changes, seconds });
  }
  const known = status.applied.at(-1)?.version ?? 0;
  return {
    isNew: status.applied.length === 0,
    migrations: planned,
    seconds: planned.reduce((sum, { seconds }) => sum + seconds, 0),
    formerCanStart: planned.every(({ runsFrom }) => runsFrom <= known),
    needsStop: planned.some(({ changes }) =>
      changes.some(({ kind, rows }) => kind === 'rebuild_table' && rows > 0),
    ),
  };
}

type NamedChange = Pick<TableChange, 'kind' | 'table' | 'index'>;

/** Lists the changes of a migration; those of a table that it makes itself are part of making it. */
function changesOf(
  statements: readonly string[],
  tableOfIndex: ReadonlyMap<string, string>,
): readonly NamedChange[] {
  const rebuilt = new Set(statements.flatMap((sql) => REBUILD.exec(sql)?.groups?.table ?? []));
  const made = new Set<string>();
  const changes: NamedChange[] = [...rebuilt].map((table) => ({ kind: 'rebuild_table', table, index: null }));
  for (const sql of statements) {
    for (const [kind, form] of Object.entries(STATEMENTS) as [TableChangeKind, RegExp][]) {
      const { table: named, index = null } = form.exec(sql)?.groups ?? {};
      const table = named ?? tableOfIndex.get(index ?? '');
      if (table === undefined || made.has(table)) continue;
      if (index === null && rebuilt.has(table.replace(/_copy$/, ''))) continue;
      if (kind === 'create_table') made.add(table);
      changes.push({ kind, table, index });
    }
  }
  return changes;
}

function indexesOf(migrations: readonly Migration[]): ReadonlyMap<string, string> {
  const matches = migrations.flatMap(({ statements }) =>
    statements.map((sql) => STATEMENTS.create_index?.exec(sql)?.groups),
  );
  return new Map(
    matches.flatMap((groups) => (groups === undefined ? [] : [[groups.index, groups.table]])) as [
      string,
      string,
    ][],
  );
}

/** Returns a function that counts the rows of a table once; a table that there is not yet has none. */
function rowCounter(driver: Driver | undefined): (table: string) => Promise<number> {
  const counts = new Map<string, number>();
  let tables: ReadonlySet<string> | undefined;
  return async (table) => {
    if (driver === undefined) return 0;
    tables ??= new Set((await driver.tables()).map(({ name }) => name));
    const rows = counts.get(table) ?? (tables.has(table) ? await driver.countRows(table) : 0);
    counts.set(table, rows);
    return rows;
  };
}

function blockedBy(kind: TableChangeKind, cost: MigrationCost | undefined): Blocked {
  if (kind === 'create_table') return 'nothing';
  return kind !== 'create_index' && cost?.blocksReads ? 'reads and writes' : 'writes';
}

function secondsOf({ kind, rows }: TableChange, cost: MigrationCost | undefined): number {
  if (cost === undefined) return 0;
  if (kind === 'rebuild_table') return (rows / ROWS_PER_COST) * cost.rebuildSeconds;
  return kind === 'create_index' ? (rows / ROWS_PER_COST) * cost.indexSeconds : 0;
}
