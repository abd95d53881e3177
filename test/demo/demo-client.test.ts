import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  DEMO_CLIENT_ID,
  DEMO_CLIENT_IDS,
  seedDemoClient,
  seedDemoClients,
} from '../../src/development/demo-client.ts';
import { ServiceError } from '../../src/errors/service-error.ts';
import type { Store } from '../../src/storage/store.ts';
import { opened } from '../support/opened.ts';
import { openMigratedStore } from '../support/server/migrated-store.ts';
import { startApp } from '../support/server/start-app.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const NOW = Date.UTC(2026, 5, 1);

describe('the client of the demo', () => {
  const folder = temporaryFolder('demo', afterAll);
  let store: Store;
  beforeAll(async () => {
    const url = `libsql:${join(folder, 'proofgate.db')}`;
    store = await openMigratedStore({ url, groupMaxRows: 512, groupMaxDelayMs: 0 });
  });
  afterAll(() => store.close());

  it('has an id that is derived from its name, and uses the staging trees', () => {
    const digest = createHash('sha256').update('proofgate demo relying party').digest('hex');
    expect(DEMO_CLIENT_ID).toBe(`app_staging_${digest.slice(0, 32)}`);
    for (const binding of ['paired', 'session'] as const) {
      const other = createHash('sha256').update(`proofgate demo relying party ${binding}`).digest('hex');
      expect(DEMO_CLIENT_IDS[binding]).toBe(`app_staging_${other.slice(0, 32)}`);
    }
  });

  it('is public, requires PKCE, is marked as development and verifies no actions', async () => {
    await seedDemoClient(store.apps, 'http://localhost:8080', NOW);
    const app = await store.apps.findByAppId(DEMO_CLIENT_ID);
    expect(app).toMatchObject({
      name: 'Demo relying party',
      status: 'active',
      verification: 'none',
      isDevelopment: true,
      client: {
        redirectUris: ['http://localhost:8080/demo/callback'],
        tokenEndpointAuthMethod: 'none',
        requirePkce: true,
      },
    });
    expect(app?.client.responseTypes).toHaveLength(6);
    expect(await store.apps.listSecrets(DEMO_CLIENT_ID, NOW)).toEqual([]);
  });

  it('does not change at the next start, even if it was disabled', async () => {
    await store.apps.update(DEMO_CLIENT_ID, { status: 'disabled' }, NOW + 1);
    await seedDemoClient(store.apps, 'http://localhost:8080', NOW + 2);
    expect(await store.apps.findByAppId(DEMO_CLIENT_ID)).toMatchObject({
      status: 'disabled',
      updatedAt: NOW + 1,
    });
  });

  it('has one of each binding where sign-in asks for World ID 4.0', async () => {
    await seedDemoClients(store.apps, 'http://localhost:8080', NOW + 2);
    for (const [binding, appId] of Object.entries(DEMO_CLIENT_IDS)) {
      expect(await store.apps.findByAppId(appId)).toMatchObject({ client: { binding } });
    }
  });

  it('follows a baseUrl that changed', async () => {
    await seedDemoClient(store.apps, 'http://127.0.0.1:9000/id', NOW + 3);
    expect(await store.apps.findByAppId(DEMO_CLIENT_ID)).toMatchObject({
      client: { redirectUris: ['http://127.0.0.1:9000/id/demo/callback'] },
      updatedAt: NOW + 3,
    });
  });

  it('may be seeded by another process at the same time', async () => {
    const seedWith = (error: unknown): Promise<void> =>
      seedDemoClient(
        { ...store.apps, findByAppId: async () => undefined, create: () => Promise.reject(error) },
        'http://localhost:8080',
        NOW,
      );
    await seedWith(new ServiceError('app.exists'));
    await expect(seedWith(new ServiceError('store.failed'))).rejects.toThrow(ServiceError);
  });
});

describe('a service that starts', () => {
  // The client is that of the default address.
  const app = opened(startApp, 'stop');

  it('registers the client', async () => {
    const store = await app.openStore();
    expect(await store.apps.findByAppId(DEMO_CLIENT_ID)).toMatchObject({
      client: { redirectUris: ['http://localhost:8080/demo/callback'] },
    });
    await store.close();
  });
});
