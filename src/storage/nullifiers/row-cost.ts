import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Driver } from '../drivers/driver.ts';
import { openLibsqlDriver } from '../drivers/libsql.ts';
import { readMigrations } from '../migrations/migration-files.ts';
import { createNullifierStore } from './nullifier-store.ts';

/** Rows of a commit, as at full load with one proof to a request (docs/engine.md#where-the-time-of-a-request-goes). */
const COMMIT_ROWS = 190;
/** Statements of the migrations that make the tables which a new nullifier needs. */
const NULLIFIER_TABLES = /\b(?:nullifiers|nullifiers_copy|actions)\b/;

/**
 * Measures the processor time that the embedded store needs for the row of a new nullifier, in µs: the least of several
 * durable commits in a new database file.
 *
 * @param folder - An empty folder for the file.
 * @param forMs - Time after which no further commit begins.
 * @throws ServiceError `store.unreachable`, `store.failed`
 */
export async function measureRowUs(folder: string, forMs: number): Promise<number> {
  const driver = await openLibsqlDriver({ path: join(folder, 'row-cost.db'), writesInline: true });
  let inWrites = 0;
  const timed = Object.create(driver, {
    write: {
      value: async (statements: Parameters<Driver['write']>[0]) => {
        const before = process.cpuUsage();
        const outcome = await driver.write(statements);
        const { user, system } = process.cpuUsage(before);
        inWrites += user + system;
        return outcome;
      },
    },
  }) as Driver;
  const nullifiers = createNullifierStore(timed, { groupMaxRows: 512, groupMaxDelayMs: 0 }, undefined);
  try {
    const tables = readMigrations()
      .flatMap(({ statements }) => statements)
      .filter((sql) => NULLIFIER_TABLES.test(sql));
    // One commit, which costs a flush of the disk; statements without rows change none.
    await driver.write(tables.map((sql) => ({ sql, params: [], mustChange: 0 })));
    const ends = performance.now() + forMs;
    let least = Number.POSITIVE_INFINITY;
    // The first one also writes the action.
    for (let commit = 0; commit < 2 || performance.now() < ends; commit++) {
      inWrites = 0;
      await Promise.all(Array.from({ length: COMMIT_ROWS }, () => nullifiers.record(newEntry())));
      least = Math.min(least, inWrites / COMMIT_ROWS);
    }
    return least;
  } finally {
    await nullifiers.close();
    await driver.close();
  }
}

function newEntry(): Parameters<ReturnType<typeof createNullifierStore>['record']>[0] {
  return {
    environment: 'production',
    nullifier: randomBytes(32),
    createdAt: Date.now(),
    appId: 'app_00000000000000000000000000000000',
    action: 'measure',
    actionDescription: '',
    requestId: '00000000-0000-0000-0000-000000000000',
  };
}
