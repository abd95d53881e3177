import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isServiceError, ServiceError } from '../../errors/service-error.ts';
import type { Driver } from '../drivers/driver.ts';
import { writeOne } from '../transaction.ts';
import type { Migration } from './migration-files.ts';
import {
  type ClaimedMigration,
  CREATE_SCHEMA_MIGRATIONS,
  claimedMigrations,
  claimMigration,
  finishMigration,
  recordRequirement,
  releaseMigration,
  renewMigration,
  schemaRequirements,
} from './schema-migrations.ts';

/** State of the schema. */
export interface MigrationStatus {
  readonly applied: readonly {
    readonly version: number;
    readonly name: string;
    readonly appliedAt: number;
  }[];
  readonly pending: readonly {
    readonly version: number;
    readonly name: string;
  }[];
}

const LEASE_MS = 15_000;
const RENEWED_AFTER_MS = LEASE_MS / 3;
const POLL_MS = 25;

/**
 * Compares the migration files with the applied migrations.
 *
 * @throws ServiceError `store.newer` for an unknown version after which this program cannot run, or a known one whose file
 * has changed since
 */
export async function migrationStatus(
  driver: Driver,
  migrations: readonly Migration[],
): Promise<MigrationStatus> {
  const claimed = await readClaimed(driver);
  for (const row of claimed) checkUnchanged(row, migrations);
  await checkUnknown(driver, claimed, migrations);
  const applied = claimed.flatMap(({ version, name, appliedAt }) =>
    appliedAt === null ? [] : [{ version, name, appliedAt }],
  );
  const pending = migrations
    .filter(({ version }) => !applied.some((row) => row.version === version))
    .map(({ version, name }) => ({ version, name }));
  return { applied, pending };
}

/**
 * Applies the pending migrations, file by file and statement by statement. A process claims each file first,
 * so that one applies it while the others wait. A claim whose holder died is taken over after its lease; a
 * statement may then run twice, so each is idempotent.
 *
 * @throws ServiceError `store.newer`
 */
export async function migrate(
  driver: Driver,
  migrations: readonly Migration[],
  now: () => number,
): Promise<MigrationStatus> {
  // Writes nothing if nothing is pending: a command next to a running server takes no lock.
  const before = await migrationStatus(driver, migrations);
  if (before.pending.length === 0) return before;
  await driver.define(CREATE_SCHEMA_MIGRATIONS);
  for (const migration of migrations) await applyOnce(driver, migration, now);
  return migrationStatus(driver, migrations);
}

async function applyOnce(driver: Driver, migration: Migration, now: () => number): Promise<void> {
  const holder = randomUUID();
  for (;;) {
    const claimed = await readClaimed(driver);
    if (claimed.some((row) => row.version === migration.version && row.appliedAt !== null)) return;
    // Recorded before the claim: a node of the former release may start again while the migration runs.
    if (migration.runsFrom < migration.version) await driver.write([recordRequirement(migration)]);
    const time = now();
    const isClaimed = await writeOne(driver, claimMigration(migration, holder, time, time + LEASE_MS));
    if (isClaimed && (await applyClaimed(driver, migration, { holder, since: time }, now))) return;
    await delay(POLL_MS);
  }
}

/** Applies a migration claimed since a time; returns false if another process has taken the claim over. */
async function applyClaimed(
  driver: Driver,
  migration: Migration,
  { holder, since }: { readonly holder: string; readonly since: number },
  now: () => number,
): Promise<boolean> {
  const { version, statements } = migration;
  let renewedAt = since;
  try {
    for (const sql of statements) {
      const time = now();
      if (time - renewedAt >= RENEWED_AFTER_MS) {
        // A statement may outlast the lease: the next holder then runs it too, and this process stops here.
        if (!(await writeOne(driver, renewMigration(version, holder, time + LEASE_MS)))) return false;
        renewedAt = time;
      }
      await driver.define(sql);
    }
    await driver.write([finishMigration(version, now())]);
    return true;
  } catch (error) {
    // If the store is down, this fails too, and the claim ends with its lease.
    await driver.write([releaseMigration(version, holder)]).catch(() => undefined);
    throw error;
  }
}

async function readClaimed(driver: Driver): Promise<ClaimedMigration[]> {
  try {
    return await driver.read(claimedMigrations());
  } catch (error) {
    if (isServiceError(error, 'store.migrations_pending')) return [];
    throw error;
  }
}

/** Refuses a migration whose file was changed. */
function checkUnchanged(
  { version, name, checksum, appliedAt }: ClaimedMigration,
  known: readonly Migration[],
): void {
  const own = known.find((migration) => migration.version === version);
  if (own === undefined || appliedAt === null || own.checksum === checksum) return;
  const label = `migration ${version} (${name})`;
  throw new ServiceError('store.newer', `${label} was applied from a file with other content`);
}

/** Refuses an unknown migration, unless it is recorded that programs that know less can run after it. */
async function checkUnknown(
  driver: Driver,
  claimed: readonly ClaimedMigration[],
  known: readonly Migration[],
): Promise<void> {
  const newest = known.at(-1)?.version ?? 0;
  const unknown = claimed.filter(({ version }) => !known.some((migration) => migration.version === version));
  if (unknown.length === 0) return;
  const runsFrom = await readRequirements(driver);
  for (const { version, name } of unknown) {
    const needed = runsFrom.get(version) ?? version;
    if (needed <= newest) continue;
    throw new ServiceError(
      'store.newer',
      `the store has migration ${version} (${name}), after which a program must know ${needed}; this one knows up to ${newest}`,
    );
  }
}

/** Reads the lowest version that programs must support after a migration, by its version. */
async function readRequirements(driver: Driver): Promise<ReadonlyMap<number, number>> {
  try {
    const requirements = await driver.read(schemaRequirements());
    return new Map(requirements.map(({ version, runsFrom }) => [version, runsFrom]));
  } catch (error) {
    if (isServiceError(error, 'store.migrations_pending')) return new Map();
    throw error;
  }
}
