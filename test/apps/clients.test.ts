// Rules: spec/sign-in.md#redirect-uris
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { registerApp, removeApp, setAppStatus, updateApp } from '../../src/apps/apps.ts';
import { type Clients, createClients, matchesRedirectUri, originsOf } from '../../src/apps/clients.ts';
import { removeSecret, rotateSecret } from '../../src/apps/secrets/rotate-secret.ts';
import { DEFAULT_CLIENT } from '../../src/config/apps/client-of.ts';
import type { AppFields } from '../../src/config/apps/fields.ts';
import type { AppStore, ClientMetadata } from '../../src/storage/apps/apps.ts';
import type { Store } from '../../src/storage/store.ts';
import { createStoreChangeCells, createStoreChanges } from '../../src/storage/store-changes.ts';
import { openTempStore } from '../verification/support/temp-store.ts';

function app(redirectUris: readonly string[], applicationType: ClientMetadata['applicationType'] = 'web') {
  return { client: { ...DEFAULT_CLIENT, redirectUris, applicationType } };
}

describe('a redirect URI of a request', () => {
  it('matches the registered one byte for byte', () => {
    const shop = app(['https://shop.example/cb?a=1', 'https://shop.example/%7Eme']);
    expect(matchesRedirectUri(shop, 'https://shop.example/cb?a=1')).toBe(true);
    expect(matchesRedirectUri(shop, 'https://shop.example/%7Eme')).toBe(true);
  });

  it.each([
    'https://shop.example/cb/',
    'https://shop.example/cb?',
    'https://shop.example/CB',
    'https://SHOP.example/cb',
    'https://shop.example:443/cb',
    'https://shop.example/c%62',
    'https://shop.example/cb ',
    'https://shop.example/cb\n',
    'https://shop.example',
    'https://shop.example.evil.example/cb',
    '',
  ])('does not match as %j', (uri) => {
    expect(matchesRedirectUri(app(['https://shop.example/cb'], 'native'), uri)).toBe(false);
  });

  it.each([
    ['http://127.0.0.1/cb', 'http://127.0.0.1:51004/cb'],
    ['http://127.0.0.1:1/cb', 'http://127.0.0.1:65535/cb'],
    ['http://127.0.0.1:80/cb', 'http://127.0.0.1/cb'],
    ['http://[::1]/cb?x=1', 'http://[::1]:8080/cb?x=1'],
    ['http://localhost', 'http://localhost:3000'],
  ])('of a native client may have another port: %s matches %s', (registered, uri) => {
    expect(matchesRedirectUri(app([registered], 'native'), uri)).toBe(true);
    expect(matchesRedirectUri(app([registered], 'web'), uri)).toBe(false);
  });

  it.each([
    ['http://127.0.0.1/cb', 'http://127.0.0.1:51004/other'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:51004/cb?x=1'],
    ['http://127.0.0.1/cb', 'http://localhost:51004/cb'],
    ['http://127.0.0.1/cb', 'https://127.0.0.1:51004/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:65536/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:0/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:51004@evil.example/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:/cb'],
    ['http://127.0.0.1', 'http://127.0.0.1:80.evil.example'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:51004/cb\n'],
    ['https://127.0.0.1/cb', 'https://127.0.0.1:51004/cb'],
    ['http://shop.test/cb', 'http://shop.test:51004/cb'],
    ['com.example.app://x/cb', 'com.example.app://x:1/cb'],
  ])('of a native client may differ only in a loopback port: %s does not match %j', (registered, uri) => {
    expect(matchesRedirectUri(app([registered], 'native'), uri)).toBe(false);
  });
});

describe('the origins of a client', () => {
  it('are those of its http and https URIs, as browsers serialize them', () => {
    const uris = [
      'https://shop.example/cb',
      'https://shop.example/other',
      'https://Shop.Example:443/cb',
      'https://shop.example:8443/cb',
      'http://127.0.0.1:3000/cb',
      'http://[::1]:3000/cb',
      'com.example.app:/cb',
    ];
    expect([...originsOf(app(uris, 'native'))]).toEqual([
      'https://shop.example',
      'https://shop.example:8443',
      'http://127.0.0.1:3000',
      'http://[::1]:3000',
    ]);
    expect(originsOf(app([])).size).toBe(0);
  });
});

const KEY = new Uint8Array(32).fill(7);
const CACHE_MS = 5000;
const START = 1_000_000;
const UNKNOWN = 'app_00000000000000000000000000000000';
const FIELDS: AppFields = { redirect_uris: ['https://shop.example/cb'] };

let temp: Awaited<ReturnType<typeof openTempStore>>;
let store: Store;
let now = START;
let clients: Clients;
let reads: string[];

/** App store that records its calls in `reads`. */
function recording(apps: AppStore): AppStore {
  return {
    ...apps,
    findByAppId: (appId) => {
      reads.push(`find ${appId}`);
      return apps.findByAppId(appId);
    },
    list: () => {
      reads.push('list');
      return apps.list();
    },
    listSecrets: (appId, time) => {
      reads.push(`secrets ${appId}`);
      return apps.listSecrets(appId, time);
    },
  };
}

async function register(fields: AppFields = FIELDS) {
  const { app, secret } = await registerApp(store.apps, { fields, isDevelopment: false }, () => KEY, now);
  return { appId: app.appId, secret: secret?.value ?? '', secretId: secret?.row.secretId ?? '' };
}

beforeAll(async () => {
  temp = await openTempStore();
  store = temp.store;
});
beforeEach(async () => {
  for (const { appId } of await store.apps.list()) await store.apps.remove(appId);
  now = START;
  reads = [];
  clients = createClients({ apps: recording(store.apps), secretKey: KEY, cacheMs: CACHE_MS, now: () => now });
});
afterAll(() => temp.close());

describe('finding a client', () => {
  it('returns the app of the store, and undefined for an unknown one', async () => {
    const { appId } = await register();
    expect(await clients.find(appId)).toEqual(await store.apps.findByAppId(appId));
    expect(await clients.find(UNKNOWN)).toBeUndefined();
  });

  it('returns a disabled app too', async () => {
    const { appId } = await register();
    await setAppStatus(store.apps, appId, 'disabled', now);
    expect(await clients.find(appId)).toMatchObject({ status: 'disabled' });
  });

  it('reads the store once per cache period, however many callers there are', async () => {
    const { appId } = await register();
    await Promise.all(Array.from({ length: 50 }, () => clients.find(appId)));
    now += CACHE_MS;
    await clients.find(appId);
    expect(reads).toEqual([`find ${appId}`, `secrets ${appId}`]);
  });

  it('sees a change by another process after the cache period', async () => {
    const { appId } = await register();
    await clients.find(appId);
    await updateApp(store.apps, appId, { name: 'New' }, now);
    await setAppStatus(store.apps, appId, 'disabled', now);
    now += CACHE_MS;
    expect(await clients.find(appId)).toMatchObject({ name: appId, status: 'active' });
    now += 1;
    expect(await clients.find(appId)).toMatchObject({ name: 'New', status: 'disabled' });
  });

  it('no longer finds a removed client after the cache period', async () => {
    const { appId, secret } = await register();
    await clients.find(appId);
    await removeApp(store.apps, appId);
    now += CACHE_MS + 1;
    expect(await clients.find(appId)).toBeUndefined();
    expect(await clients.checkSecret(appId, secret)).toBe(false);
  });

  it('finds an added client immediately, even after an earlier miss', async () => {
    const fields = { ...FIELDS, client_id: UNKNOWN };
    expect(await clients.find(UNKNOWN)).toBeUndefined();
    const { secret } = await register(fields);
    expect(await clients.find(UNKNOWN)).toMatchObject({ appId: UNKNOWN });
    expect(await clients.checkSecret(UNKNOWN, secret)).toBe(true);
  });

  it('never queries the store for a malformed id', async () => {
    for (const id of [
      '',
      'app_1',
      `${UNKNOWN}0`,
      UNKNOWN.toUpperCase(),
      `${UNKNOWN}\n`,
      'rp_47ac69c81397b357',
    ]) {
      expect(await clients.find(id)).toBeUndefined();
      expect(await clients.checkSecret(id, 'sk_')).toBe(false);
    }
    expect(reads).toEqual([]);
  });

  it('limits concurrent reads during a flood of unknown ids', async () => {
    let running = 0;
    let most = 0;
    const slow = createClients({
      apps: {
        ...store.apps,
        findByAppId: async (appId) => {
          most = Math.max(most, ++running);
          const app = await store.apps.findByAppId(appId);
          running--;
          return app;
        },
      },
      secretKey: KEY,
      cacheMs: CACHE_MS,
      now: () => now,
    });
    const ids = Array.from({ length: 500 }, (_, index) => `app_${index.toString(16).padStart(32, '0')}`);
    expect(await Promise.all(ids.map((id) => slow.find(id)))).toEqual(ids.map(() => undefined));
    expect(most).toBe(16);
  });
});

describe('the secret of a client', () => {
  it('is accepted, and no other one, not even that of another client', async () => {
    const [shop, other] = [await register(), await register()];
    expect(await clients.checkSecret(shop.appId, shop.secret)).toBe(true);
    expect(await clients.checkSecret(other.appId, other.secret)).toBe(true);
    expect(await clients.checkSecret(shop.appId, other.secret)).toBe(false);
    for (const wrong of ['', 'sk_', shop.secret.toUpperCase(), `${shop.secret} `, `${shop.secret}0`]) {
      expect(await clients.checkSecret(shop.appId, wrong)).toBe(false);
    }
    expect(await clients.checkSecret(UNKNOWN, shop.secret)).toBe(false);
  });

  it('is refused with another HMAC key of the server', async () => {
    const { appId, secret } = await register();
    const secretKey = new Uint8Array(32).fill(8);
    const others = createClients({ apps: store.apps, secretKey, cacheMs: 0, now: () => now });
    expect(await others.checkSecret(appId, secret)).toBe(false);
  });

  it('is refused while the client is disabled or public', async () => {
    const { appId, secret } = await register();
    await setAppStatus(store.apps, appId, 'disabled', now);
    expect(await clients.checkSecret(appId, secret)).toBe(false);
    await setAppStatus(store.apps, appId, 'active', now);
    await updateApp(store.apps, appId, { token_endpoint_auth_method: 'none' }, now);
    now += CACHE_MS + 1;
    expect(await clients.checkSecret(appId, secret)).toBe(false);
    await updateApp(store.apps, appId, { token_endpoint_auth_method: 'client_secret_post' }, now);
    now += CACHE_MS + 1;
    expect(await clients.checkSecret(appId, secret)).toBe(true);
  });

  it('stays valid next to a new one until its expiry, to the millisecond and without another read', async () => {
    const { appId, secret } = await register();
    const rotation = { secretKey: () => KEY, overlapMs: 3000, isDevelopment: false, now };
    const { secret: next } = await rotateSecret(store.apps, appId, rotation);
    expect(await clients.checkSecret(appId, secret)).toBe(true);
    expect(await clients.checkSecret(appId, next.value)).toBe(true);
    const before = reads.length;
    now += 2999;
    expect(await clients.checkSecret(appId, secret)).toBe(true);
    now += 1;
    expect(await clients.checkSecret(appId, secret)).toBe(false);
    expect(await clients.checkSecret(appId, next.value)).toBe(true);
    expect(reads).toHaveLength(before);
  });

  it('is accepted after its creation or refused after its removal once the cache period has passed', async () => {
    const { appId, secret, secretId } = await register();
    await clients.find(appId);
    const rotation = { secretKey: () => KEY, overlapMs: 60_000, isDevelopment: false, now };
    const { secret: next } = await rotateSecret(store.apps, appId, rotation);
    await removeSecret(store.apps, appId, secretId);
    expect(await clients.checkSecret(appId, secret)).toBe(true);
    now += CACHE_MS + 1;
    expect(await clients.checkSecret(appId, next.value)).toBe(true);
    expect(await clients.checkSecret(appId, secret)).toBe(false);
  });
});

describe('the origins of all clients', () => {
  it('are those of active clients', async () => {
    await register();
    const { appId } = await register({ redirect_uris: ['https://other.example/cb'] });
    await setAppStatus(store.apps, appId, 'disabled', now);
    expect(await clients.hasOrigin('https://shop.example')).toBe(true);
    expect(await clients.hasOrigin('https://other.example')).toBe(false);
    expect(await clients.hasOrigin('http://shop.example')).toBe(false);
    expect(await clients.hasOrigin('null')).toBe(false);
  });

  it('are read once per cache period, however many callers there are', async () => {
    await register();
    await Promise.all(
      Array.from({ length: 50 }, (_, index) => clients.hasOrigin(`https://${index}.example`)),
    );
    now += CACHE_MS;
    await clients.hasOrigin('https://evil.example');
    expect(reads).toEqual(['list']);
  });

  it('reflect a change after the cache period', async () => {
    const { appId } = await register();
    expect(await clients.hasOrigin('https://new.example')).toBe(false);
    await updateApp(store.apps, appId, { redirect_uris: ['https://new.example/cb'] }, now);
    now += CACHE_MS;
    expect(await clients.hasOrigin('https://new.example')).toBe(false);
    now += 1;
    expect(await clients.hasOrigin('https://new.example')).toBe(true);
    expect(await clients.hasOrigin('https://shop.example')).toBe(false);
  });

  it('reflect a change of this process immediately', async () => {
    const changes = createStoreChanges(createStoreChangeCells());
    const { appId } = await register();
    clients = createClients({ apps: store.apps, secretKey: KEY, cacheMs: CACHE_MS, now: () => now, changes });
    expect(await clients.hasOrigin('https://new.example')).toBe(false);
    await updateApp(store.apps, appId, { redirect_uris: ['https://new.example/cb'] }, now);
    changes.add();
    expect(await clients.hasOrigin('https://new.example')).toBe(true);
    expect((await clients.find(appId))?.client.redirectUris).toEqual(['https://new.example/cb']);
  });

  it('are read again after a failed read', async () => {
    let isAway = true;
    await register();
    const list = (): ReturnType<AppStore['list']> =>
      isAway ? Promise.reject(new Error('away')) : store.apps.list();
    const apps = { ...store.apps, list };
    const away = createClients({ apps, secretKey: KEY, cacheMs: CACHE_MS, now: () => now });
    await expect(away.hasOrigin('https://shop.example')).rejects.toThrow('away');
    isAway = false;
    expect(await away.hasOrigin('https://shop.example')).toBe(true);
  });
});
