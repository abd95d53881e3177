import { join } from 'node:path';
import { openStore } from '../../../src/storage/open-store.ts';
import type { Store } from '../../../src/storage/store.ts';

/** Opens the store of a folder in which commands ran, passes it to `use`, then closes it. */
export async function withStoreOf<T>(
  folder: { readonly path: string },
  use: (store: Store) => Promise<T>,
): Promise<T> {
  const url = `libsql:${join(folder.path, 'proofgate.db')}`;
  const store = await openStore({ url, groupMaxRows: 1, groupMaxDelayMs: 0 }, { writesInline: true });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
