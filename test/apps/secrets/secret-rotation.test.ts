// Rules: spec/sign-in.md#client-secrets
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { registerApp, setAppStatus } from '../../../src/apps/apps.ts';
import { type Clients, createClients } from '../../../src/apps/clients.ts';
import { removeSecret, rotateSecret } from '../../../src/apps/secrets/rotate-secret.ts';
import { describeSecrets, secretCensus, secretKeyId } from '../../../src/apps/secrets/secrets.ts';
import type { AppStore } from '../../../src/storage/apps/apps.ts';
import type { ClientSecretRow } from '../../../src/storage/apps/client-secrets.ts';
import type { Store } from '../../../src/storage/store.ts';
import { openTempStore } from '../../verification/support/temp-store.ts';

const FORMER = new Uint8Array(32).fill(1);
const CURRENT = new Uint8Array(32).fill(2);
const OTHER = new Uint8Array(32).fill(3);
const CACHE_MS = 5000;
const START = 1_000_000;

let temp: Awaited<ReturnType<typeof openTempStore>>;
let store: Store;
let now = START;
let rehashes: string[];
let failures: unknown[];

beforeAll(async () => {
  temp = await openTempStore();
  store = temp.store;
});
beforeEach(async () => {
  for (const { appId } of await store.apps.list()) await store.apps.remove(appId);
  now = START;
  rehashes = [];
  failures = [];
});
afterAll(() => temp.close());

interface Registered {
  readonly appId: string;
  readonly secret: string;
  readonly secretId: string;
}

async function register(key: Uint8Array, keyIsRecorded = true): Promise<Registered> {
  const fields = { redirect_uris: ['https://shop.example/cb'] };
  const apps: Pick<AppStore, 'findByRpId' | 'create'> = {
    ...store.apps,
    create: (app, row) => store.apps.create(app, row && { ...row, keyId: keyIsRecorded ? row.keyId : null }),
  };
  const { app, secret } = await registerApp(apps, { fields, isDevelopment: false }, () => key, now);
  return { appId: app.appId, secret: secret?.value ?? '', secretId: secret?.row.secretId ?? '' };
}

/** Clients of a node with these keys; attempts to rehash a secret are recorded in `rehashes`. */
function clientsOf(
  secretKey: Uint8Array,
  formerSecretKeys: Uint8Array[],
  apps: AppStore = store.apps,
): Clients {
  return createClients({
    apps: {
      ...apps,
      rehashSecret: (change, time) => {
        rehashes.push(change.secretId);
        return apps.rehashSecret(change, time);
      },
    },
    secretKey,
    formerSecretKeys,
    onRehash: { done: () => undefined, failed: (_clientId, error) => failures.push(error) },
    cacheMs: CACHE_MS,
    now: () => now,
  });
}

const rowsOf = (appId: string): Promise<ClientSecretRow[]> => store.apps.listSecrets(appId, now);

/**
 * Waits for writes that were started after an answer, because the store executes writes in order. Returns the
 * secrets.
 */
async function settled(appId: string): Promise<ClientSecretRow[]> {
  await store.apps.update(appId, {}, now);
  return await rowsOf(appId);
}

describe('a secret hashed with a previous key', () => {
  it('is accepted, and is rehashed with the current key', async () => {
    const { appId, secret } = await register(FORMER);
    expect(await clientsOf(CURRENT, []).checkSecret(appId, secret)).toBe(false);
    expect(await clientsOf(CURRENT, [OTHER, FORMER]).checkSecret(appId, secret)).toBe(true);
    expect(await settled(appId)).toMatchObject([{ keyId: secretKeyId(CURRENT), expiresAt: null }]);
    expect(await clientsOf(CURRENT, []).checkSecret(appId, secret)).toBe(true);
    expect(await clientsOf(FORMER, []).checkSecret(appId, secret)).toBe(false);
    expect(rehashes).toHaveLength(1);
  });

  it('keeps its expiry, and the other secret of the client', async () => {
    const { appId, secret } = await register(FORMER);
    const rotation = { secretKey: () => FORMER, overlapMs: 60_000, isDevelopment: false, now };
    const { secret: next } = await rotateSecret(store.apps, appId, rotation);
    const clients = clientsOf(CURRENT, [FORMER]);
    expect(await clients.checkSecret(appId, secret)).toBe(true);
    // both have the same time, so their order depends on their random ids
    const rows = await settled(appId);
    const old = rows.find(({ expiresAt }) => expiresAt !== null);
    const other = rows.find(({ expiresAt }) => expiresAt === null);
    expect(old).toMatchObject({ expiresAt: now + 60_000, keyId: secretKeyId(CURRENT) });
    expect(other).toMatchObject({ expiresAt: null, keyId: secretKeyId(FORMER) });
    expect(await clients.checkSecret(appId, next.value)).toBe(true);
    await settled(appId);
    now += 60_000;
    expect(await clientsOf(CURRENT, []).checkSecret(appId, secret)).toBe(false);
    expect(await clientsOf(CURRENT, []).checkSecret(appId, next.value)).toBe(true);
  });

  it('is not rehashed by wrong secrets, or while its client is disabled', async () => {
    const { appId, secret } = await register(FORMER);
    const clients = clientsOf(CURRENT, [FORMER]);
    for (const wrong of ['', `${secret}0`, secret.toUpperCase()]) {
      expect(await clients.checkSecret(appId, wrong)).toBe(false);
    }
    await setAppStatus(store.apps, appId, 'disabled', now);
    expect(await clientsOf(CURRENT, [FORMER]).checkSecret(appId, secret)).toBe(false);
    expect(rehashes).toEqual([]);
  });

  it('causes one write however often it is used within the cache period', async () => {
    const { appId, secret } = await register(FORMER);
    const clients = clientsOf(CURRENT, [FORMER]);
    const answers = await Promise.all(Array.from({ length: 50 }, () => clients.checkSecret(appId, secret)));
    expect(answers.every(Boolean)).toBe(true);
    await settled(appId);
    now += CACHE_MS + 1;
    expect(await clients.checkSecret(appId, secret)).toBe(true);
    expect(rehashes).toHaveLength(1);
  });

  it('is not restored when it was removed, replaced or has expired in the meantime', async () => {
    const [removed, ended, replaced] = [
      await register(FORMER),
      await register(FORMER),
      await register(FORMER),
    ];
    const clients = clientsOf(CURRENT, [FORMER]);
    for (const { appId } of [removed, ended, replaced]) await clients.find(appId);
    await removeSecret(store.apps, removed.appId, removed.secretId);
    const rotation = { secretKey: () => CURRENT, overlapMs: 0, isDevelopment: false, now };
    await rotateSecret(store.apps, ended.appId, rotation);
    const [row] = await rowsOf(replaced.appId);
    const to = new Uint8Array(32).fill(9);
    const change = { ...replaced, from: row?.hash ?? to, to, keyId: secretKeyId(OTHER) };
    expect(await store.apps.rehashSecret(change, now)).toBe(true);
    // this node still knows them for the cache period
    for (const { appId, secret } of [removed, ended, replaced]) {
      expect(await clients.checkSecret(appId, secret)).toBe(true);
    }
    expect(await settled(removed.appId)).toEqual([]);
    expect(await settled(ended.appId)).toMatchObject([{ keyId: secretKeyId(CURRENT), expiresAt: null }]);
    expect(await settled(replaced.appId)).toMatchObject([{ hash: to, keyId: secretKeyId(OTHER) }]);
    expect(rehashes).toHaveLength(3);
  });

  it('is accepted while the store cannot be written, and rehashed after the cache period', async () => {
    const { appId, secret } = await register(FORMER);
    let isAway = true;
    const apps: AppStore = {
      ...store.apps,
      rehashSecret: (change, time) =>
        isAway ? Promise.reject(new Error('away')) : store.apps.rehashSecret(change, time),
    };
    const clients = clientsOf(CURRENT, [FORMER], apps);
    expect(await clients.checkSecret(appId, secret)).toBe(true);
    expect(await settled(appId)).toMatchObject([{ keyId: secretKeyId(FORMER) }]);
    expect(failures).toHaveLength(1);
    isAway = false;
    now += CACHE_MS + 1;
    expect(await clients.checkSecret(appId, secret)).toBe(true);
    expect(await settled(appId)).toMatchObject([{ keyId: secretKeyId(CURRENT) }]);
  });

  it('is accepted by nodes that have the two keys in opposite order', async () => {
    const { appId, secret } = await register(FORMER);
    for (const [key, other] of [
      [CURRENT, FORMER],
      [FORMER, CURRENT],
      [CURRENT, FORMER],
    ] as const) {
      expect(await clientsOf(key, [other]).checkSecret(appId, secret)).toBe(true);
      expect(await settled(appId)).toMatchObject([{ keyId: secretKeyId(key) }]);
    }
  });
});

describe('a secret of an earlier release, whose key is not recorded', () => {
  it('gets its key recorded at its next use, whichever key it is', async () => {
    const [present, past] = [await register(CURRENT, false), await register(FORMER, false)];
    const [before] = await rowsOf(present.appId);
    expect(before?.keyId).toBeNull();
    const clients = clientsOf(CURRENT, [FORMER]);
    for (const { appId, secret } of [present, past]) {
      expect(await clients.checkSecret(appId, secret)).toBe(true);
      expect(await settled(appId)).toMatchObject([{ keyId: secretKeyId(CURRENT) }]);
    }
    expect((await rowsOf(present.appId))[0]?.hash).toEqual(before?.hash);
  });
});

describe('the census of secrets', () => {
  it('counts them by their keys, without expired ones', async () => {
    await register(CURRENT);
    const former = await register(FORMER);
    const unknown = await register(FORMER, false);
    const lost = await register(OTHER);
    const rotated = await register(CURRENT);
    const rotation = { secretKey: () => CURRENT, overlapMs: 0, isDevelopment: false, now };
    await rotateSecret(store.apps, rotated.appId, rotation);
    const census = await secretCensus(store.apps, { current: CURRENT, former: [FORMER] }, now);
    expect(census).toMatchObject({ current: 2, former: 1, unknown: 1, lost: 1 });
    expect(census.clients).toEqual([former, unknown, lost].map(({ appId }) => appId).sort());
    expect(describeSecrets(census)).toBe(
      `2 under the key in force; 1 under a former key, until their next use; 1 of an earlier release, whose key is not recorded, until their next use; 1 refused, under a key that the settings do not have (${census.clients.join(', ')})`,
    );
  });

  it('names no client when all are hashed with the current key', async () => {
    await register(CURRENT);
    const census = await secretCensus(store.apps, { current: CURRENT, former: [FORMER] }, now);
    expect(describeSecrets(census)).toBe('1 under the key in force');
    expect(census.clients).toEqual([]);
  });
});
