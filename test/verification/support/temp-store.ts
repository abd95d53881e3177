import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { Store } from '../../../src/storage/store.ts';
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

/** Opens a store before the tests of a file or suite, and removes it after them. */
export function useTempStore(): Pick<TempStore, 'store' | 'url'> {
  let temp: TempStore;
  beforeAll(async () => {
    temp = await openTempStore();
  });
  afterAll(() => temp.close());
  return {
    get store() {
      return temp.store;
    },
    get url() {
      return temp.url;
    },
  };
}
