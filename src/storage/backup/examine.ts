import { stat } from 'node:fs/promises';
import { isServiceError, ServiceError } from '../../errors/service-error.ts';
import type { Driver } from '../drivers/driver.ts';
import { openLibsqlDriver } from '../drivers/libsql.ts';
import { migrationStatus } from '../migrations/migrate.ts';
import { readMigrations } from '../migrations/migration-files.ts';
import { INTEGRITY_CHECK, PAGE_COUNT, PAGE_SIZE, rowCount, TABLE_NAMES } from './database-reads.ts';
import type { ExaminedDatabase, RowCounts } from './types.ts';

/**
 * Checks a database: every page, row and index entry, and its migrations; counts its rows.
 *
 * @throws ServiceError `backup.damaged`, `store.newer` if it has migrations that this program does not know
 */
export async function examineDatabase(path: string): Promise<ExaminedDatabase> {
  return await opened(path, async (driver) => {
    const [fault, ...more] = (await driver.scan(INTEGRITY_CHECK)).map(({ fault }) => fault);
    if (fault !== 'ok') {
      const others = more.length === 0 ? '' : `, and ${more.length} more`;
      throw new ServiceError(
        'backup.damaged',
        `${path}: ${fault ?? 'the integrity check returned no result'}${others}`,
      );
    }
    await refuseCutFile(driver, path);
    const { applied, pending } = await migrationStatus(driver, readMigrations());
    if (applied.length === 0) {
      throw new ServiceError('backup.damaged', `${path}: a database, but not a store of this program`);
    }
    return {
      rows: await countAll(driver),
      migrations: applied.map(({ name }) => name),
      pending: pending.map(({ name }) => name),
    };
  });
}

/** The integrity check does not read the bytes of free pages, so that it misses the end of a file that is cut there. */
async function refuseCutFile(driver: Driver, path: string): Promise<void> {
  const [count] = await driver.scan(PAGE_COUNT);
  const [size] = await driver.scan(PAGE_SIZE);
  const expected = (count?.value ?? 0) * (size?.value ?? 0);
  const { size: bytes } = await stat(path);
  if (bytes < expected) {
    throw new ServiceError('backup.damaged', `${path}: expected ${expected} bytes, got ${bytes}`);
  }
}

async function opened<T>(path: string, use: (driver: Driver) => Promise<T>): Promise<T> {
  let driver: Driver | undefined;
  try {
    driver = await openLibsqlDriver({ path, readOnly: true });
    return await use(driver);
  } catch (error) {
    if (!isServiceError(error, 'store.unreachable', 'store.failed', 'store.absent')) throw error;
    throw new ServiceError('backup.damaged', `${path}: ${error.message}`, {}, { cause: error });
  } finally {
    await driver?.close();
  }
}

async function countAll(driver: Driver): Promise<RowCounts> {
  const counts: Record<string, number> = {};
  for (const { name } of await driver.scan(TABLE_NAMES)) {
    const [count] = await driver.scan(rowCount(name));
    counts[name] = count?.value ?? 0;
  }
  return counts;
}
