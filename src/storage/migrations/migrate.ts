import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isServiceError, ServiceError } from '../../errors/index.ts';
import type { Driver } from '../drivers/driver.ts';
import type { MigrationStatus } from '../model/store.ts';
import {
  type ClaimedMigration,
  claimedMigrations,
  claimMigration,
  createSchemaMigrations,
  finishMigration,
  releaseMigration,
  renewMigration,
  toClaimedMigration,
} from '../statements/schema-migrations.ts';
import { writeOne } from '../stores/guarded.ts';
import { type Migration, releaseOf } from './migration-files.ts';

const LEASE_MS = 15_000;
const POLL_MS = 25;

/**
 * Compares the migration files with the applied migrations.
 *
 * @throws ServiceError `store.newer` for a version that is neither known nor of the next release, or whose file has
 * changed since
 */
export async function migrationStatus(
  driver: Driver,
  migrations: readonly Migration[],
): Promise<MigrationStatus> {
  const claimed = await readClaimed(driver);
  for (const row of claimed) checkKnown(row, migrations);
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
  await driver.define(createSchemaMigrations().sql);
  for (const migration of migrations) await applyOnce(driver, migration, now);
  return migrationStatus(driver, migrations);
}

async function applyOnce(driver: Driver, migration: Migration, now: () => number): Promise<void> {
  const holder = randomUUID();
  for (;;) {
    const claimed = await readClaimed(driver);
    if (claimed.some((row) => row.version === migration.version && row.appliedAt !== null)) return;
    const time = now();
    const isClaimed = await writeOne(driver, claimMigration(migration, holder, time, time + LEASE_MS));
    if (isClaimed && (await applyClaimed(driver, migration, holder, now))) return;
    await delay(POLL_MS);
  }
}

/** Applies a claimed migration; returns false if another process has taken the claim over. */
async function applyClaimed(
  driver: Driver,
  migration: Migration,
  holder: string,
  now: () => number,
): Promise<boolean> {
  const { version, statements } = migration;
  try {
    for (const sql of statements) {
      // A statement may outlast the lease: whoever takes over then runs it too, and this process stops here.
      if (!(await writeOne(driver, renewMigration(version, holder, now() + LEASE_MS)))) return false;
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
    return (await driver.read(claimedMigrations())).map(toClaimedMigration);
  } catch (error) {
    if (isServiceError(error, 'store.migrations_pending')) return [];
    throw error;
  }
}

/** Refuses a migration that this program can neither apply nor work with. */
function checkKnown(row: ClaimedMigration, migrations: readonly Migration[]): void {
  const label = `migration ${row.version} (${row.name})`;
  const known = migrations.find(({ version }) => version === row.version);
  if (known === undefined) {
    const newest = migrations.at(-1)?.version ?? 0;
    // Migrations work with the previous release running: during a rolling upgrade its nodes may start again.
    if (releaseOf(row.version) === releaseOf(newest) + 1) return;
    throw new ServiceError('store.newer', `the store has ${label}, this program knows up to ${newest}`);
  }
  if (row.appliedAt !== null && known.checksum !== row.checksum) {
    throw new ServiceError('store.newer', `${label} was applied from a file with other content`);
  }
}
