import { columns, integer, optional, type RowOf, text } from '../columns.ts';
import type { PointQuery, Statement } from '../drivers/driver.ts';
import { guard, type Make, point, write } from '../sql.ts';

/** Creates the table that records migrations; it cannot be a migration itself. */
export const CREATE_SCHEMA_MIGRATIONS =
  'create table if not exists schema_migrations (version bigint not null primary key, name text not null, checksum text not null, holder text not null, claimed_until bigint not null, applied_at bigint)';

const CLAIMED = columns({ version: integer, name: text, checksum: text, appliedAt: optional(integer) });
/** A claimed migration; while it is being applied, `appliedAt` is null. */
export type ClaimedMigration = RowOf<typeof CLAIMED>;
const REQUIREMENT = columns({ version: integer, runsFrom: integer });
/** The lowest version that a program must know to run after a migration. */
export type Requirement = RowOf<typeof REQUIREMENT>;

/** Selects every claimed or applied migration, by version. */
export const claimedMigrations: Make<PointQuery<ClaimedMigration>> = point(
  CLAIMED,
  `select ${CLAIMED.list()} from schema_migrations order by version`,
);
/** Selects the migrations after which programs that do not know them can run. */
export const schemaRequirements: Make<PointQuery<Requirement>> = point(
  REQUIREMENT,
  `select ${REQUIREMENT.list()} from schema_requirements`,
);
const claim = write(
  'insert into schema_migrations (version, name, checksum, holder, claimed_until) values ($1,$2,$3,$4,$5) on conflict (version) do update set name = excluded.name, checksum = excluded.checksum, holder = excluded.holder, claimed_until = excluded.claimed_until where schema_migrations.applied_at is null and schema_migrations.claimed_until < $6 returning holder',
);
const renew = guard(
  'update schema_migrations set claimed_until = $3 where version = $1 and holder = $2 and applied_at is null returning 1',
);
const finish = write(
  'update schema_migrations set applied_at = $1 where version = $2 and applied_at is null',
);
const release = write(
  'delete from schema_migrations where version = $1 and holder = $2 and applied_at is null',
);
const putRequirement = write(
  `insert into schema_requirements (${REQUIREMENT.list()}) values (${REQUIREMENT.slots()}) on conflict (version) do update set runs_from = excluded.runs_from`,
);

/**
 * Claims a migration until a time. Returns the holder, or no row if the migration is applied or another claim
 * is still valid at `now`.
 */
export function claimMigration(
  { version, name, checksum }: Omit<ClaimedMigration, 'appliedAt'>,
  holder: string,
  now: number,
  until: number,
): Statement {
  return claim(version, name, checksum, holder, until, now);
}

/** Extends the claim of a holder; a guard that fails if another one has taken it over. */
export function renewMigration(version: number, holder: string, until: number): Statement {
  return renew(version, holder, until);
}

/** Marks a claimed migration as applied. */
export function finishMigration(version: number, now: number): Statement {
  return finish(now, version);
}

/** Releases the claim of a failed migration, so that the next attempt need not wait for its lease. */
export function releaseMigration(version: number, holder: string): Statement {
  return release(version, holder);
}

/** Records which programs can run after a migration. */
export function recordRequirement(requirement: Requirement): Statement {
  return putRequirement(...REQUIREMENT.values(requirement));
}
