// Rules: spec/sign-in.md#client-fields and spec/sign-in.md#client-secrets
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Registration, registerApp } from '../../src/apps/apps.ts';
import {
  DEFAULT_OVERLAP_MS,
  developmentSecrets,
  removeSecret,
  rotateSecret,
} from '../../src/apps/secrets/rotate-secret.ts';
import { appJson } from '../../src/apps/show-app.ts';
import { updateApp } from '../../src/apps/update-app.ts';
import { RESPONSE_TYPES } from '../../src/config/apps/fields.ts';
import type { Store } from '../../src/storage/store.ts';
import { expectRejected } from '../support/rejects.ts';
import { openTempStore } from '../verification/support/temp-store.ts';

const KEY = new Uint8Array(32).fill(7);
const NOW = 1_000_000;
const CALLBACK = 'https://shop.example/cb';
const SECRET = `sk_${'0123456789abcdef'.repeat(3)}`;

let temp: Awaited<ReturnType<typeof openTempStore>>;
let store: Store;
beforeAll(async () => {
  temp = await openTempStore();
  store = temp.store;
});
beforeEach(async () => {
  for (const { appId } of await store.apps.list()) await store.apps.remove(appId);
});
afterAll(() => temp.close());

async function register(fields: Registration['fields'], more: Partial<Registration> = {}) {
  return await registerApp(store.apps, { fields, isDevelopment: false, ...more }, () => KEY, NOW);
}

function noKey(): never {
  throw new Error('the key must not be needed');
}

describe('registering a client', () => {
  it.each([
    ['in production', false, {}, { responseTypes: ['code'], requirePkce: true }, true],
    ['elsewhere', true, {}, { responseTypes: RESPONSE_TYPES, requirePkce: false }, false],
    [
      'in production, with options that say otherwise',
      false,
      { response_types: RESPONSE_TYPES, require_pkce: false },
      { responseTypes: RESPONSE_TYPES, requirePkce: false },
      true,
    ],
    [
      'elsewhere, with the same by name',
      true,
      { response_types: RESPONSE_TYPES },
      { responseTypes: RESPONSE_TYPES, requirePkce: false },
      true,
    ],
    [
      'in production, with some',
      false,
      { response_types: ['id_token'] },
      { responseTypes: ['id_token'] },
      true,
    ],
  ] as const)('%s sets the response types and PKCE', async (_, isDevelopment, fields, client, isNamed) => {
    const { app } = await register({ redirect_uris: [CALLBACK], ...fields }, { isDevelopment });
    expect(app.client).toMatchObject(client);
    const stored = await store.apps.findByAppId(app.appId);
    expect(stored).toEqual(app);
    expect(appJson(app).response_types_named).toBe(isNamed);
  });

  it('sets the default fields and a secret, and stores only the HMAC of the secret', async () => {
    const { app, secret } = await register({ redirect_uris: [CALLBACK] });
    expect(app).toMatchObject({
      name: app.appId,
      client: {
        redirectUris: [CALLBACK],
        responseTypes: ['code'],
        tokenEndpointAuthMethod: 'client_secret_basic',
        applicationType: 'web',
        requirePkce: true,
        signalIsNonce: false,
      },
    });
    expect(await store.apps.findByAppId(app.appId)).toEqual(app);
    expect(secret?.value).toMatch(/^sk_[0-9a-f]{48}$/);
    const [row, ...others] = await store.apps.listSecrets(app.appId, NOW);
    expect(others).toEqual([]);
    expect(row).toMatchObject({ appId: app.appId, createdAt: NOW, expiresAt: null, isDevelopment: false });
    const expected = createHmac('sha256', KEY).update(`${app.appId}.${secret?.value}`).digest('hex');
    expect(Buffer.from(row?.hash ?? []).toString('hex')).toBe(expected);
  });

  it('creates no secret for a public client or for an app that only verifies', async () => {
    const isPublic = { redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' } as const;
    for (const fields of [isPublic, {}]) {
      const { app, secret } = await registerApp(store.apps, { fields, isDevelopment: false }, noKey, NOW);
      expect(secret).toBeUndefined();
      expect(await store.apps.listSecrets(app.appId, NOW)).toEqual([]);
    }
  });

  it('accepts an existing id and secret of the app', async () => {
    const fields = { client_id: 'app_staging_cb4113a6f4f9dcd1f6cd6e05377dd614', redirect_uris: [CALLBACK] };
    const { app, secret } = await register(fields, { clientSecret: SECRET });
    expect(app.appId).toBe(fields.client_id);
    expect(secret?.value).toBe(SECRET);
  });

  it('refuses a malformed secret without showing it, and a secret for an app that needs none', async () => {
    const fields = { redirect_uris: [CALLBACK] };
    const wrong = register(fields, { clientSecret: 'hunter2' });
    await expect(wrong).rejects.toMatchObject({ code: 'app.invalid', details: { path: 'client_secret' } });
    await expect(wrong).rejects.toThrow(/^client_secret: expected sk_ and 48 .*, got 7 other characters$/);
    await expect(register({}, { clientSecret: SECRET })).rejects.toThrow(
      'client_secret: an app that is public',
    );
  });

  it('generates staging ids on request', async () => {
    expect((await register({}, { isStaging: true })).app.appId).toMatch(/^app_staging_[0-9a-f]{32}$/);
    expect((await register({})).app.appId).toMatch(/^app_[0-9a-f]{32}$/);
  });

  it('stores a logo', async () => {
    const logo = { contentType: 'image/png', bytes: Buffer.from('89504e470d0a1a0a', 'hex') } as const;
    const { app } = await register({}, { logo });
    expect(app.hasLogo).toBe(true);
    expect(await store.apps.findByAppId(app.appId)).toEqual(app);
    const stored = await store.apps.logo(app.appId);
    expect(stored?.contentType).toBe('image/png');
    expect(Buffer.from(stored?.bytes ?? [])).toEqual(logo.bytes);
  });

  it('reports every wrong field and redirect URI, and stores nothing', async () => {
    const fields = { name: '', require_pkce: 'yes' } as unknown as Registration['fields'];
    await expect(register(fields)).rejects.toThrow(
      'name: expected 1 to 64 characters without control, direction and invisible characters, got ""\n  require_pkce: expected true or false, got "yes"',
    );
    const uris = { redirect_uris: [CALLBACK, 'http://shop.example/cb', '/cb'] };
    const refused = register(uris);
    await expect(refused).rejects.toMatchObject({
      code: 'app.invalid',
      details: {
        path: 'redirect_uris[1]',
        faults: [{ path: 'redirect_uris[1]' }, { path: 'redirect_uris[2]' }],
      },
    });
    await expect(refused).rejects.toThrow('redirect_uris[2]: "/cb" is not absolute: it has no scheme');
    expect(await store.apps.list()).toEqual([]);
  });

  it('accepts at most 50 redirect URIs', async () => {
    const uris = Array.from({ length: 51 }, (_, index) => `${CALLBACK}/${index}`);
    expect((await register({ redirect_uris: uris.slice(1) })).app.client.redirectUris).toEqual(uris.slice(1));
    await expect(register({ redirect_uris: uris })).rejects.toThrow('redirect_uris: expected at most 50');
  });
});

describe('changing a client', () => {
  it('replaces redirect URIs and leaves the rest', async () => {
    const { app } = await register({ redirect_uris: [CALLBACK], require_pkce: true });
    const other = 'https://other.example/cb';
    const change = { redirect_uris: [other], name: 'Shop' };
    expect(await updateApp(store.apps, app.appId, change, NOW + 1)).toEqual({
      ...app,
      name: 'Shop',
      client: { ...app.client, redirectUris: [other] },
      updatedAt: NOW + 1,
    });
  });

  it('refuses a URI that is there twice, and one that breaks a rule', async () => {
    const { app } = await register({ redirect_uris: [CALLBACK] });
    const update = (change: Parameters<typeof updateApp>[2]) => updateApp(store.apps, app.appId, change, NOW);
    await expect(update({ redirect_uris: [CALLBACK, CALLBACK] })).rejects.toThrow(
      'redirect_uris: expected at most 50',
    );
    await expect(update({ redirect_uris: [CALLBACK, 'http://127.0.0.1/'] })).rejects.toThrow(
      '"http://127.0.0.1/" is http',
    );
    expect(await store.apps.findByAppId(app.appId)).toEqual(app);
  });

  it('checks existing URIs against a new application type', async () => {
    const { app } = await register({ redirect_uris: ['com.example.app:/cb'], application_type: 'native' });
    await expect(updateApp(store.apps, app.appId, { application_type: 'web' }, NOW)).rejects.toThrow(
      'redirect_uris[0]: "com.example.app:/cb" has the private scheme com.example.app',
    );
  });

  it('never applies development rules to an app created in production', async () => {
    const uri = 'http://shop.test/cb';
    const { app } = await register({ redirect_uris: [CALLBACK] }, { isStaging: true });
    await expect(updateApp(store.apps, app.appId, { redirect_uris: [CALLBACK, uri] }, NOW)).rejects.toThrow(
      uri,
    );
    const { app: development } = await register({}, { isStaging: true, isDevelopment: true });
    const updated = await updateApp(store.apps, development.appId, { redirect_uris: [uri] }, NOW);
    expect(updated.client.redirectUris).toEqual([uri]);
  });

  it('refuses another id', async () => {
    const { app } = await register({});
    const change: object = { client_id: 'app_369183bd38f1641b6964ab51d7a20434' };
    await expect(updateApp(store.apps, app.appId, change, NOW)).rejects.toThrow(
      'client_id: cannot be changed',
    );
  });

  it('sets and removes a logo', async () => {
    const { app } = await register({});
    const logo = { contentType: 'image/webp', bytes: Buffer.from('RIFF') } as const;
    expect((await updateApp(store.apps, app.appId, { logo }, NOW)).hasLogo).toBe(true);
    expect((await store.apps.logo(app.appId))?.contentType).toBe('image/webp');
    expect((await updateApp(store.apps, app.appId, { name: 'x' }, NOW)).hasLogo).toBe(true);
    expect((await updateApp(store.apps, app.appId, { logo: null }, NOW)).hasLogo).toBe(false);
    expect(await store.apps.logo(app.appId)).toBeUndefined();
  });
});

describe('the secrets of a client', () => {
  const rotation = {
    secretKey: () => KEY,
    overlapMs: DEFAULT_OVERLAP_MS,
    isDevelopment: false,
    now: NOW + 10,
  };

  it('are two during an overlap of a day, and one after it', async () => {
    const { app, secret } = await register({ redirect_uris: [CALLBACK] });
    const { secret: next } = await rotateSecret(store.apps, app.rpId, rotation);
    expect(next.value).not.toBe(secret?.value);
    const end = NOW + 10 + 24 * 3600 * 1000;
    expect(await store.apps.listSecrets(app.appId, end - 1)).toMatchObject([
      { secretId: secret?.row.secretId, expiresAt: end },
      { secretId: next.row.secretId, expiresAt: null },
    ]);
    expect(await store.apps.listSecrets(app.appId, end)).toMatchObject([{ secretId: next.row.secretId }]);
  });

  it('are never three: one must be removed or expire first', async () => {
    const { app, secret } = await register({ redirect_uris: [CALLBACK] });
    await rotateSecret(store.apps, app.appId, rotation);
    await expectRejected(rotateSecret(store.apps, app.appId, rotation), 'app.two_secrets');
    expect(await store.apps.listSecrets(app.appId, NOW + 10)).toHaveLength(2);
    await removeSecret(store.apps, app.appId, secret?.row.secretId ?? '');
    await rotateSecret(store.apps, app.appId, rotation);
    const later = { ...rotation, now: rotation.now + DEFAULT_OVERLAP_MS };
    await rotateSecret(store.apps, app.appId, later);
    expect(await store.apps.listSecrets(app.appId, later.now)).toHaveLength(2);
  });

  it('expire immediately with an overlap of 0', async () => {
    const { app } = await register({ redirect_uris: [CALLBACK] });
    const { secret } = await rotateSecret(store.apps, app.appId, { ...rotation, overlapMs: 0 });
    expect(await store.apps.listSecrets(app.appId, rotation.now)).toMatchObject([
      { secretId: secret.row.secretId },
    ]);
  });

  it('cannot be added to a public client, and an unknown one cannot be removed', async () => {
    const { app } = await register({ redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' });
    await expect(rotateSecret(store.apps, app.appId, rotation)).rejects.toMatchObject({ code: 'app.public' });
    await expectRejected(removeSecret(store.apps, app.appId, 'cs_1'), 'app.secret_unknown');
  });

  it('of another client cannot be removed', async () => {
    const { app } = await register({ redirect_uris: [CALLBACK] });
    const { secret } = await register({ redirect_uris: [CALLBACK] });
    const secretId = secret?.row.secretId ?? '';
    await expectRejected(removeSecret(store.apps, app.appId, secretId), 'app.secret_unknown');
  });

  it('have the development mark until they expire', async () => {
    const { app } = await register({ redirect_uris: [CALLBACK] });
    expect(await developmentSecrets(store.apps, NOW)).toEqual([]);
    await rotateSecret(store.apps, app.appId, { ...rotation, isDevelopment: true });
    const [marked] = await developmentSecrets(store.apps, NOW + 10);
    expect(marked).toMatchObject({ appId: app.appId, isDevelopment: true });
    await rotateSecret(store.apps, app.appId, {
      ...rotation,
      overlapMs: 5,
      now: NOW + 10 + DEFAULT_OVERLAP_MS,
    });
    expect(await developmentSecrets(store.apps, NOW + 10 + DEFAULT_OVERLAP_MS + 5)).toEqual([]);
  });
});
