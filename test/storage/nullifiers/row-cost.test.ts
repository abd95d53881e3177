import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { LibsqlConnection } from '../../../src/storage/drivers/libsql-connection.ts';
import { measureRowUs } from '../../../src/storage/nullifiers/row-cost.ts';
import { makeMigratedStore } from '../../support/server/migrated-store.ts';

it('measures rows of the tables that the migrations leave', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'proofgate-row-cost-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  expect(await measureRowUs(folder, 1)).toBeGreaterThan(0);
  await makeMigratedStore(join(folder, 'proofgate.db'));
  const [measured = [], migrated = []] = ['row-cost.db', 'proofgate.db'].map((file) => {
    const connection = new LibsqlConnection(join(folder, file), 1000);
    const sql = `select name, sql from sqlite_schema where tbl_name in ('nullifiers', 'actions') order by name`;
    const rows = connection.all({ sql, params: [] });
    connection.close();
    return rows;
  });
  expect(measured.length).toBeGreaterThan(1);
  expect(measured).toEqual(migrated);
});
