import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../../src/config/sources/load.ts';
import { createSigningKeys } from '../../../src/oidc/keys/signing-keys.ts';
import { collectGarbage } from '../collect-garbage.ts';
import { environmentOf } from './environment-of.ts';
import { openMigratedStore } from './migrated-store.ts';

/** Data folders by the time at which their keys were made; `undefined` is the present time. */
const templates = new Map<number | undefined, Promise<string>>();

// With another store, sealing key or profile, a service must start on an empty folder.
const NEEDS_EMPTY = /^(storage\.url|keys\.|profile$)/;

/**
 * Fills an empty data folder as a service that ran there before has left it: with a migrated store that has signing
 * keys, and the key that seals them. The search for their primes takes most of the time of a start. Leaves the folder
 * empty if the settings do not fit. The keys are made once per process.
 *
 * @param settings - Those of the service that is started in the folder.
 * @param now - Time at which the keys were made; by default the present time.
 */
export async function fillUsedFolder(
  folder: string,
  settings: Readonly<Record<string, string>>,
  now?: number,
): Promise<void> {
  if (Object.keys(settings).some((key) => NEEDS_EMPTY.test(key))) return;
  const template = templates.get(now) ?? makeTemplate(now);
  templates.set(now, template);
  cpSync(await template, folder, { recursive: true });
}

async function makeTemplate(now: number = Date.now()): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'proofgate-used-'));
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }));
  const { config } = await loadConfig({ env: environmentOf({ profile: 'test', dataDir }), cwd: dataDir });
  const store = await openMigratedStore(config.storage);
  const keys = await createSigningKeys({ store: store.signingKeys, config, now: () => now });
  await keys.stop();
  await store.close();
  await wholeFile(join(dataDir, 'proofgate.db'));
  return dataDir;
}

/**
 * Waits until a closed database is one file, which can be copied. libsql keeps a file open until its statements are
 * collected, which a process with little to do would never do by itself.
 */
export async function wholeFile(database: string): Promise<void> {
  while (existsSync(`${database}-wal`)) await collectGarbage();
}
