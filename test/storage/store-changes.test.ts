import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../src/storage/open-store.ts';
import { createStoreChangeCells, createStoreChanges, NO_CHANGES } from '../../src/storage/store-changes.ts';
import { appRow, GROUP_SETTINGS, nullifierEntry } from './support/rows.ts';
import { useTempFolders } from './support/temp-folder.ts';

describe('changes of a store', () => {
  const tempFolder = useTempFolders();

  it('are counted by all who share the cells, and not by others', () => {
    const cells = createStoreChangeCells();
    const [one, other] = [createStoreChanges(cells), createStoreChanges(cells)];
    one.add();
    other.add();
    expect([one.count(), other.count(), createStoreChanges(createStoreChangeCells()).count()]).toEqual([
      2, 2, 0,
    ]);
  });

  it('are the audited ones, whoever made them, and no uses', async () => {
    const url = `libsql:${join(tempFolder(), 'changes.db')}`;
    const changes = createStoreChanges(createStoreChangeCells());
    const store = await openStore({ url, ...GROUP_SETTINGS }, { writesInline: true, changes });
    await store.migrate();
    const before = store.changes.count();
    await store.nullifiers.record(nullifierEntry());
    expect(store.changes.count()).toBe(before);
    await store.by({ actor: 'cli' }).apps.create(appRow());
    expect(store.changes.count()).toBe(before + 1);
    await store.close();
  });

  it('are never counted where none are to be followed', async () => {
    const url = `libsql:${join(tempFolder(), 'plain.db')}`;
    const store = await openStore({ url, ...GROUP_SETTINGS }, { writesInline: true });
    expect(store.changes).toBe(NO_CHANGES);
    await store.close();
  });
});
