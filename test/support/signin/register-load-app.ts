import { createApp } from '../../../src/apps/apps.ts';
import type { Store } from '../../../src/storage/store.ts';
import { LOAD_APP, LOAD_ROOT } from '../load.ts';
import { type StartAppOptions, type StartedApp, startApp } from '../server/start-app.ts';

/** Registers the app of the load tests, and their root with the key trapdoor-4. */
export async function registerLoadApp(store: Store): Promise<void> {
  const now = Date.now();
  await createApp(store.apps, { appId: LOAD_APP, name: 'Load' }, now);
  await store.roots.put([
    {
      environment: 'production',
      tree: 'orb',
      root: LOAD_ROOT,
      receivedAt: now,
      supersededAt: null,
      source: 'operator',
      keyId: 'trapdoor-4',
    },
  ]);
}

/** Starts the service in this process, with the app and the root of the load tests. */
export async function startLoadApp(options: StartAppOptions = {}): Promise<StartedApp> {
  const app = await startApp(options);
  const store = await app.openStore();
  await registerLoadApp(store);
  await store.close();
  return app;
}
