import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '../../../src/storage/index.ts';
import { openMigratedStore } from '../../support/server/migrated-store.ts';

/** A store for tests, which `close` removes. */
export interface TempStore {
  readonly store: Store;
  /** Address at which other processes can open it. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Opens a migrated store in a temporary folder.
 *
 * @param parent - Folder in which that is made.
 */
export async function openTempStore(parent: string = tmpdir()): Promise<TempStore> {
  const folder = await mkdtemp(join(parent, 'proofgate-verification-'));
  const url = `libsql:${join(folder, 'proofgate.db')}`;
  const store = await openMigratedStore({ url, groupMaxRows: 512, groupMaxDelayMs: 0 });
  return {
    store,
    url,
    async close() {
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
