// Rules: spec/worldid4.md#development
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createApp } from '../../../src/apps/apps.ts';
import { newAppRow } from '../../../src/apps/new-app-row.ts';
import type { ChainSource } from '../../../src/config/roots/source-types.ts';
import type { Config } from '../../../src/config/settings/types.ts';
import { loadConfig } from '../../../src/config/sources/load.ts';
import { seedWorldId4AtStart } from '../../../src/development/worldid4/seed.ts';
import { wordOf } from '../../../src/semaphore/words.ts';
import type { RootRow } from '../../../src/storage/roots.ts';
import type { Store } from '../../../src/storage/store.ts';
import { testSource } from '../../membership/sources/support/history.ts';
import { environmentOf } from '../../support/server/environment-of.ts';
import { openTempStore } from '../../verification/support/temp-store.ts';

const NOW = Date.UTC(2026, 0, 15);
const ENABLED = { 'verify.worldid4.enabled': 'true' };

let temp: Awaited<ReturnType<typeof openTempStore>>;
let store: Store;
beforeEach(async () => {
  temp = await openTempStore();
  store = temp.store;
});
afterEach(() => temp.close());

async function start(
  settings: Readonly<Record<string, string>>,
  alter: (config: Config) => Config = (config) => config,
): Promise<void> {
  const { config } = await loadConfig({ env: environmentOf({ profile: 'test', ...settings }), cwd: '.' });
  await seedWorldId4AtStart(alter(config), store, NOW);
}

const withSources =
  (...sources: readonly ChainSource[]) =>
  (config: Config): Config => ({ ...config, roots: { ...config.roots, sources } });

const withoutIssuers = ({ verify, ...config }: Config): Config => {
  const { worldid4 } = verify;
  return {
    ...config,
    verify: { ...verify, worldid4: { ...worldid4, issuers: { ...worldid4.issuers, staging: [] } } },
  };
};

/** Counts what a start has written: roots of the tree account, issuers, OPRF keys. */
async function seeded(): Promise<[roots: number, issuers: number, oprfKeys: number]> {
  const roots = (await store.roots.listCurrent()).filter((row) => row.source === 'development');
  const keys = store.worldId4Keys;
  return [roots.length, (await keys.listIssuers()).length, (await keys.listOprfKeys()).length];
}

describe('a start with World ID 4.0', () => {
  it('writes root, issuer and a key of each app once; later starts add the keys of new apps', async () => {
    await createApp(store.apps, {}, NOW);
    await start(ENABLED);
    expect(await seeded()).toEqual([1, 1, 1]);
    await createApp(store.apps, {}, NOW);
    const row = newAppRow({}, { isDevelopment: false, now: NOW });
    await store.apps.create({ ...row, verification: 'none' });
    await start(ENABLED);
    expect(await seeded()).toEqual([1, 1, 2]);
  });

  it.each<[string, Readonly<Record<string, string>>, ((config: Config) => Config)?]>([
    ['it is switched off', {}],
    ['no issuer counts', ENABLED, withoutIssuers],
    ['the environment has another key', { ...ENABLED, 'verify.worldid4.key.staging': 'worldid4-15' }],
    ['its roots come from a source', ENABLED, withSources(testSource({ kind: 'registry4' }))],
  ])('writes nothing if %s', async (_name, settings, alter) => {
    await createApp(store.apps, {}, NOW);
    await start(settings, alter);
    expect(await seeded()).toEqual([0, 0, 0]);
  });

  it('is seeded beside sources of other trees', async () => {
    const others = [testSource({ kind: 'registry4', environment: 'production' }), testSource()];
    await start(ENABLED, withSources(...others));
    expect(await seeded()).toEqual([1, 1, 0]);
  });

  it('writes nothing where an operator has set the current root', async () => {
    const row: RootRow = {
      environment: 'staging',
      tree: 'account',
      root: wordOf(7n),
      receivedAt: NOW,
      supersededAt: null,
      source: 'operator',
      keyId: null,
    };
    await store.roots.put([row]);
    await start(ENABLED);
    expect(await seeded()).toEqual([0, 0, 0]);
    expect(await store.roots.listCurrent()).toEqual([row]);
  });
});
