// Rules: spec/operations.md#secrets
import { tmpdir } from 'node:os';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { configJsonSchema } from '../../../src/config/settings/json-schema.ts';
import { SETTINGS } from '../../../src/config/settings/schema.ts';
import { describeDefault, describeExpected, envName } from '../../../src/config/settings/setting.ts';
import { explainConfig } from '../../../src/config/sources/explain.ts';
import { didYouMean } from '../../../src/config/sources/faults.ts';
import { loadConfig } from '../../../src/config/sources/load.ts';

describe('explainConfig', () => {
  it('returns value, unit and origin of every key and masks secrets', async () => {
    const env = { PROOFGATE_ADMIN_TOKEN: 'a-secret-of-26-characters!', PROOFGATE_ENGINE_MAX_QUEUE: '77' };
    const rows = explainConfig(await loadConfig({ env, cwd: tmpdir() }));
    expect(rows.map((row) => row.key)).toEqual(SETTINGS.map((setting) => setting.key));
    const byKey = new Map(rows.map((row) => [row.key, row]));
    expect(byKey.get('engine.maxQueue')).toEqual({
      key: 'engine.maxQueue',
      value: 77,
      unit: 'proofs',
      origin: 'env',
      env: 'PROOFGATE_ENGINE_MAX_QUEUE',
      missing: null,
    });
    expect(byKey.get('admin.token')?.value).toBe('(set, 26 characters)');
    expect(byKey.get('storage.url')?.value).toBe('libsql:./.proofgate/proofgate.db');
    expect(byKey.get('verify.key.staging.orb')?.value).toBeNull();
    expect(JSON.stringify(rows)).not.toContain('a-secret');
  });

  it('masks a secret wherever it was set', async () => {
    const env = { PROOFGATE_STORAGE_URL: 'libsql:/a/path/with-a-password' };
    const rows = explainConfig(await loadConfig({ env, cwd: tmpdir() }));
    expect(rows.find(({ key }) => key === 'storage.url')?.value).toBe('(set, 30 characters)');
  });

  it('shows only the origin of an address whose path and query may be a password', async () => {
    const env = {
      PROOFGATE_WEBHOOKS_URL: 'https://hooks.example/services/T0/a-password?token=b-password',
      PROOFGATE_WEBHOOKS_SECRET: `whsec_${'A'.repeat(32)}`,
      PROOFGATE_TRACING_ENDPOINT: 'https://c-password:d-password@traces.example',
      PROOFGATE_ROOTS_ORACLE_PRODUCTION_ORB: 'https://oracle.example/e-password',
      PROOFGATE_ROOTS_SOURCES: JSON.stringify([
        {
          id: 'feed',
          kind: 'http',
          environment: 'staging',
          tree: 'orb',
          url: 'https://feed.example/roots?key=f-password',
        },
      ]),
    };
    const rows = explainConfig(await loadConfig({ env, cwd: tmpdir() }));
    const byKey = new Map(rows.map(({ key, value }) => [key, value]));
    expect(byKey.get('webhooks.url')).toBe('https://hooks.example/…');
    expect(byKey.get('tracing.endpoint')).toBe('https://traces.example');
    expect(byKey.get('roots.oracle.production.orb')).toBe('https://oracle.example/…');
    expect(byKey.get('roots.sources')).toMatchObject([{ id: 'feed', url: 'https://feed.example/…' }]);
    expect(JSON.stringify(rows)).not.toMatch(/[a-f]-password/);
  });

  it('shows no default that production does not accept, and none derived from it', async () => {
    const env = { PROOFGATE_PROFILE: 'production' };
    const rows = explainConfig(await loadConfig({ env, cwd: tmpdir() }));
    const missing = rows.filter((row) => row.missing !== null);
    expect(missing.map(({ key, value, missing: what }) => [key, value, what])).toEqual([
      ['baseUrl', null, 'baseUrl'],
      ['issuerUrl', null, 'baseUrl'],
      ['verifyUrl', null, 'baseUrl'],
      ['signin.operatorName', null, 'baseUrl'],
      ['bridge.url', null, 'baseUrl'],
      ['keys.masterKey', null, 'keys.masterKey'],
      ['admin.token', null, 'admin.token'],
      ['storage.url', null, 'storage.url'],
    ]);
    // no other value is a development default
    expect(JSON.stringify(rows)).not.toMatch(/localhost|dev-depth30|\.proofgate\//);
  });

  it('shows in production the set values and those derived from them', async () => {
    const env = {
      PROOFGATE_PROFILE: 'production',
      PROOFGATE_BASE_URL: 'https://id.example',
      PROOFGATE_STORAGE_URL: 'libsql:/data/proofgate.db',
      PROOFGATE_ADMIN_TOKEN: 'sixteen-characters-at-least',
      PROOFGATE_KEYS_MASTER_KEY: 'A'.repeat(43),
    };
    const rows = explainConfig(await loadConfig({ env, cwd: tmpdir() }));
    expect(rows.filter(({ missing }) => missing !== null)).toEqual([]);
    expect(rows.find(({ key }) => key === 'bridge.url')?.value).toBe('https://id.example/bridge');
  });
});

describe('the list of settings', () => {
  it('has unique variables and unique keys', () => {
    expect(new Set(SETTINGS.map((setting) => setting.key)).size).toBe(SETTINGS.length);
    expect(new Set(SETTINGS.map((setting) => envName(setting.key))).size).toBe(SETTINGS.length);
  });

  it('spells a variable in upper snake case', () => {
    expect(envName('engine.maxBatchDelayMs')).toBe('PROOFGATE_ENGINE_MAX_BATCH_DELAY_MS');
    expect(envName('verify.key.production.secure_document')).toBe(
      'PROOFGATE_VERIFY_KEY_PRODUCTION_SECURE_DOCUMENT',
    );
    expect(envName('baseUrl')).toBe('PROOFGATE_BASE_URL');
  });

  it('describes each row in one sentence, with its default and its values', () => {
    for (const setting of SETTINGS) {
      expect(setting.sentence, setting.key).toMatch(/^[A-Z].*\.$/);
      expect(describeDefault(setting)).not.toBe('');
      expect(describeExpected(setting)).not.toBe('');
    }
  });

  it('has defaults that its own schema accepts', async () => {
    const { values } = await loadConfig({ env: {}, cwd: tmpdir() });
    const env = Object.fromEntries(
      Object.entries(values).flatMap(([key, value]) =>
        value === undefined ? [] : [[envName(key), String(value)]],
      ),
    );
    expect((await loadConfig({ env, cwd: tmpdir() })).values).toEqual(values);
  });
});

describe('configJsonSchema', () => {
  it('is a valid schema of draft 2020-12 that refuses unknown members at every level', () => {
    const schema = configJsonSchema();
    const validate = new Ajv2020({ strict: true, allErrors: true }).compile(schema);
    expect(validate({ engine: { workers: 2 }, verify: { key: { 'staging.orb': 'k' } } })).toBe(true);
    expect(validate({ engine: { workers: 2, extra: 1 } })).toBe(false);
    expect(validate({ extra: 1 })).toBe(false);
    expect(validate({ verify: { key: { 'staging.iris': 'k' } } })).toBe(false);
    expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
  });
});

describe('didYouMean', () => {
  it('finds a similar name in any letter case, and nothing when none is similar', () => {
    const names = ['engine.maxQueue', 'engine.maxBatch', 'profile'];
    expect(didYouMean('engine.maxqueue', names)).toBe('engine.maxQueue');
    expect(didYouMean('engine.maxBtch', names)).toBe('engine.maxBatch');
    expect(didYouMean('profil', names)).toBe('profile');
    expect(didYouMean('completely.different', names)).toBeUndefined();
  });
});
