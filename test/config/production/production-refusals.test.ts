// Rules: spec/operations.md#production-refusals
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isKnownKey, isKnownSeed } from '../../../src/config/production/known-signing-keys.ts';
import {
  type BoundKey,
  productionRefusals,
  refuseUnsafeStart,
  type StartFacts,
} from '../../../src/config/production/production-refusals.ts';
import { envName } from '../../../src/config/settings/setting.ts';
import { generateDevelopmentKey } from '../../../src/config/sources/development-key.ts';
import { dataDirMode, examineConfig, loadConfig } from '../../../src/config/sources/load.ts';
import type { LoadedConfig } from '../../../src/config/sources/loaded-config.ts';
import { isServiceError, type ServiceError } from '../../../src/errors/service-error.ts';
import vectors from '../../vectors/credential-vectors.json' with { type: 'json' };

const SAFE = {
  PROOFGATE_PROFILE: 'production',
  PROOFGATE_BASE_URL: 'https://id.example',
  PROOFGATE_STORAGE_URL: 'libsql:/data/proofgate.db',
  PROOFGATE_ADMIN_TOKEN: 'sixteen-characters-at-least',
  PROOFGATE_KEYS_MASTER_KEY: randomBytes(32).toString('base64url'),
};

const SEED = randomBytes(32).toString('hex');

/** Credential keys of the vectors with their seeds. */
const VECTOR_KEYS = [
  ...vectors.eddsa.map(({ seed_hex, public_key_compressed }) => ({
    seed: seed_hex,
    keyId: public_key_compressed,
  })),
  ...vectors.credentials.flatMap(({ signing_key }) =>
    signing_key === undefined ? [] : [{ seed: signing_key.seed, keyId: signing_key.public_key_compressed }],
  ),
];

const GOOD_KEY: BoundKey = {
  keyId: 'semaphore-depth30',
  boundBy: 'verify.key.production',
  origin: 'ceremony',
  matchesFingerprint: true,
  isForbidden: false,
};

function load(env: Record<string, string> = {}): Promise<LoadedConfig> {
  return loadConfig({ env: { ...SAFE, ...env }, cwd: tmpdir() });
}

async function refusals(env: Record<string, string>, facts: StartFacts = {}): Promise<string[]> {
  return productionRefusals(await load(env), facts);
}

function refusalOf(loaded: LoadedConfig, facts?: StartFacts): ServiceError {
  try {
    refuseUnsafeStart(loaded, facts);
  } catch (error) {
    if (isServiceError(error)) {
      return error;
    }
    throw error;
  }
  throw new Error('the start was allowed');
}

describe('start in the production profile', () => {
  it('is allowed when every required setting is set and safe', async () => {
    const facts = { dataDirMode: 0o700, developmentApps: [], boundKeys: [GOOD_KEY], pendingMigrations: [] };
    const loaded = await load();
    expect(() => refuseUnsafeStart(loaded, facts)).not.toThrow();
    expect(productionRefusals(loaded, facts)).toEqual([]);
  });

  it('is refused with all reasons together when nothing is set', async () => {
    const loaded = await loadConfig({ env: { PROOFGATE_PROFILE: 'production' }, cwd: tmpdir() });
    const error = refusalOf(loaded, { backendDisagreement: 'vector 3' });
    expect(error.code).toBe('config.production_refused');
    expect(error.spec.exit).toBe(78);
    const [head, ...reasons] = error.message.split('\n');
    expect(head).toBe('production does not start: 5 reasons');
    const required = (key: string): unknown =>
      expect.stringMatching(
        `^  ${key.replace('.', '\\.')} \\(${envName(key)}\\): required when profile is "production"; (?:.*set|name)`,
      );
    expect(reasons).toEqual([
      ...['baseUrl', 'keys.masterKey', 'admin.token', 'storage.url'].map(required),
      expect.stringContaining('the backends disagree on their vectors: vector 3; build both'),
    ]);
  });

  it('is refused with faults, missing and unsafe settings and facts in one list, without consequences of a fault', async () => {
    const env = {
      PROOFGATE_PROFILE: 'production',
      PROOFGATE_ENGINE_WORKERS: 'many',
      PROOFGATE_BASE_URL: 'http://id.example',
      PROOFGATE_ADMIN_TOKEN: 'short',
      PROOFGATE_KEYS_MASTER_KEY_FILE: '/nowhere/master-key',
      // these two conflict, but the second is invalid by itself
      PROOFGATE_KEYS_PUBLISH_LEAD_SECONDS: '10',
      PROOFGATE_KEYS_JWKS_MAX_AGE_SECONDS: '-1',
      PROOFGATE_TLS_CERT_FILE: '/cert.pem',
    };
    const examined = await examineConfig({ env, cwd: tmpdir() });
    const [head, ...reasons] = refusalOf(examined, { dataDirMode: 0o777 }).message.split('\n');
    expect(head).toBe('production does not start: 8 reasons');
    expect(reasons).toEqual([
      expect.stringContaining('  keys.jwksMaxAgeSeconds (PROOFGATE_KEYS_JWKS_MAX_AGE_SECONDS): expected'),
      expect.stringContaining('  admin.token (PROOFGATE_ADMIN_TOKEN): expected 16 to 512'),
      expect.stringContaining('  engine.workers (PROOFGATE_ENGINE_WORKERS): expected 0..1024'),
      expect.stringContaining(
        '  PROOFGATE_KEYS_MASTER_KEY_FILE: the file /nowhere/master-key cannot be read',
      ),
      expect.stringContaining(
        '  tls.keyFile (PROOFGATE_TLS_KEY_FILE): expected tls.certFile and tls.keyFile',
      ),
      expect.stringContaining('  storage.url (PROOFGATE_STORAGE_URL): required'),
      expect.stringContaining('  baseUrl (PROOFGATE_BASE_URL): expected an https URL'),
      expect.stringContaining('  the data folder '),
    ]);
    await expect(loadConfig({ env, cwd: tmpdir() })).rejects.toThrow('config: 5 problems');
  });

  it('is refused when webhooks.url is not https', async () => {
    const secret = { PROOFGATE_WEBHOOKS_SECRET: `whsec_${randomBytes(32).toString('base64')}` };
    expect(await refusals({ PROOFGATE_WEBHOOKS_URL: 'http://a.example/', ...secret })).toEqual([
      'webhooks.url (PROOFGATE_WEBHOOKS_URL): expected an https URL when profile is "production", so that nobody on the way reads the events',
    ]);
    expect(await refusals({ PROOFGATE_WEBHOOKS_URL: 'https://10.0.0.7/', ...secret })).toEqual([]);
  });

  it.each([
    'localhost',
    'hooks.localhost.',
    '127.0.0.1',
    '0x7f.1',
    '169.254.1.2',
    '[::ffff:127.0.0.1]',
    '[::]',
  ])('is refused when webhooks.url is at %s, unless webhooks.allowLocal is on', async (host) => {
    const settings = {
      PROOFGATE_WEBHOOKS_SECRET: `whsec_${randomBytes(32).toString('base64')}`,
      PROOFGATE_WEBHOOKS_URL: `https://${host}/`,
    };
    expect(await refusals(settings)).toEqual([
      'webhooks.url (PROOFGATE_WEBHOOKS_URL): expected no address of this machine or its link when profile is "production"; set PROOFGATE_WEBHOOKS_ALLOW_LOCAL=true for a receiver on this machine',
    ]);
    expect(await refusals({ ...settings, PROOFGATE_WEBHOOKS_ALLOW_LOCAL: 'true' })).toEqual([]);
  });

  it('is refused when baseUrl, verifyUrl or issuerUrl is not https', async () => {
    expect(await refusals({ PROOFGATE_BASE_URL: 'http://id.example' })).toEqual([
      'baseUrl (PROOFGATE_BASE_URL): expected an https URL when profile is "production", got "http://id.example"; a proxy or tls.certFile makes it one',
    ]);
    expect(await refusals({ PROOFGATE_VERIFY_URL: 'http://v.example' })).toHaveLength(1);
    expect(await refusals({ PROOFGATE_ISSUER_URL: 'http://i.example' })).toHaveLength(1);
  });

  // spec/operations.md#admin-address
  it.each([
    ['all addresses', '0.0.0.0'],
    ['all addresses, IPv6', '::'],
    ['all addresses, IPv4 in IPv6', '::ffff:0.0.0.0'],
    ['public', '8.8.8.8'],
    ['public, IPv6', '2a00:1450::1'],
    ['public, IPv4 in IPv6', '::ffff:8.8.8.8'],
    ['of a NAT64, around a private one', '64:ff9b::10.0.0.1'],
    ['of a 6to4, around a private one', '2002:a00:1::1'],
    ['private in a form that RFC 4291 deprecates', '::10.0.0.1'],
    ['private to a site, which RFC 3879 deprecates', 'fec0::1'],
    ['for documentation', '203.0.113.7'],
    ['for documentation, IPv6', '2001:db8::1'],
    ['for benchmarks', '198.18.0.1'],
    ['of a link, IPv4', '169.254.1.1'],
    ['of a group', '224.0.0.1'],
    ['beside 10.0.0.0/8', '11.0.0.0'],
    ['beside 172.16.0.0/12', '172.32.0.1'],
    ['below 100.64.0.0/10', '100.63.255.255'],
    ['above 100.64.0.0/10', '100.128.0.0'],
    ['beside fc00::/7', 'fe00::1'],
    ['a name', 'admin.example'],
    ['a name that looks private', '10.0.0.1.example'],
    ['short for an address', '10.1'],
    ['octal', '010.0.0.1'],
  ])('is refused when admin.host is %s (%s), without TLS or the consent of the operator', async (_, host) => {
    expect(await refusals({ PROOFGATE_ADMIN_HOST: host })).toEqual([
      `admin.host (PROOFGATE_ADMIN_HOST): expected a loopback or private address, TLS by tls.certFile, or PROOFGATE_ADMIN_ALLOW_PLAIN_HTTP=true in a network that encrypts by itself, got "${host}"; the default is 127.0.0.1`,
    ]);
    const tls = { PROOFGATE_TLS_CERT_FILE: '/etc/cert.pem', PROOFGATE_TLS_KEY_FILE: '/etc/key.pem' };
    expect(await refusals({ ...tls, PROOFGATE_ADMIN_HOST: host })).toEqual([]);
    const consent = { PROOFGATE_ADMIN_ALLOW_PLAIN_HTTP: 'true' };
    expect(await refusals({ ...consent, PROOFGATE_ADMIN_HOST: host })).toEqual([]);
  });

  it('is refused without an admin token also when admin.allowPlainHttp is on', async () => {
    const env = {
      PROOFGATE_ADMIN_HOST: '203.0.113.7',
      PROOFGATE_ADMIN_ALLOW_PLAIN_HTTP: 'true',
      PROOFGATE_ADMIN_TOKEN: '',
    };
    expect(await refusals(env)).toEqual([expect.stringContaining('admin.token (PROOFGATE_ADMIN_TOKEN)')]);
  });

  it('is refused when metrics need no token at an address that admin.allowPlainHttp lets in', async () => {
    const env = {
      PROOFGATE_ADMIN_HOST: '203.0.113.7',
      PROOFGATE_ADMIN_ALLOW_PLAIN_HTTP: 'true',
      PROOFGATE_METRICS_REQUIRE_TOKEN: 'false',
    };
    expect(await refusals(env)).toEqual([
      'metrics.requireToken (PROOFGATE_METRICS_REQUIRE_TOKEN): expected true, since admin.host ("203.0.113.7") is neither a loopback nor a private address',
    ]);
    expect(await refusals({ ...env, PROOFGATE_METRICS_ENABLED: 'false' })).toEqual([]);
    expect(await refusals({ ...env, PROOFGATE_ADMIN_HOST: '10.2.3.4' })).toEqual([]);
  });

  it.each(['forwarded', 'x-forwarded-for'])(
    'is refused when proxy.header is %s and no proxy is trusted',
    async (header) => {
      const env = { PROOFGATE_PROXY_HEADER: header };
      expect(await refusals(env)).toEqual([
        `proxy.trusted (PROOFGATE_PROXY_TRUSTED): expected the addresses of the proxies that send ${header}, got none; set them, or proxy.header to none`,
      ]);
      expect(await refusals({ ...env, PROOFGATE_PROXY_TRUSTED: '10.0.0.0/8' })).toEqual([]);
    },
  );

  it.each([
    ['all addresses', '0.0.0.0/0', 'IPv4', '100.00'],
    ['all addresses, with bits after the prefix', '203.0.113.7/0', 'IPv4', '100.00'],
    ['two halves', '0.0.0.0/1,128.0.0.0/1', 'IPv4', '100.00'],
    ['four quarters, not in order', '192.0.0.0/2,0.0.0.0/2,128.0.0.0/2,64.0.0.0/2', 'IPv4', '100.00'],
    [
      'just over one half, in overlapping blocks',
      '0.0.0.0/1,0.0.0.0/2,64.0.0.0/3,17.0.0.0/8',
      'IPv4',
      '56.53',
    ],
    [
      'sixty-four blocks',
      Array.from({ length: 64 }, (_, n) => `${n * 4}.0.0.0/7`).join(','),
      'IPv4',
      '50.15',
    ],
    ['a little more than one /8', '17.0.0.0/8,18.0.0.1', 'IPv4', '0.45'],
    ['all addresses', '::/0', 'IPv6', '100.00'],
    ['two halves', '::/1,8000::/1', 'IPv6', '100.00'],
    ['two halves of the routed addresses', '2000::/4,3000::/4', 'IPv6', '100.00'],
    ['the networks of two registries', '2a00::/12,2600::/12', 'IPv6', '0.39'],
    ['a little more than one /16', '2620::/16,2001:db8::1', 'IPv6', '0.01'],
  ])('is refused when proxy.trusted holds %s (%s)', async (_what, blocks, family, percent) => {
    const found = await refusals({ PROOFGATE_PROXY_TRUSTED: blocks });
    const most = family === 'IPv4' ? 8 : 16;
    expect(found).toEqual([
      `proxy.trusted (PROOFGATE_PROXY_TRUSTED): expected the addresses of proxies, together at most a /${most} of public ${family} addresses, got ${percent} % of all of them: clients at these addresses could claim any address; set only the proxies that connect to the service`,
    ]);
  });

  it('is refused for both families when proxy.trusted holds all addresses', async () => {
    expect(await refusals({ PROOFGATE_PROXY_TRUSTED: '0.0.0.0/1,128.0.0.0/1,::/0' })).toHaveLength(2);
  });

  it.each([
    '10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,127.0.0.0/8,100.64.0.0/10,169.254.0.0/16,fc00::/7,fe80::/10,::1',
    '17.0.0.0/8',
    '17.0.0.0/9,17.128.0.0/9,17.5.0.0/16',
    '104.16.0.0/13,104.24.0.0/14,172.64.0.0/13,162.158.0.0/15,2400:cb00::/32,2606:4700::/32,2a06:98c0::/29',
    '2620:0:ffff::192.0.2.1/128,2620::/16',
  ])('is allowed when proxy.trusted is %s', async (blocks) => {
    expect(await refusals({ PROOFGATE_PROXY_TRUSTED: blocks })).toEqual([]);
  });

  it.each([
    '127.0.0.1',
    '127.8.9.10',
    '::1',
    'localhost',
    '::ffff:127.0.0.1',
    '10.2.3.4',
    '172.31.0.1',
    '192.168.1.1',
    '100.64.0.0',
    '100.127.255.255',
    '::ffff:100.64.0.1',
    '::ffff:10.2.3.4',
    'fc00::1',
    'fd00:10:244::7',
    'fe80::1',
  ])('is allowed when admin.host is %s', async (host) => {
    expect(await refusals({ PROOFGATE_ADMIN_HOST: host })).toEqual([]);
  });

  it('is refused when other users may write to the data folder', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'proofgate-mode-'));
    try {
      await chmod(folder, 0o707);
      const mode = await dataDirMode(folder);
      expect(mode).toBe(0o707);
      expect(await refusals({}, { dataDirMode: mode ?? 0 })).toHaveLength(1);
      await chmod(folder, 0o700);
      expect(await refusals({}, { dataDirMode: (await dataDirMode(folder)) ?? 0o777 })).toEqual([]);
      expect(await dataDirMode(join(folder, 'absent'))).toBeUndefined();
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('is refused when an app carries the development mark', async () => {
    expect(await refusals({}, { developmentApps: ['app_1', 'app_2'] })).toEqual([
      expect.stringContaining('app app_1 was made by the development profile'),
      expect.stringContaining('app app_2 was made by the development profile'),
    ]);
  });

  it('is refused when a client secret carries the development mark', async () => {
    expect(await refusals({}, { developmentSecrets: [{ appId: 'app_1', secretId: 'cs_1' }] })).toEqual([
      'secret cs_1 of app app_1 was made by the development profile; remove it with `proofgate apps remove-secret app_1 cs_1`',
    ]);
  });

  it('is refused when a signing key carries the development mark', async () => {
    expect(await refusals({}, { developmentSigningKeys: ['kid-1', 'kid-2'] })).toEqual([
      'signing key kid-1 was made by the development profile; remove it with `proofgate keys remove kid-1`',
      'signing key kid-2 was made by the development profile; remove it with `proofgate keys remove kid-2`',
    ]);
  });

  it.each([
    ['admin.token', 'PROOFGATE_ADMIN_TOKEN'],
    ['keys.masterKey', 'PROOFGATE_KEYS_MASTER_KEY'],
    ['keys.masterKeyPrevious', 'PROOFGATE_KEYS_MASTER_KEY_PREVIOUS'],
    ['apps.secretHmacKey', 'PROOFGATE_APPS_SECRET_HMAC_KEY'],
  ])(
    'is refused when %s was generated in development, in either base64 alphabet, without showing it',
    async (key, variable) => {
      const generated = generateDevelopmentKey();
      for (const text of [generated, Buffer.from(generated, 'base64url').toString('base64')]) {
        const found = await refusals({ [variable]: text });
        expect(found).toEqual([
          expect.stringContaining(`${key} (${variable}): it was generated by the development profile`),
        ]);
        expect(found.join()).not.toContain(text);
      }
    },
  );

  it('is refused when a credential key carries the development mark or has a seed from test vectors', async () => {
    const facts: StartFacts = {
      unsafeCredentialKeys: [
        { keyId: 'key-1', madeBy: 'development' },
        { keyId: 'key-2', madeBy: 'vectors' },
      ],
    };
    expect(await refusals({}, facts)).toEqual([
      'credential key key-1 was made by the development profile; revoke it with `proofgate keys remove key-1 --use credential`',
      'credential key key-2 has a seed that is in published test vectors; revoke it with `proofgate keys remove key-2 --use credential`',
    ]);
  });

  it('is refused without a key that can sign credentials, unless a seed is configured or refresh is off', async () => {
    const facts: StartFacts = { hasCredentialKey: false };
    expect(await refusals({}, facts)).toEqual([
      expect.stringContaining(
        'refresh.signingSeed (PROOFGATE_REFRESH_SIGNING_SEED): required while refresh.enabled',
      ),
    ]);
    expect(await refusals({ PROOFGATE_REFRESH_SIGNING_SEED: SEED }, facts)).toEqual([]);
    expect(await refusals({ PROOFGATE_REFRESH_ENABLED: 'false' }, facts)).toEqual([]);
    expect(await refusals({}, { hasCredentialKey: true })).toEqual([]);
    // An unreadable seed is reported as a fault only: another key would not cure it.
    const env = { ...SAFE, PROOFGATE_REFRESH_SIGNING_SEED_FILE: '/nowhere/seed' };
    const unreadable = productionRefusals(await examineConfig({ env, cwd: tmpdir() }), facts);
    expect(unreadable).toEqual([expect.stringContaining('the file /nowhere/seed cannot be read')]);
  });

  it.each(VECTOR_KEYS)(
    'is refused with the seed of $keyId, which is in the test vectors',
    async ({ seed }) => {
      for (const text of [seed, seed.toUpperCase()]) {
        const found = await refusals({ PROOFGATE_REFRESH_SIGNING_SEED: text });
        expect(found).toEqual([
          'refresh.signingSeed (PROOFGATE_REFRESH_SIGNING_SEED): it is in published test vectors; make a new one, e.g. `openssl rand -hex 32`',
        ]);
        expect(found.join()).not.toContain(text);
      }
      const off = { PROOFGATE_REFRESH_SIGNING_SEED: seed, PROOFGATE_REFRESH_ENABLED: 'false' };
      expect(await refusals(off)).toEqual([]);
    },
  );

  it('is refused with a seed that the development profile generated', async () => {
    const seed = Buffer.from(generateDevelopmentKey(), 'base64url').toString('hex');
    const found = await refusals({ PROOFGATE_REFRESH_SIGNING_SEED: seed });
    expect(found).toEqual([
      expect.stringContaining('refresh.signingSeed (PROOFGATE_REFRESH_SIGNING_SEED): it was generated'),
    ]);
    expect(found.join()).not.toContain(seed);
  });

  it.each([
    [{ PRODUCTION: '1:proof_of_human,11:selfie' }, 'verify.worldid4.issuers.production lists'],
    [{ STAGING: '11:selfie|face' }, 'verify.worldid4.issuers.staging lists'],
    [
      { PRODUCTION: '11:selfie', STAGING: '11:selfie' },
      'verify.worldid4.issuers.production and verify.worldid4.issuers.staging lists',
    ],
  ])('is refused with issuer 11 in a list unless integrity bundles are verified: %o', async (lists, text) => {
    const env = Object.fromEntries(
      Object.entries(lists).map(([name, list]) => [`PROOFGATE_VERIFY_WORLDID4_ISSUERS_${name}`, list]),
    );
    expect(await refusals(env)).toEqual([
      expect.stringContaining(
        `verify.worldid4.integrity (PROOFGATE_VERIFY_WORLDID4_INTEGRITY): expected "verify" while ${text} issuer 11`,
      ),
    ]);
    expect(await refusals({ ...env, PROOFGATE_VERIFY_WORLDID4_INTEGRITY: 'verify' })).toEqual([]);
  });

  it('is not refused with an issuer whose number begins with 11', async () => {
    expect(await refusals({ PROOFGATE_VERIFY_WORLDID4_ISSUERS_PRODUCTION: '110:a,1:b' })).toEqual([]);
  });

  it('recognizes every credential key whose seed is in the test vectors, by seed and by public key', () => {
    // fails when a seed is added to the file and not to VECTOR_KEYS
    expect(JSON.stringify(vectors).match(/"seed(_hex)?":/g)).toHaveLength(VECTOR_KEYS.length);
    for (const { seed, keyId } of VECTOR_KEYS) {
      expect([keyId, isKnownSeed(seed), isKnownKey(keyId)]).toEqual([keyId, true, true]);
    }
    expect(isKnownSeed(SEED)).toBe(false);
    expect(isKnownKey(SEED)).toBe(false);
  });

  it.each([
    [{ matchesFingerprint: false }, 'is missing, or does not match its fingerprint'],
    [{ origin: 'development' }, 'is of origin development'],
    [{ origin: 'trapdoor' }, 'is of origin trapdoor'],
    [{ origin: 'imported', isForbidden: true }, 'is a known test key'],
  ])('is refused when a bound key has %o', async (change, text) => {
    const found = await refusals({}, { boundKeys: [GOOD_KEY, { ...GOOD_KEY, ...change }] });
    expect(found).toEqual([
      expect.stringContaining(`key semaphore-depth30, bound by verify.key.production, ${text}`),
    ]);
  });

  it('is refused when migrations are pending', async () => {
    const [found] = await refusals({}, { pendingMigrations: ['0002-more', '0003-roots'] });
    expect(found).toContain('migrations are pending (0002-more, 0003-roots)');
  });

  it('is refused when the backends disagree', async () => {
    const [found] = await refusals({}, { backendDisagreement: 'poseidon2 of width 3' });
    expect(found).toContain('the backends disagree on their vectors: poseidon2 of width 3; build both');
  });
});

describe('start in the development profile', () => {
  it.each(['0.0.0.0', '::', '192.168.1.5', 'example.org'])('is refused on %s', async (host) => {
    const loaded = await loadConfig({ env: { PROOFGATE_SERVER_HOST: host }, cwd: tmpdir() });
    const error = refusalOf(loaded);
    expect(error.code).toBe('config.exposed_development');
    expect(error.message).toContain(JSON.stringify(host));
  });

  it('is allowed on a network address when explicitly enabled, and on loopback', async () => {
    const env = { PROOFGATE_SERVER_HOST: '0.0.0.0', PROOFGATE_SERVER_ALLOW_EXPOSED_DEVELOPMENT: 'true' };
    const exposed = await loadConfig({ env, cwd: tmpdir() });
    expect(() => refuseUnsafeStart(exposed)).not.toThrow();
    const local = await loadConfig({ env: { PROOFGATE_SERVER_HOST: '::1' }, cwd: tmpdir() });
    expect(() => refuseUnsafeStart(local)).not.toThrow();
  });

  it('has none of the refusals of production', async () => {
    const loaded = await loadConfig({ env: {}, cwd: tmpdir() });
    expect(productionRefusals(loaded, { developmentApps: ['app_1'], dataDirMode: 0o777 })).toEqual([]);
  });
});
