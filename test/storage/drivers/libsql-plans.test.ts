import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Driver, Statement } from '../../../src/storage/drivers/driver.ts';
import { openLibsqlDriver } from '../../../src/storage/drivers/libsql.ts';
import { storeOver } from '../../../src/storage/open-store.ts';
import { activeEnrolments, enrolmentsById } from '../../../src/storage/statements/refresh/enrolments.ts';
import {
  bindingsById,
  issuedPage,
  lastInWindow,
  withinIssuance,
} from '../../../src/storage/statements/refresh/issuance.ts';
import { credential, identity, LIMIT, SCHEMA, START } from '../support/refresh-rows.ts';
import { GROUP_SETTINGS } from '../support/rows.ts';
import { useTempFolders } from '../support/temp-folder.ts';

describe('libsql reads refresh tables that grow without bound', () => {
  const tempFolder = useTempFolders();
  let driver: Driver;

  beforeEach(async () => {
    driver = await openLibsqlDriver({ path: join(tempFolder(), 'proofgate.db'), writesInline: true });
    await storeOver(driver, GROUP_SETTINGS).migrate();
  });

  afterEach(() => driver.close());

  const plan = async (statement: Statement | undefined): Promise<string> => {
    if (statement === undefined) throw new Error('expected a statement, got undefined');
    const rows = await driver.read({ ...statement, sql: `explain query plan ${statement.sql}` });
    return rows.map((row) => row[3]).join('; ');
  };

  it('for the limit of a holder from the holder index only', async () => {
    const row = credential();
    const index =
      'USING COVERING INDEX issued_credentials_holder (id_comm=? AND issuer_schema_id=? AND issued_at>?)';
    for (const statement of [lastInWindow(SCHEMA, identity(0), LIMIT, START), withinIssuance(row, LIMIT)]) {
      expect(await plan(statement)).toContain(index);
      expect(await plan(statement)).not.toContain('B-TREE');
    }
  });

  it('for the export in the order of an index', async () => {
    for (const after of [undefined, credential()]) {
      expect(await plan(issuedPage(START, 10, after))).toContain('USING INDEX issued_credentials_issued');
      expect(await plan(issuedPage(START, 10, after))).not.toContain('B-TREE');
    }
  });

  it('for an identity and a signup by key', async () => {
    expect(await plan(bindingsById(identity(0)))).toContain(
      'USING INDEX sqlite_autoindex_sub_bindings_1 (id_comm=?)',
    );
    expect(await plan(enrolmentsById([identity(0)])[0])).toContain(
      'INDEX sqlite_autoindex_signup_1 (id_comm=?)',
    );
    expect(await plan(activeEnrolments(['a', 'b'])[0])).toContain('INDEX signup_active (signup_id=?)');
  });
});
