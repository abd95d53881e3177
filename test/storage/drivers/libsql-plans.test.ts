import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Driver, pointOf, type Statement } from '../../../src/storage/drivers/driver.ts';
import { openLibsqlDriver } from '../../../src/storage/drivers/libsql.ts';
import { type Store, storeOver } from '../../../src/storage/store.ts';
import { boundDriver } from '../support/bound-driver.ts';
import { credential, enrolment, identity, LIMIT, SCHEMA, START } from '../support/refresh-rows.ts';
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

  /** Returns the plan of each statement over a table that the store sends. */
  const plansOf = async (table: string, use: (store: Store) => Promise<unknown>): Promise<string[]> => {
    const sent: Statement[] = [];
    const recorder: Driver = {
      ...boundDriver(driver),
      read(query) {
        sent.push(query);
        return driver.read(query);
      },
      write(statements) {
        sent.push(...statements);
        return driver.write(statements);
      },
    };
    await use(storeOver(recorder, GROUP_SETTINGS));
    const reads = sent.filter(({ sql }) => sql.startsWith('select') && sql.includes(`from ${table} `));
    return Promise.all(
      reads.map(async ({ sql, params }) => {
        const rows = await driver.read(pointOf(`explain query plan ${sql}`, params));
        return rows.map((row) => row[3]).join('; ');
      }),
    );
  };

  it('for the limit of a holder from the holder index only', async () => {
    const index =
      'USING COVERING INDEX issued_credentials_holder (id_comm=? AND issuer_schema_id=? AND issued_at>?)';
    const plans = await plansOf('issued_credentials', async ({ issuance }) => {
      await issuance.limitedUntil(SCHEMA, identity(0), LIMIT, START);
      await issuance.issue(credential(), LIMIT);
    });
    expect(plans).toEqual([expect.stringContaining(index), expect.stringContaining(index)]);
    expect(plans.join()).not.toContain('B-TREE');
  });

  it('for the export in the order of an index', async () => {
    const plans = await plansOf('issued_credentials', async ({ issuance }) => {
      await issuance.list(START, 10);
      await issuance.list(START, 10, credential());
    });
    const index = expect.stringContaining('USING INDEX issued_credentials_issued');
    expect(plans).toEqual([index, index]);
    expect(plans.join()).not.toContain('B-TREE');
  });

  it('for an identity and a signup by key', async () => {
    expect(await plansOf('sub_bindings', ({ issuance }) => issuance.bindingsOf(identity(0)))).toEqual([
      expect.stringContaining('USING INDEX sqlite_autoindex_sub_bindings_1 (id_comm=?)'),
    ]);
    const enrolments = [enrolment(0), enrolment(1)];
    const options = { replaces: false, isDryRun: true };
    expect(await plansOf('signup', (store) => store.enrolments.import(enrolments, options))).toEqual([
      expect.stringContaining('INDEX sqlite_autoindex_signup_1 (id_comm=?)'),
      expect.stringContaining('INDEX signup_active (signup_id=?)'),
    ]);
  });
});
