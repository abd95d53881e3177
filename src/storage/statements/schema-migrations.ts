import type { SqlRow, Statement } from '../drivers/driver.ts';
import { integerColumn, optionalIntegerColumn, textColumn } from './columns.ts';

/** A claimed migration; while it is being applied, `appliedAt` is null. */
export interface ClaimedMigration {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
  readonly appliedAt: number | null;
}

/** Creates the table that records migrations; it cannot be a migration itself. */
export function createSchemaMigrations(): Statement {
  return {
    sql: 'create table if not exists schema_migrations (version bigint not null primary key, name text not null, checksum text not null, holder text not null, claimed_until bigint not null, applied_at bigint)',
    params: [],
  };
}

/** Selects every claimed or applied migration, by version. */
export function claimedMigrations(): Statement {
  return {
    sql: 'select version, name, checksum, applied_at from schema_migrations order by version',
    params: [],
  };
}

/**
 * Claims a migration until a time. Returns the holder, or no row if the migration is applied or another claim
 * is still valid at `now`.
 */
export function claimMigration(
  migration: { readonly version: number; readonly name: string; readonly checksum: string },
  holder: string,
  now: number,
  until: number,
): Statement {
  return {
    sql: 'insert into schema_migrations (version, name, checksum, holder, claimed_until) values ($1,$2,$3,$4,$5) on conflict (version) do update set name = excluded.name, checksum = excluded.checksum, holder = excluded.holder, claimed_until = excluded.claimed_until where schema_migrations.applied_at is null and schema_migrations.claimed_until < $6 returning holder',
    params: [migration.version, migration.name, migration.checksum, holder, until, now],
  };
}

/** Extends the claim of a holder; a guard that returns no row if another one has taken it over. */
export function renewMigration(version: number, holder: string, until: number): Statement {
  return {
    sql: 'update schema_migrations set claimed_until = $3 where version = $1 and holder = $2 and applied_at is null returning 1',
    params: [version, holder, until],
    isGuard: true,
  };
}

/** Marks a claimed migration as applied. */
export function finishMigration(version: number, now: number): Statement {
  return {
    sql: 'update schema_migrations set applied_at = $1 where version = $2 and applied_at is null',
    params: [now, version],
  };
}

/** Releases the claim of a failed migration, so that the next attempt need not wait for its lease. */
export function releaseMigration(version: number, holder: string): Statement {
  return {
    sql: 'delete from schema_migrations where version = $1 and holder = $2 and applied_at is null',
    params: [version, holder],
  };
}

/** Records which programs can run after a migration. */
export function recordRequirement(migration: {
  readonly version: number;
  readonly runsFrom: number;
}): Statement {
  return {
    sql: 'insert into schema_requirements (version, runs_from) values ($1,$2) on conflict (version) do update set runs_from = excluded.runs_from',
    params: [migration.version, migration.runsFrom],
  };
}

/** Selects the migrations after which programs that do not know them can run. */
export function schemaRequirements(): Statement {
  return { sql: 'select version, runs_from from schema_requirements', params: [] };
}

/** Parses a row of `schemaRequirements`: a migration, and the lowest version that a program must know after it. */
export function toRequirement(row: SqlRow): [version: number, runsFrom: number] {
  return [integerColumn(row[0]), integerColumn(row[1])];
}

/** Parses a row of `claimedMigrations`. */
export function toClaimedMigration(row: SqlRow): ClaimedMigration {
  return {
    version: integerColumn(row[0]),
    name: textColumn(row[1]),
    checksum: textColumn(row[2]),
    appliedAt: optionalIntegerColumn(row[3]),
  };
}
