import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { requireStoreFile } from '../../../src/storage/files/store-url.ts';
import { openStore, type StoreSettings } from '../../../src/storage/open-store.ts';
import type { Store } from '../../../src/storage/store.ts';

let template: Promise<string> | undefined;

/**
 * Opens a store with all migrations, which is empty unless there is one. It writes in the calling thread, as in a
 * command: the start of a thread takes longer than most tests.
 */
export async function openMigratedStore(settings: StoreSettings): Promise<Store> {
  const path = requireStoreFile(settings.url);
  if (!existsSync(path)) await makeMigratedStore(path);
  return openStore(settings, { writesInline: true });
}

/** Makes an empty store with all migrations: a copy of one made once per process, because migrations take longest. */
export async function makeMigratedStore(path: string): Promise<void> {
  template ??= makeTemplate();
  const made = await template;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  copyFileSync(made, path);
}

async function makeTemplate(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'proofgate-template-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'proofgate.db');
  const settings = { url: `libsql:${path}`, groupMaxRows: 1, groupMaxDelayMs: 0 };
  const store = await openStore(settings, { writesInline: true });
  await store.migrate();
  await store.close();
  return path;
}
