// Rules: spec/operations.md#storage
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLibsqlDriver } from '../../src/storage/drivers/libsql.ts';
import { makeMigratedStore } from '../support/server/migrated-store.ts';
import { describeStore } from './support/suites/describe-store.ts';

describeStore({
  name: 'libsql',
  open: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'proofgate-store-'));
    const path = join(folder, 'proofgate.db');
    await makeMigratedStore(path);
    return {
      driver: await openLibsqlDriver({ path }),
      remove: async () => rmSync(folder, { recursive: true, force: true }),
    };
  },
});
