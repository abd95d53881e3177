import { join } from 'node:path';
import { openDriver } from '../../../src/storage/open-store.ts';
import { contentOf } from '../../storage/support/every-table.ts';

/** Returns all rows of all tables of the store in a data folder, to show what a command changed. */
export async function tableRows(folder: string): Promise<Record<string, string[]>> {
  const settings = { url: `libsql:${join(folder, 'proofgate.db')}`, groupMaxRows: 1, groupMaxDelayMs: 0 };
  const driver = await openDriver(settings, { readOnly: true });
  try {
    return await contentOf(driver, await driver.tables());
  } finally {
    await driver.close();
  }
}
