import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../../../src/config/settings/types.ts';
import { loadConfig } from '../../../../src/config/sources/load.ts';
import { createSigningKeys, type SigningKeys } from '../../../../src/oidc/keys/signing-keys.ts';
import type { SigningKeyRow } from '../../../../src/storage/signin/signing-keys.ts';
import type { Store } from '../../../../src/storage/store.ts';
import { environmentOf } from '../../../support/server/environment-of.ts';
import { openMigratedStore } from '../../../support/server/migrated-store.ts';

/** A clock that only a test advances. */
export interface Clock {
  readonly now: () => number;
  advance(seconds: number): void;
}

/** 12:00 on 1 June 2026, UTC. */
export const START: number = Date.UTC(2026, 5, 1, 12);

/** Creates a clock that shows `START` until a test advances it. */
export function createClock(): Clock {
  let time = START;
  return {
    now: () => time,
    advance(seconds) {
      time += seconds * 1000;
    },
  };
}

/** Default settings of the rotation, in seconds. */
export const PERIOD = 2_592_000;
export const LEAD = 86_400;
export const RETIREMENT = 7200;
/** `storage.cacheSeconds`. */
export const CACHE = 5;

/** A store in its own folder, which several processes of the service can open. */
export interface KeyFolder {
  readonly path: string;
  readonly store: Store;
  readonly clock: Clock;
  config(settings?: Readonly<Record<string, string>>): Promise<Config>;
  /** Opens the signing keys as the service does when it starts. */
  open(settings?: Readonly<Record<string, string>>): Promise<SigningKeys>;
  rows(): Promise<readonly SigningKeyRow[]>;
  remove(): Promise<void>;
}

/**
 * Makes a folder whose store is empty or a copy of `template`, in which a service has made its first keys at
 * `START`. The copy saves the search for primes, which takes most of the time of a test.
 */
export async function makeKeyFolder(template?: KeyFolder): Promise<KeyFolder> {
  const path = mkdtempSync(join(tmpdir(), 'proofgate-keys-'));
  if (template !== undefined) cpSync(template.path, path, { recursive: true });
  const clock = createClock();
  const config: KeyFolder['config'] = async (settings = {}) => {
    const given = { profile: 'test', dataDir: path, ...settings };
    return (await loadConfig({ env: environmentOf(given), cwd: path })).config;
  };
  const store = await openMigratedStore((await config()).storage);
  return {
    path,
    store,
    clock,
    config,
    open: async (settings) =>
      createSigningKeys({ store: store.signingKeys, config: await config(settings), now: clock.now }),
    rows: () => store.signingKeys.list('signin', clock.now()),
    async remove() {
      await store.close();
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Makes a folder to copy: its store is closed and has the first keys of a service. */
export async function makeTemplate(): Promise<KeyFolder> {
  const folder = await makeKeyFolder();
  await folder.open();
  await folder.store.close();
  return { ...folder, remove: async () => rmSync(folder.path, { recursive: true, force: true }) };
}
