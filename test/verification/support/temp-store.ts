import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '../../../src/storage/index.ts';
import { openMigratedStore } from '../../support/server/migrated-store.ts';

/** Opens a migrated store in a temporary folder, which `close` removes. */
export async function openTempStore(): Promise<{ readonly store: Store; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'proofgate-verification-'));
  const url = `libsql:${join(folder, 'proofgate.db')}`;
  const store = await openMigratedStore({ url, groupMaxRows: 512, groupMaxDelayMs: 0 });
  return {
    store,
    async close() {
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
