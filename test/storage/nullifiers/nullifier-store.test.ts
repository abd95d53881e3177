// Rules: spec/operations.md#storage
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createNullifierStore } from '../../../src/storage/nullifiers/nullifier-store.ts';
import { openDriver } from '../../../src/storage/open-store.ts';
import { makeMigratedStore } from '../../support/server/migrated-store.ts';
import { GROUP_SETTINGS, nullifierEntry } from '../support/rows.ts';
import { useTempFolders } from '../support/temp-folder.ts';

describe('the nullifier store', () => {
  const tempFolder = useTempFolders();

  it('records a nullifier once, beside an entry that it refuses, and none after its end', async () => {
    const path = join(tempFolder(), 'proofgate.db');
    await makeMigratedStore(path);
    const driver = await openDriver({ ...GROUP_SETTINGS, url: `libsql:${path}` }, { writesInline: true });
    const store = createNullifierStore(driver, GROUP_SETTINGS, undefined);
    const entry = nullifierEntry();
    const later = { ...entry, createdAt: entry.createdAt + 1 };
    const [first, malformed, second] = await Promise.allSettled([
      store.record(entry),
      store.record({ ...entry, nullifier: new Uint8Array(31) }),
      store.record(later),
    ]);
    expect(malformed.status).toBe('rejected');
    expect(first).toMatchObject({ value: { isNew: true, createdAt: entry.createdAt } });
    expect(second).toMatchObject({ value: { isNew: false, createdAt: entry.createdAt } });
    expect(await store.record(later)).toEqual({ isNew: false, createdAt: entry.createdAt });
    await store.close();
    await expect(store.record(nullifierEntry())).rejects.toMatchObject({ name: 'ServiceError' });
    await driver.close();
  });
});
