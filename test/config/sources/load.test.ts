// Rules: spec/operations.md#sources-of-settings
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../../src/config/settings/schema.ts';
import { envName, type Setting } from '../../../src/config/settings/setting.ts';
import { processors } from '../../../src/config/settings/shape.ts';
import { ENCODINGS } from '../../support/encodings.ts';
import { folder, load, put, useConfigFolder } from '../support/config-folder.ts';

useConfigFolder();

/** Values of settings with a format of their own. */
const SAMPLES: Readonly<Record<string, string>> = {
  'admin.allowedHosts': 'proofgate,ops.example',
  'outgoing.proxy': 'http://alice:secret@egress.example:3128',
  'outgoing.noProxy': '.example,10.0.0.0/8',
  'proxy.trusted': '10.0.0.0/8,fd00::/8',
  'refresh.pcpVersions': '2.3,2.4',
  'refresh.pcpSignupReasons': 'NORMAL,FRAUD',
  'refresh.externalNullifier': 'another text',
  'refresh.issuerSchemaId': '18446744073709551615',
  'refresh.validity': 'P2Y',
  'refresh.signingSeed': '0a'.repeat(32),
  'rp.signingKey': '0b'.repeat(32),
  'refresh.verificationKey': 'some-name',
  'verify.worldid4.issuers.production': '1:orb|face,18446744073709551615:passport',
  'verify.worldid4.issuers.staging': '0:a.b_c-d',
  'verify.worldid4.attestation.production.issuer': 'keys.example',
  'verify.worldid4.attestation.staging.issuer': 'keys.example',
  'roots.sources': 'worldid3-sepolia',
  'signin.worldid4.rpId': 'rp_0123456789abcdef',
  'signin.worldid4.signingKey': '0c'.repeat(32),
  'signin.accentColor': '#123456',
  'signin.accentColorDark': '#ABCDEF',
  'signin.logoFile': 'logo.svg',
  'server.frontEnds': '2',
};

const WEBHOOK_SECRET = `whsec_${'A'.repeat(32)}`;

/** A valid value of a setting, as text, that differs from its default. */
function sampleOf(setting: Setting): string {
  const { key } = setting;
  const sample = SAMPLES[key];
  if (sample !== undefined) return sample;
  if (key.startsWith('webhooks.secret')) return WEBHOOK_SECRET;
  if (setting.type === 'integer') return String(setting.maximum);
  if (setting.type === 'boolean') return 'true';
  if (setting.type === 'choice') return String(setting.choices.at(-1));
  if (/(url$|\.endpoint$|^roots\.(rpc|oracle)\.)/i.test(key) && key !== 'storage.url')
    return 'https://id.example';
  if (key.endsWith('Key') || key.endsWith('KeyPrevious')) return 'A'.repeat(43);
  return /^verify\.(worldid4\.)?key\./.test(key) || key.endsWith('.host')
    ? 'some-name'
    : 'libsql:a-value-of-26-characters';
}

/** Variables that the sample value of a setting requires. */
function companionsOf(key: string): Record<string, string> {
  if (key === 'bridge.bodyLimitBytes') return { PROOFGATE_HTTP_BODY_LIMIT_BYTES: '5242880' };
  if (key === 'refresh.bodyLimitBytes') return { PROOFGATE_HTTP_BODY_LIMIT_BYTES: '16777216' };
  if (key === 'http.bodyLimitBytes') {
    return {
      PROOFGATE_HTTP_MAX_BODY_BYTES: '1073741824',
      PROOFGATE_HTTP_MAX_BODY_BYTES_PER_ADDRESS: '1073741824',
    };
  }
  if (key.endsWith('TokenTtlSeconds')) return { PROOFGATE_KEYS_RETIRE_AFTER_SECONDS: '86700' };
  if (key === 'roots.sources') return { PROOFGATE_ROOTS_RPC_SEPOLIA: 'https://rpc.example' };
  if (key === 'keys.jwksMaxAgeSeconds') {
    return { PROOFGATE_KEYS_PUBLISH_LEAD_SECONDS: '31536000' };
  }
  if (key === 'storage.allowSharedFile') return { PROOFGATE_PROFILE: 'test' };
  if (key === 'webhooks.url') return { PROOFGATE_WEBHOOKS_SECRET: WEBHOOK_SECRET };
  if (key === 'signin.worldid4.rpId') return { PROOFGATE_VERIFY_WORLDID4_ENABLED: 'true' };
  if (key === 'tls.certFile') return { PROOFGATE_TLS_KEY_FILE: '/key.pem' };
  if (key === 'tls.keyFile') return { PROOFGATE_TLS_CERT_FILE: '/cert.pem' };
  return {};
}

describe('loadConfig, sources', () => {
  it('starts with nothing set', async () => {
    const { config, origins, warnings, file } = await load();
    expect(config.profile).toBe('development');
    expect(config.baseUrl).toBe('http://localhost:8080');
    expect(config.verifyUrl).toBe('http://localhost:8080');
    expect(config.server).toEqual({
      host: '127.0.0.1',
      port: 8080,
      frontEnds: 1,
      hstsIncludeSubDomains: false,
      allowExposedDevelopment: false,
    });
    expect(config.storage.url).toBe('libsql:./.proofgate/proofgate.db');
    expect(config.engine.workers).toBe(Math.max(1, processors() - 1));
    expect(config.admin.token).toBeUndefined();
    expect(config.metrics.requireToken).toBe(false);
    expect(config.verify.keys).toEqual({
      'verify.key.production': 'semaphore-depth30',
      'verify.key.staging': 'dev-depth30',
      'verify.worldid4.key.production': 'worldid4',
      'verify.worldid4.key.staging': 'trapdoor-15',
    });
    expect(new Set(Object.values(origins))).toEqual(new Set(['default']));
    expect(Object.keys(origins)).toEqual(SETTINGS.map((setting) => setting.key));
    expect(warnings).toEqual([]);
    expect(file).toBeUndefined();
  });

  it('uses the production defaults in the production profile', async () => {
    const { config } = await load({ env: { PROOFGATE_PROFILE: 'production' }, isTerminal: true });
    expect(config.server.host).toBe('0.0.0.0');
    expect(config.shutdown.drainDelayMs).toBe(5000);
    expect(config.log.format).toBe('json');
    expect(config.verify.keys).toEqual({
      'verify.key.production': 'semaphore-depth30',
      'verify.key.staging': 'semaphore-depth30',
      'verify.worldid4.key.production': 'worldid4',
      'verify.worldid4.key.staging': 'worldid4',
    });
  });

  it.each([
    ['development', true, [1200, 1200, 36_000, 120]],
    ['production', false, [1200, 1200, 36_000, 120]],
    ['test', true, [0, 0, 0, 0]],
    ['bench', true, [0, 0, 0, 0]],
  ])('has the defaults of the bridge for profile %s', async (profile, rootAlias, perMinute) => {
    const { config } = await load({ flags: { profile } });
    expect(config.bridge).toEqual({
      enabled: true,
      rootAlias,
      bodyLimitBytes: 65_536,
      maxEntries: 20_000,
      maxBytes: 268_435_456,
      maxEntriesPerAddress: 500,
      maxBytesPerAddress: 8_388_608,
      url: 'http://localhost:8080/bridge',
    });
    const { bridge, bridgePolls, bridgePerAddress, bridgeFailures } = config.rateLimits;
    expect([bridge, bridgePolls, bridgePerAddress, bridgeFailures]).toEqual(perMinute);
  });

  it('derives defaults from the terminal and from other settings', async () => {
    const env = {
      PROOFGATE_ADMIN_HOST: '10.1.2.3',
      PROOFGATE_SERVER_PORT: '8181',
      PROOFGATE_DATA_DIR: '/data',
    };
    const { config } = await load({ env, isTerminal: true });
    expect(config.log.format).toBe('pretty');
    expect(config.metrics.requireToken).toBe(true);
    expect(config.issuerUrl).toBe('http://localhost:8181');
    expect(config.storage.url).toBe('libsql:/data/proofgate.db');
  });

  it('prefers a flag to the environment, that to the file, and that to the default', async () => {
    const members = {
      engine: { maxQueue: 10, maxBatch: 11, maxBatchDelayMs: 12 },
      verify: { maxResponses: 1 },
    };
    await put('proofgate.config.json', members);
    const { config, origins, file } = await load({
      env: { PROOFGATE_ENGINE_MAX_QUEUE: '20', PROOFGATE_ENGINE_MAX_BATCH: '21' },
      flags: { 'engine.maxQueue': '30' },
    });
    expect(config.engine).toMatchObject({ maxQueue: 30, maxBatch: 21, maxBatchDelayMs: 12, backend: 'auto' });
    expect(origins).toMatchObject({
      'engine.maxQueue': 'flag',
      'engine.maxBatch': 'env',
      'engine.maxBatchDelayMs': 'file',
      'engine.backend': 'default',
    });
    expect(file).toBe(join(folder, 'proofgate.config.json'));
  });

  it('reads the file of --config instead of the default one', async () => {
    await put('proofgate.config.json', { engine: { maxQueue: 1 } });
    await put('other.json', `\uFEFF${JSON.stringify({ $schema: './x.json', engine: { maxQueue: 2048 } })}`);
    expect((await load({ configFile: 'other.json' })).config.engine.maxQueue).toBe(2048);
  });

  it.each(ENCODINGS)('reads files in %s', async (_name, encode) => {
    const token = await put('token', encode('sixteen-characters-at-least\n'));
    const configFile = await put('own.json', encode(JSON.stringify({ engine: { maxQueue: 77 } })));
    const env = { PROOFGATE_ADMIN_TOKEN_FILE: token };
    const { config } = await load({ configFile, env });
    expect([config.engine.maxQueue, config.admin.token]).toEqual([77, 'sixteen-characters-at-least']);
    const variables = await put('own.env', encode('PROOFGATE_ENGINE_MAX_QUEUE=78\r\n'));
    expect((await load({ configFile: variables, env })).config.engine.maxQueue).toBe(78);
  });

  it('binds keys to an environment and to one tree', async () => {
    await put('proofgate.config.json', {
      verify: { key: { staging: 'my-key', 'staging.face': 'face-key' } },
    });
    const { config } = await load({ env: { PROOFGATE_VERIFY_KEY_PRODUCTION_SECURE_DOCUMENT: 'doc-key' } });
    expect(config.verify.keys).toEqual({
      'verify.key.production': 'semaphore-depth30',
      'verify.key.production.secure_document': 'doc-key',
      'verify.key.staging': 'my-key',
      'verify.key.staging.face': 'face-key',
      'verify.worldid4.key.production': 'worldid4',
      'verify.worldid4.key.staging': 'trapdoor-15',
    });
  });

  it('reads every setting from its variable', async () => {
    await put('logo.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>');
    for (const setting of SETTINGS) {
      // tested in read-list.test.ts
      if (setting.type === 'apps') continue;
      const value = sampleOf(setting);
      const env = { ...companionsOf(setting.key), [envName(setting.key)]: value };
      const loaded = await load({ env });
      expect(String(loaded.values[setting.key]), setting.key).toBe(value);
      expect(loaded.origins[setting.key], setting.key).toBe('env');
    }
  });

  it('treats an empty variable as not set', async () => {
    const { origins } = await load({ env: { PROOFGATE_ENGINE_WORKERS: '' } });
    expect(origins['engine.workers']).toBe('default');
  });

  it('reads a secret from a file', async () => {
    const path = await put('token', 'sixteen-characters-at-least\n');
    const { config, origins, warnings } = await load({ env: { PROOFGATE_ADMIN_TOKEN_FILE: path } });
    expect(config.admin.token).toBe('sixteen-characters-at-least');
    expect(origins['admin.token']).toBe('env-file');
    expect(warnings).toEqual([]);
  });
});
