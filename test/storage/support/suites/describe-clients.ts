import { describe, expect, it } from 'vitest';
import { DEFAULT_CLIENT } from '../../../../src/config/apps/client-of.ts';
import type { ClientMetadata, Logo } from '../../../../src/storage/apps/apps.ts';
import { readMigrations } from '../../../../src/storage/migrations/migration-files.ts';
import { appRow } from '../rows.ts';
import { START, secretRow } from '../signin-rows.ts';
import { driver, store } from '../subject.ts';

const APP_ID = appRow().appId;
const DAY_MS = 86_400_000;
const CLIENT: ClientMetadata = {
  redirectUris: ['https://rp.example/cb?x=1', 'org.example.app:/cb'],
  responseTypes: ['code'],
  tokenEndpointAuthMethod: 'none',
  applicationType: 'native',
  allowShortScheme: true,
  allowedOrigins: ['capacitor://localhost'],
  requirePkce: true,
  signalIsNonce: true,
  refreshTokens: true,
  requirePushedAuthorizationRequests: true,
  dpopBoundAccessTokens: true,
  introspects: [`app_${'1'.repeat(32)}`],
  emailForm: 'short',
  binding: 'paired',
  linkWorldIds: true,
  postLogoutRedirectUris: ['https://rp.example/bye'],
  backchannelLogoutUri: 'https://rp.example/logout',
};
const LOGO: Logo = { contentType: 'image/png', bytes: new Uint8Array([0x00, 0xff, 0x89, 0x50]) };

/** Tests for sign-in clients: metadata, secrets, logos. */
export function describeClients(): void {
  const secretIds = async (now: number): Promise<string[]> =>
    (await store.apps.listSecrets(APP_ID, now)).map(({ secretId }) => secretId);

  describe('client metadata', () => {
    it('is stored with the app and replaced as a whole', async () => {
      await store.apps.create(appRow({ client: CLIENT }));
      expect(await store.apps.findByAppId(APP_ID)).toEqual(appRow({ client: CLIENT }));
      const changed = { ...CLIENT, redirectUris: [], requirePkce: false };
      const updated = await store.apps.update(APP_ID, { client: changed }, 2000);
      expect(updated).toEqual(appRow({ client: changed, updatedAt: 2000 }));
      expect(await store.apps.list()).toEqual([updated]);
    });

    it('does not change when another field of the app changes', async () => {
      await store.apps.create(appRow({ client: CLIENT }));
      expect(await store.apps.update(APP_ID, { status: 'disabled' }, 2000)).toMatchObject({ client: CLIENT });
    });

    it('has defaults for an app of an earlier release, and can be set', async () => {
      await store.apps.create(appRow({ client: CLIENT }));
      await driver.write([{ sql: 'delete from clients', params: [] }]);
      expect(await store.apps.findByRpId(appRow().rpId)).toEqual(appRow({ client: DEFAULT_CLIENT }));
      const changed = appRow({ client: CLIENT, updatedAt: 2000 });
      expect(await store.apps.update(APP_ID, { client: CLIENT }, 2000)).toEqual(changed);
    });

    it('is not stored for an unknown app', async () => {
      await expect(store.apps.update('app_x', { client: CLIENT }, 1)).rejects.toMatchObject({
        code: 'app.unknown',
      });
      expect((await store.rowCounts()).clients).toBe(0);
    });

    it('is not stored for an app whose id is taken, and neither is the secret', async () => {
      await store.apps.create(appRow());
      const other = appRow({ appId: 'app_other', client: CLIENT });
      await expect(store.apps.create(other, secretRow('s', { appId: 'app_other' }))).rejects.toMatchObject({
        code: 'app.exists',
      });
      expect(await store.rowCounts()).toMatchObject({ clients: 1, client_secrets: 0 });
    });

    it('is removed with the app, as are secrets, logo and policy', async () => {
      await store.apps.create(appRow({ client: CLIENT }), secretRow('first'));
      await store.apps.update(APP_ID, { logo: LOGO }, 2000);
      await store.apps.remove(APP_ID);
      expect(await store.rowCounts()).toMatchObject({
        apps: 0,
        clients: 0,
        client_secrets: 0,
        client_logos: 0,
        app_policies: 0,
      });
    });
  });

  // Rules: spec/verification.md#verification-policy
  describe('policy', () => {
    it('is stored with the app, is replaced as a whole, and is the default again once it is removed', async () => {
      const policy = { environments: ['production'] as const, actions: ['vote', ''] };
      await store.apps.create(appRow({ policy }));
      expect((await store.apps.findByAppId(APP_ID))?.policy).toEqual(policy);
      const change = { credentials: ['orb', 1], actions: null };
      expect((await store.apps.update(APP_ID, { policy: change }, 2000)).policy).toEqual({
        environments: ['production'],
        credentials: ['orb', 1],
      });
      expect((await store.apps.update(APP_ID, { policy: null }, 3000)).policy).toEqual({
        environments: ['production'],
      });
      expect((await store.apps.update(APP_ID, { name: 'New' }, 4000)).policy).toEqual({
        environments: ['production'],
      });
    });

    it('of an app of an earlier release is the default, or both environments if its usage shows the other', async () => {
      const day = { day: 20_000, amount: 1 };
      const usage = [
        ['unused', 'production', 'verify_refused'],
        ['production', 'production', 'verified_new'],
        ['refused', 'staging', 'verify_refused'],
        ['signed-in', 'staging', 'signed_in'],
        ['new', 'staging', 'verified_new'],
        ['reused', 'staging', 'verified_reused'],
        ['session', 'staging', 'verified_session'],
        ['staging_new', 'staging', 'verified_new'],
        ['staging_production', 'production', 'verified_new'],
        ['stagingx', 'staging', 'verified_new'],
      ] as const;
      for (const [name] of usage)
        await store.apps.create(appRow({ appId: `app_${name}`, rpId: `rp_${name}` }));
      await store.apps.create(appRow({ appId: 'app_action', rpId: 'rp_action' }));
      const rows = usage.map(([name, environment, kind]) => ({
        appId: `app_${name}`,
        environment,
        kind,
        ...day,
      }));
      const actions = [{ appId: 'app_action', environment: 'staging', action: 'vote', amount: 1 } as const];
      await store.usage.add({ usage: rows, actions, refusals: [] });
      await driver.write([{ sql: 'delete from app_policies', params: [] }]);
      const migration = readMigrations().find(({ name }) => name === 'app-policies');
      for (const sql of migration?.statements ?? []) await driver.define(sql);
      const both = (await store.apps.list()).filter(({ policy }) => policy.environments.length === 2);
      expect(both.map(({ appId }) => appId).sort()).toEqual([
        'app_action',
        'app_new',
        'app_reused',
        'app_session',
        'app_staging_production',
        'app_stagingx',
      ]);
      expect((await store.apps.findByAppId('app_staging_new'))?.policy).toEqual({
        environments: ['staging'],
      });
      expect((await store.apps.findByAppId('app_refused'))?.policy).toEqual({ environments: ['production'] });
    });
  });

  describe('client secrets', () => {
    it('can be stored with the app', async () => {
      await store.apps.create(appRow(), secretRow('first', { isDevelopment: true }));
      expect(await store.apps.listSecrets(APP_ID, START)).toEqual([
        secretRow('first', { isDevelopment: true }),
      ]);
      expect(await store.apps.listSecrets('app_other', START)).toEqual([]);
    });

    it('expire after the overlap when a second one is added', async () => {
      await store.apps.create(appRow(), secretRow('first'));
      const second = secretRow('second', { createdAt: START + 1000 });
      expect(await store.apps.addSecret(second, START + DAY_MS, START + 1000)).toBe(true);
      expect(await store.apps.listSecrets(APP_ID, START + DAY_MS - 1)).toEqual([
        secretRow('first', { expiresAt: START + DAY_MS }),
        second,
      ]);
      expect(await store.apps.listSecrets(APP_ID, START + DAY_MS)).toEqual([second]);
    });

    it('are at most two at a time: a third is refused without a change', async () => {
      await store.apps.create(appRow(), secretRow('first'));
      await store.apps.addSecret(secretRow('second'), START + DAY_MS, START);
      const before = await store.apps.listSecrets(APP_ID, START);
      const third = secretRow('third');
      expect(await store.apps.addSecret(third, START + 1, START + DAY_MS - 1)).toBe(false);
      expect(await store.apps.listSecrets(APP_ID, START)).toEqual(before);
      expect(await store.apps.addSecret(third, START + 2 * DAY_MS, START + DAY_MS)).toBe(true);
      expect(await secretIds(START + DAY_MS)).toEqual(['second', 'third']);
    });

    it('keep an expiry that is earlier than the end of the overlap', async () => {
      await store.apps.create(appRow(), secretRow('first', { expiresAt: START + 10 }));
      await store.apps.addSecret(secretRow('second'), START + DAY_MS, START);
      expect(await secretIds(START + 10)).toEqual(['second']);
    });

    it('expire immediately without an overlap', async () => {
      await store.apps.create(appRow(), secretRow('first'));
      await store.apps.addSecret(secretRow('second'), START, START);
      expect(await secretIds(START)).toEqual(['second']);
    });

    it('are removed one by one, after which another can be added', async () => {
      await store.apps.create(appRow(), secretRow('first'));
      await store.apps.addSecret(secretRow('second'), START + DAY_MS, START);
      expect(await store.apps.removeSecret('app_other', 'first')).toBe(false);
      expect(await store.apps.removeSecret(APP_ID, 'none')).toBe(false);
      expect(await store.apps.removeSecret(APP_ID, 'first')).toBe(true);
      expect(await store.apps.removeSecret(APP_ID, 'first')).toBe(false);
      expect(await store.apps.addSecret(secretRow('third'), START + DAY_MS, START)).toBe(true);
    });

    it('are refused for an unknown app', async () => {
      await expect(store.apps.addSecret(secretRow('first'), START, START)).rejects.toMatchObject({
        code: 'app.unknown',
      });
      expect((await store.rowCounts()).client_secrets).toBe(0);
    });

    it('are counted per app, whatever their ids', async () => {
      await store.apps.create(appRow(), secretRow('same'));
      const other = appRow({ appId: 'app_other', rpId: 'rp_other' });
      await store.apps.create(other, secretRow('same', { appId: 'app_other' }));
      await store.apps.addSecret(secretRow('more'), START + DAY_MS, START);
      expect(await store.apps.addSecret(secretRow('more', { appId: 'app_other' }), START, START)).toBe(true);
    });
  });

  describe('keys of client secrets', () => {
    const from = secretRow('first').hash;
    const to = new Uint8Array(32).fill(9);
    const change = { appId: APP_ID, secretId: 'first', from, to, keyId: 'new' };

    it('are recorded with a secret, and unknown for one of an earlier release', async () => {
      await store.apps.create(appRow(), secretRow('first', { keyId: 'old' }));
      await store.apps.addSecret(secretRow('second'), START + DAY_MS, START);
      expect((await store.apps.listSecrets(APP_ID, START)).map(({ keyId }) => keyId)).toEqual(['old', null]);
      expect(await store.apps.countSecrets(START)).toEqual(
        expect.arrayContaining([
          { keyId: null, count: 1 },
          { keyId: 'old', count: 1 },
        ]),
      );
    });

    it('change together with the hash, if the hash is the former one and the secret is valid', async () => {
      await store.apps.create(appRow(), secretRow('first', { keyId: 'old', expiresAt: START + 10 }));
      expect(await store.apps.rehashSecret({ ...change, from: to }, START)).toBe(false);
      expect(await store.apps.rehashSecret({ ...change, secretId: 'none' }, START)).toBe(false);
      expect(await store.apps.rehashSecret(change, START + 10)).toBe(false);
      expect(await store.apps.listSecrets(APP_ID, START)).toMatchObject([{ hash: from, keyId: 'old' }]);
      expect(await store.apps.rehashSecret(change, START)).toBe(true);
      expect(await store.apps.rehashSecret(change, START)).toBe(false);
      expect(await store.apps.listSecrets(APP_ID, START)).toEqual([
        secretRow('first', { hash: to, keyId: 'new', expiresAt: START + 10 }),
      ]);
    });

    it('are counted for valid secrets, and the clients that use another key are listed', async () => {
      await store.apps.create(appRow(), secretRow('first', { keyId: 'old', expiresAt: START }));
      await store.apps.addSecret(secretRow('second', { keyId: 'new' }), START, START);
      const other = appRow({ appId: 'app_other', rpId: 'rp_other' });
      await store.apps.create(other, secretRow('same', { appId: 'app_other' }));
      expect(await store.apps.countSecrets(START - 1)).toHaveLength(3);
      expect(await store.apps.clientsWithOtherKey('new', START - 1, 10)).toEqual(
        [APP_ID, 'app_other'].sort(),
      );
      expect(await store.apps.clientsWithOtherKey('new', START, 10)).toEqual(['app_other']);
      expect(await store.apps.clientsWithOtherKey('none', START, 1)).toHaveLength(1);
    });

    it('are deleted with the secret when it is removed, swept, or removed with its app', async () => {
      await store.apps.create(appRow(), secretRow('first', { keyId: 'old' }));
      const second = secretRow('second', { keyId: 'new', createdAt: START + 1 });
      await store.apps.addSecret(second, START + DAY_MS, START + 1);
      const keys = async (): Promise<number> => (await store.rowCounts()).client_secret_keys ?? -1;
      expect(await keys()).toBe(2);
      await store.sweep(START + DAY_MS - 1, 100);
      expect(await keys()).toBe(2);
      await store.sweep(START + DAY_MS, 100);
      expect(await keys()).toBe(1);
      await store.apps.removeSecret(APP_ID, 'second');
      expect(await keys()).toBe(0);
      await store.apps.addSecret(secretRow('third', { keyId: 'new' }), START, START);
      await store.apps.remove(APP_ID);
      expect(await keys()).toBe(0);
    });
  });

  describe('logos', () => {
    it('are set, replaced and removed', async () => {
      await store.apps.create(appRow());
      expect(await store.apps.logo(APP_ID)).toBeUndefined();
      await store.apps.update(APP_ID, { logo: LOGO }, 2000);
      expect(await store.apps.logo(APP_ID)).toEqual(LOGO);
      expect(await store.apps.findByAppId(APP_ID)).toEqual(appRow({ hasLogo: true, updatedAt: 2000 }));
      const other: Logo = { contentType: 'image/webp', bytes: new Uint8Array([1]) };
      await store.apps.update(APP_ID, { logo: other }, 3000);
      expect(await store.apps.logo(APP_ID)).toEqual(other);
      await store.apps.update(APP_ID, { logo: null }, 4000);
      expect(await store.apps.logo(APP_ID)).toBeUndefined();
      expect(await store.apps.findByAppId(APP_ID)).toEqual(appRow({ updatedAt: 4000 }));
    });

    it('are refused for an unknown app', async () => {
      await expect(store.apps.update(APP_ID, { logo: LOGO }, 1)).rejects.toMatchObject({
        code: 'app.unknown',
      });
      expect((await store.rowCounts()).client_logos).toBe(0);
    });
  });
}
