import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createApp, findApp, removeApp, setAppStatus, updateApp } from '../../src/apps/apps.ts';
import { DEFAULT_CLIENT } from '../../src/config/apps/client-of.ts';
import { OPEN_POLICY } from '../../src/config/apps/policy.ts';
import { parseRoot } from '../../src/membership/roots/roots.ts';
import type { Store } from '../../src/storage/store.ts';
import { exampleCurl, seedDevelopment } from '../../src/verification/offline/development-seed.ts';
import { openTempStore } from '../verification/support/temp-store.ts';
import { vector } from '../verification/support/vectors.ts';

const APP_ID = 'app_369183bd38f1641b6964ab51d7a20434';
const RP_ID = 'rp_47ac69c81397b357';

let temp: Awaited<ReturnType<typeof openTempStore>>;
let store: Store;
beforeAll(async () => {
  temp = await openTempStore();
  store = temp.store;
});
afterEach(async () => {
  for (const { appId } of await store.apps.list()) await store.apps.remove(appId);
  for (const row of await store.roots.listCurrent()) await store.roots.put([{ ...row, supersededAt: 0 }]);
  await store.roots.prune(Number.MAX_SAFE_INTEGER);
});
afterAll(() => temp.close());

describe('registered apps', () => {
  it('are active and registered when added, with the rp_id of their app_id', async () => {
    const app = await createApp(store.apps, { appId: APP_ID, name: 'Shop' }, 1000);
    expect(app).toEqual({
      appId: APP_ID,
      rpId: RP_ID,
      name: 'Shop',
      status: 'active',
      verification: 'registered',
      isDevelopment: false,
      client: { ...DEFAULT_CLIENT, responseTypes: ['code'], requirePkce: true },
      policy: OPEN_POLICY,
      hasLogo: false,
      createdAt: 1000,
      updatedAt: 1000,
    });
    expect(await findApp(store.apps, RP_ID.toUpperCase().replace('RP_', 'rp_'))).toEqual(app);
    expect(await findApp(store.apps, APP_ID)).toEqual(app);
  });

  it('get a unique id, and the id as their name', async () => {
    const [one, two] = [await createApp(store.apps, {}, 1), await createApp(store.apps, {}, 1)];
    expect(one.appId).toMatch(/^app_[0-9a-f]{32}$/);
    expect(one.name).toBe(one.appId);
    expect(two.appId).not.toBe(one.appId);
  });

  it.each([
    '',
    'app_1',
    'app_369183BD38f1641b6964ab51d7a20434',
    `${APP_ID}0`,
    'app_prod_369183bd38f1641b6964ab51d7a20434',
    `x${APP_ID}`,
    `${APP_ID}\n`,
  ])('cannot have the id %j', async (appId) => {
    await expect(createApp(store.apps, { appId }, 1)).rejects.toMatchObject({ code: 'app.invalid' });
  });

  it.each(['', 'x'.repeat(65), 'a\nb', 'a\u0000', '\ud800'])('cannot have the name %j', async (name) => {
    await expect(createApp(store.apps, { name }, 1)).rejects.toMatchObject({ code: 'app.invalid' });
    await createApp(store.apps, { appId: APP_ID }, 1);
    await expect(updateApp(store.apps, APP_ID, { name }, 2)).rejects.toMatchObject({ code: 'app.invalid' });
  });

  it('may have a name of 64 characters outside the Basic Multilingual Plane', async () => {
    expect((await createApp(store.apps, { name: '😀'.repeat(64) }, 1)).name).toBe('😀'.repeat(64));
  });

  it('have unique ids', async () => {
    await createApp(store.apps, { appId: APP_ID }, 1);
    await expect(createApp(store.apps, { appId: APP_ID }, 1)).rejects.toMatchObject({ code: 'app.exists' });
  });

  it('may have another rp_id than that of their app_id, which then is free', async () => {
    await createApp(store.apps, { appId: APP_ID }, 1);
    expect(await updateApp(store.apps, APP_ID, { rp_id: 'rp_00000000000000AB' }, 2)).toMatchObject({
      rpId: 'rp_00000000000000ab',
      updatedAt: 2,
    });
    expect((await findApp(store.apps, 'rp_00000000000000ab')).appId).toBe(APP_ID);
    await expect(findApp(store.apps, RP_ID)).rejects.toMatchObject({ code: 'app.unknown' });
    for (const rpId of ['rp_1', 'rp_00000000000000ag', APP_ID]) {
      await expect(updateApp(store.apps, APP_ID, { rp_id: rpId }, 3)).rejects.toThrow(
        'rp_id: expected rp_ and 16 hex digits',
      );
    }
  });

  it('can be changed by app_id and by rp_id', async () => {
    await createApp(store.apps, { appId: APP_ID }, 1);
    expect(await setAppStatus(store.apps, RP_ID, 'disabled', 2)).toMatchObject({
      status: 'disabled',
      updatedAt: 2,
    });
    expect(await updateApp(store.apps, APP_ID, { verification: 'failed' }, 3)).toMatchObject({
      verification: 'failed',
      status: 'disabled',
    });
    expect(await updateApp(store.apps, RP_ID, { name: 'New' }, 4)).toMatchObject({ name: 'New' });
    await expect(updateApp(store.apps, APP_ID, { verification: 'maybe' as 'failed' }, 5)).rejects.toThrow(
      'verification: expected one of none, pending, registered, failed, deactivated',
    );
  });

  it('can be renamed with an address that an earlier release allowed, which is refused with what the rules depend on', async () => {
    const { client } = await createApp(store.apps, { appId: APP_ID }, 1);
    await store.apps.update(APP_ID, { client: { ...client, redirectUris: ['http://old.example/cb'] } }, 2);
    expect(await updateApp(store.apps, APP_ID, { name: 'New', email_form: 'short' }, 3)).toMatchObject({
      name: 'New',
      client: { emailForm: 'short', redirectUris: ['http://old.example/cb'] },
    });
    const reason = 'redirect_uris[0]: "http://old.example/cb" is http';
    for (const change of [
      { application_type: 'web' },
      { redirect_uris: ['http://old.example/cb'] },
    ] as const) {
      await expect(updateApp(store.apps, APP_ID, change, 4)).rejects.toThrow(reason);
    }
  });

  it('are unknown when they were never added or were removed', async () => {
    await createApp(store.apps, { appId: APP_ID }, 1);
    expect((await removeApp(store.apps, RP_ID)).appId).toBe(APP_ID);
    for (const id of [APP_ID, RP_ID, 'nonsense']) {
      await expect(findApp(store.apps, id)).rejects.toMatchObject({ code: 'app.unknown' });
    }
    await expect(setAppStatus(store.apps, APP_ID, 'active', 2)).rejects.toMatchObject({
      code: 'app.unknown',
    });
    await expect(removeApp(store.apps, APP_ID)).rejects.toMatchObject({ code: 'app.unknown' });
  });
});

describe('development seed', () => {
  const example = vector(0);
  const root = { environment: 'production', tree: 'orb', root: example.merkle_root };

  it('adds the app and the root of the example, once, marked as development', async () => {
    await seedDevelopment(store, 1000);
    await seedDevelopment(store, 2000);
    const apps = await store.apps.list();
    expect(apps).toHaveLength(1);
    expect(apps[0]).toMatchObject({
      appId: example.app_id,
      rpId: example.rp_id,
      isDevelopment: true,
      createdAt: 1000,
    });
    const roots = await store.roots.list();
    expect(roots).toHaveLength(1);
    expect(roots[0]).toMatchObject({ ...parseRoot(root, 1000), source: 'development' });
  });

  it('keeps changes by an operator', async () => {
    await seedDevelopment(store, 1000);
    await setAppStatus(store.apps, example.app_id ?? '', 'disabled', 1500);
    await store.roots.put([parseRoot({ ...root, root: '0x1' }, 1600)]);
    await seedDevelopment(store, 2000);
    expect((await store.apps.list())[0]?.status).toBe('disabled');
    const current = await store.roots.listCurrent();
    expect(current.map(({ receivedAt }) => receivedAt)).toEqual([1600]);
  });

  it('adds the example as a past root when an operator has made another one current', async () => {
    await store.roots.put([parseRoot({ ...root, root: '0x1' }, 500)]);
    await seedDevelopment(store, 1000);
    const { root: bytes } = parseRoot(root, 1000);
    expect(await store.roots.find('production', 'orb', bytes)).toMatchObject({ supersededAt: 1000 });
    const current = await store.roots.listCurrent();
    expect(current.map(({ receivedAt }) => receivedAt)).toEqual([500]);
  });

  it('works when two processes seed at the same time', async () => {
    await Promise.all([seedDevelopment(store, 1000), seedDevelopment(store, 1000)]);
    expect(await store.apps.list()).toHaveLength(1);
    expect(await store.roots.list()).toHaveLength(1);
  });

  it('prints a command whose body is the example', async () => {
    const command = exampleCurl('http://127.0.0.1:8080/verify');
    const [, url, body] =
      /^curl -sS '(.*?)' -H 'Content-Type: application\/json' -d '(.*)'$/.exec(command) ?? [];
    expect(url).toBe(`http://127.0.0.1:8080/verify/api/v4/verify/${example.rp_id}`);
    expect(command.split("'")).toHaveLength(7);
    expect(JSON.parse(body ?? '')).toEqual({
      protocol_version: '3.0',
      nonce: '0x01',
      action: example.action,
      responses: [
        {
          identifier: 'orb',
          merkle_root: example.merkle_root,
          nullifier: example.nullifier_hash,
          proof: example.proof,
          signal_hash: example.signal_hash,
        },
      ],
    });
  });
});
