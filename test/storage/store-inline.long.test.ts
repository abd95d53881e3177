// Rules: spec/operations.md#storage
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLibsqlDriver } from '../../src/storage/drivers/libsql.ts';
import { describeStore } from './support/suites/describe-store.ts';

describeStore({
  name: 'libsql, written in the calling thread',
  open: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'proofgate-store-'));
    return {
      driver: await openLibsqlDriver({ path: join(folder, 'proofgate.db'), writesInline: true }),
      remove: async () => rmSync(folder, { recursive: true, force: true }),
    };
  },
});
