import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApp, findApp, registerApp } from '../../src/apps/apps.ts';
import { createClients } from '../../src/apps/clients.ts';
import { openApps } from '../../src/apps/configured-apps.ts';
import { secretKeyOf } from '../../src/apps/secrets/secrets.ts';
import { updateApp } from '../../src/apps/update-app.ts';
import type { Config } from '../../src/config/settings/types.ts';
import { loadConfig } from '../../src/config/sources/load.ts';
import type { AppStore } from '../../src/storage/apps/apps.ts';
import type { Store } from '../../src/storage/store.ts';
import { environmentOf } from '../support/server/environment-of.ts';
import { openTempStore } from '../verification/support/temp-store.ts';

const LISTED = 'app_369183bd38f1641b6964ab51d7a20434';
const LISTED_RP = 'rp_47ac69c81397b357';
const STORED = 'app_staging_cb4113a6f4f9dcd1f6cd6e05377dd614';
const SECRET = `sk_${'0123456789abcdef'.repeat(3)}`;
const ENTRY = { client_id: LISTED, name: 'Listed', redirect_uris: ['https://shop.example/cb'] };
const ENTRY_PUBLIC = { ...ENTRY, token_endpoint_auth_method: 'none' };

let folder: string;
let temp: Awaited<ReturnType<typeof openTempStore>>;
let store: Store;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proofgate-configured-'));
  temp = await openTempStore();
  store = temp.store;
});
beforeEach(async () => {
  for (const { appId } of await store.apps.list()) await store.apps.remove(appId);
  await createApp(store.apps, { appId: STORED }, 1);
});
afterAll(async () => {
  await temp.close();
  await rm(folder, { recursive: true });
});

async function configOf(list: readonly object[], profile = 'test'): Promise<Config> {
  const given = {
    profile,
    dataDir: folder,
    'apps.list': JSON.stringify(list),
    ...(profile === 'production' ? { 'keys.masterKey': Buffer.alloc(32, 9).toString('base64') } : {}),
  };
  return (await loadConfig({ env: environmentOf(given), cwd: folder })).config;
}

async function open(list: readonly object[] = [{ ...ENTRY, client_secret: SECRET }]): Promise<AppStore> {
  return await openApps(await configOf(list), store.apps);
}

describe('apps of the configuration', () => {
  it('are found by both ids and listed with those of the registry', async () => {
    const apps = await open();
    const app = await findApp(apps, LISTED);
    expect(app).toMatchObject({ name: 'Listed', rpId: LISTED_RP, status: 'active', isDevelopment: true });
    expect(await findApp(apps, LISTED_RP)).toEqual(app);
    expect((await apps.list()).map(({ appId }) => appId)).toEqual([LISTED, STORED]);
    expect(await findApp(apps, STORED)).toMatchObject({ appId: STORED });
    expect(await store.apps.findByAppId(LISTED)).toBeUndefined();
  });

  it('have no development mark in production', async () => {
    const config = await configOf([{ ...ENTRY, client_secret: SECRET }], 'production');
    const apps = await openApps(config, store.apps);
    expect(await findApp(apps, LISTED)).toMatchObject({ isDevelopment: false });
    expect(await apps.listSecrets(LISTED, 1)).toMatchObject([{ isDevelopment: false, expiresAt: null }]);
  });

  it('are sign-in clients with their secret, kept as an HMAC with the same id on each node', async () => {
    const apps = await open();
    const [row] = await apps.listSecrets(LISTED, 1);
    expect(row?.secretId).toMatch(/^cs_[0-9a-f]{16}$/);
    expect((await (await open()).listSecrets(LISTED, 1))[0]).toEqual(row);
    expect(Buffer.from(row?.hash ?? []).toString('latin1')).not.toContain(SECRET);
    const secretKey = secretKeyOf(await configOf([]));
    const clients = createClients({ apps, secretKey, cacheMs: 0, now: () => 1 });
    expect(await clients.checkSecret(LISTED, SECRET)).toBe(true);
    expect(await clients.checkSecret(LISTED, SECRET.replace('0', '1'))).toBe(false);
    expect(await clients.hasOrigin('https://shop.example')).toBe(true);
  });

  it('cannot be changed', async () => {
    const apps = await open();
    const [secret] = await apps.listSecrets(LISTED, 1);
    if (secret === undefined) throw new Error('the app has a secret');
    const changes = [
      () => apps.update(LISTED, { name: 'Mine' }, 2),
      () => apps.remove(LISTED),
      () => apps.addSecret(secret, 2, 2),
      () => apps.removeSecret(LISTED, secret.secretId),
      () => apps.update(LISTED, { logo: null }, 2),
    ];
    for (const change of changes) await expect(change()).rejects.toMatchObject({ code: 'app.read_only' });
    await expect(createApp(apps, { appId: LISTED }, 2)).rejects.toMatchObject({ code: 'app.exists' });
    expect(await findApp(apps, LISTED)).toMatchObject({ name: 'Listed' });
  });

  it('do not prevent changes of apps in the registry', async () => {
    const apps = await open();
    expect(await apps.update(STORED, { name: 'Mine' }, 2)).toMatchObject({ name: 'Mine' });
    const logo = { contentType: 'image/png', bytes: new Uint8Array([1]) } as const;
    await apps.update(STORED, { logo }, 2);
    expect((await apps.logo(STORED))?.contentType).toBe('image/png');
    expect(await apps.logo(LISTED)).toBeUndefined();
    const [secret] = await apps.listSecrets(LISTED, 1);
    if (secret === undefined) throw new Error('the app has a secret');
    expect(await apps.addSecret({ ...secret, secretId: 'cs_1', appId: STORED }, 2, 2)).toBe(true);
    expect(await apps.removeSecret(STORED, 'cs_1')).toBe(true);
    await apps.remove(STORED);
    expect(await store.apps.list()).toEqual([]);
    await createApp(apps, {}, 3);
    expect(await store.apps.list()).toHaveLength(1);
  });

  it('prevent the start when some are in the registry too, all reported together', async () => {
    await createApp(store.apps, { appId: LISTED }, 1);
    const config = await configOf([{ client_id: STORED }, { client_id: LISTED }]);
    const refused = openApps(config, store.apps);
    await expect(refused).rejects.toMatchObject({ code: 'config.invalid', spec: { exit: 78 } });
    await expect(refused).rejects.toThrow(
      new RegExp(
        `^config: 2 problems\n {2}apps.list "${STORED}" is in the registry too; .*\n {2}apps.list "${LISTED}"`,
      ),
    );
  });

  it('prevent the start when one has the rp_id of another app', async () => {
    const taken = { findByRpId: async () => await store.apps.findByAppId(STORED) };
    await expect(openApps(await configOf([ENTRY_PUBLIC]), { ...store.apps, ...taken })).rejects.toThrow(
      `apps.list "${LISTED}" has the rp_id of ${STORED}; keep one`,
    );
  });

  it('may have an rp_id of their own, which no other app can have', async () => {
    const apps = await open([{ ...ENTRY_PUBLIC, rp_id: 'rp_00000000000000AB' }]);
    expect((await findApp(apps, 'rp_00000000000000ab')).appId).toBe(LISTED);
    const taken = { rp_id: 'rp_00000000000000ab' };
    const refusal = { code: 'app.rp_id_taken' };
    await expect(updateApp(apps, STORED, taken, 2)).rejects.toMatchObject(refusal);
    const registration = { fields: taken, isDevelopment: false };
    await expect(registerApp(apps, registration, () => new Uint8Array(32), 2)).rejects.toMatchObject(refusal);
    expect(await updateApp(apps, STORED, { rp_id: LISTED_RP }, 2)).toMatchObject({ rpId: LISTED_RP });
  });

  it('prevent the start when two of them have one rp_id', async () => {
    const twin = `app_${'e'.repeat(32)}`;
    const list = await configOf([ENTRY_PUBLIC, { client_id: twin, rp_id: LISTED_RP }]);
    await expect(openApps(list, store.apps)).rejects.toThrow(
      `apps.list "${twin}" has the rp_id of "${LISTED}"`,
    );
  });

  it('leave the store unwrapped when there are none', async () => {
    expect(await open([])).toBe(store.apps);
  });
});
