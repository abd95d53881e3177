import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../src/apps/apps.ts';
import { loadConfig } from '../../src/config/sources/load.ts';
import { createSigningKeys } from '../../src/oidc/keys/signing-keys.ts';
import { openStore } from '../../src/storage/open-store.ts';
import { runProofgate, startServer } from '../support/server/server-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

type Env = Readonly<Record<string, string>>;

const folder = temporaryFolder('refusals', afterAll);
const masterKey = randomBytes(32).toString('base64url');

/** Returns settings that are safe except for the change; the value '' unsets a setting. */
function environment(name: string, change: Env): Record<string, string> {
  const dataDir = join(folder, name);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  return {
    PROOFGATE_PROFILE: 'production',
    PROOFGATE_DATA_DIR: dataDir,
    PROOFGATE_STORAGE_URL: `libsql:${join(dataDir, 'proofgate.db')}`,
    PROOFGATE_BASE_URL: 'https://id.example',
    PROOFGATE_ADMIN_TOKEN: 'a-token-that-nobody-guesses-0123456789',
    PROOFGATE_KEYS_MASTER_KEY: masterKey,
    PROOFGATE_REFRESH_SIGNING_SEED: 'c4'.repeat(32),
    PROOFGATE_SERVER_HOST: '127.0.0.1',
    PROOFGATE_SERVER_PORT: '0',
    PROOFGATE_ADMIN_PORT: '0',
    PROOFGATE_SHUTDOWN_DRAIN_DELAY_MS: '0',
    ...change,
  };
}

/** Returns the reasons that a refused start prints, without their indentation. */
async function refusedWith(env: Record<string, string>, args: readonly string[] = []): Promise<string[]> {
  const { code, output } = await runProofgate(['serve', ...args], env);
  const lines = output.split('\n');
  const head = lines.findIndex((line) => line.includes('config.production_refused: '));
  expect(code, output).toBe(78);
  expect(head, output).toBe(0);
  const count = Number(/(\d+) reasons?$/.exec(lines[head] ?? '')?.[1]);
  // The cure of the error itself is the last line.
  expect(lines[head + count + 1], output).toMatch(/^ {2}cure: /);
  return lines.slice(head + 1, head + count + 1).map((line) => line.trim());
}

/** Makes a store with keys sealed under another master key, which the development profile has used. */
async function usedStore(path: string): Promise<void> {
  const url = `libsql:${path}`;
  const store = await openStore({ url, groupMaxRows: 512, groupMaxDelayMs: 0 });
  await store.migrate();
  await createApp(store.apps, { name: 'Left over', isDevelopment: true }, Date.now());
  const env = {
    ...environment('used', {}),
    PROOFGATE_KEYS_MASTER_KEY: randomBytes(32).toString('base64url'),
  };
  const { config } = await loadConfig({ env });
  await createSigningKeys({ store: store.signingKeys, config, now: Date.now });
  await store.close();
}

const exposed = join(folder, 'exposed-token');
const opened = join(folder, 'opened');
const database = join(folder, 'used', 'proofgate.db');

/** One row per reason: its name, the change that causes it, and the printed line with its cure. */
const REASONS: readonly (readonly [name: string, change: Env, reason: RegExp])[] = [
  ['baseUrl unset', { PROOFGATE_BASE_URL: '' }, /^baseUrl \(PROOFGATE_BASE_URL\): required .*; set it to/],
  [
    'storage.url unset',
    { PROOFGATE_STORAGE_URL: '' },
    /^storage\.url \(PROOFGATE_STORAGE_URL\): required .*; name the store/,
  ],
  [
    'master key unset',
    { PROOFGATE_KEYS_MASTER_KEY: '' },
    /^keys\.masterKey .*: required .*openssl rand .* PROOFGATE_KEYS_MASTER_KEY_FILE=FILE$/,
  ],
  [
    'format',
    { PROOFGATE_ENGINE_MAX_QUEUE: 'many' },
    /^engine\.maxQueue \(PROOFGATE_ENGINE_MAX_QUEUE\): expected 1\.\.1000000, got "many" {3}from env$/,
  ],
  [
    'settings that contradict each other',
    { PROOFGATE_KEYS_RETIRE_AFTER_SECONDS: '60' },
    /^keys\.retireAfterSeconds .*: expected at least/,
  ],
  [
    'mode of a secret file',
    { PROOFGATE_ADMIN_TOKEN: '', PROOFGATE_ADMIN_TOKEN_FILE: exposed },
    new RegExp(`^PROOFGATE_ADMIN_TOKEN_FILE: .* readable by other users; \`chmod 0600 ${exposed}\`$`),
  ],
  [
    'mode of the data folder',
    { PROOFGATE_DATA_DIR: opened, PROOFGATE_ALLOW_UNTRUSTED_FILES: 'true' },
    new RegExp(`^the data folder ${opened} is writable by other users; \`chmod 0700 ${opened}\`$`),
  ],
  [
    'http',
    { PROOFGATE_BASE_URL: 'http://id.example' },
    /^baseUrl .*: expected an https URL .*; a proxy or tls\./,
  ],
  [
    'TLS files',
    { PROOFGATE_TLS_CERT_FILE: '/nowhere/cert', PROOFGATE_TLS_KEY_FILE: '/nowhere/key' },
    /^tls\.certFile \/nowhere\/cert: .*; give the PEM files/,
  ],
  [
    'a verifying key that does not exist',
    { PROOFGATE_VERIFY_KEY_PRODUCTION: 'not-there' },
    /^key not-there, bound by verify\.key\.production, is missing.*`proofgate vkey import FILE --id not-there`/,
  ],
];

beforeAll(async () => {
  writeFileSync(exposed, 'a-token-that-nobody-guesses-0123456789');
  chmodSync(exposed, 0o644);
  mkdirSync(opened);
  chmodSync(opened, 0o777);
  environment('used', {});
  await usedStore(database);
});

describe('refusals of serve in profile production', () => {
  it('are all printed in one run, each with its cure', async () => {
    const env = environment('all', {
      PROOFGATE_BASE_URL: 'http://id.example',
      PROOFGATE_STORAGE_URL: `libsql:${database}`,
      PROOFGATE_ADMIN_TOKEN: '',
      PROOFGATE_ADMIN_TOKEN_FILE: exposed,
      PROOFGATE_KEYS_MASTER_KEY_PREVIOUS: 'too-short',
      PROOFGATE_ENGINE_MAX_QUEUE: 'many',
      PROOFGATE_DATA_DIR: opened,
      PROOFGATE_ALLOW_UNTRUSTED_FILES: 'true',
      PROOFGATE_PROXY_HEADER: 'forwarded',
      PROOFGATE_TLS_CERT_FILE: '/nowhere/cert',
      PROOFGATE_TLS_KEY_FILE: '/nowhere/key',
      PROOFGATE_REFRESH_SIGNING_SEED: '',
      PROOFGATE_VERIFY_KEY_PRODUCTION: 'not-there',
      PROOFGATE_VERIFY_KEY_STAGING: 'dev-depth30',
    });
    const reasons = await refusedWith(env);
    expect(reasons).toEqual([
      expect.stringMatching(/^keys\.masterKeyPrevious .*: expected 32 bytes/),
      expect.stringMatching(/^engine\.maxQueue .*: expected 1\.\./),
      expect.stringMatching(/^PROOFGATE_ADMIN_TOKEN_FILE: .*`chmod 0600 /),
      expect.stringMatching(/^baseUrl .*: expected an https URL/),
      expect.stringMatching(/^proxy\.trusted .*; set them, or proxy\.header/),
      expect.stringMatching(/^the data folder .*`chmod 0700 /),
      expect.stringMatching(/^tls\.certFile \/nowhere\/cert: /),
      expect.stringMatching(/^signing key .*: it is sealed under another master key; set keys\.masterKey/),
      expect.stringMatching(/^signing key .*: it is sealed under another master key; set keys\.masterKey/),
      expect.stringMatching(/^refresh\.signingSeed .*`proofgate keys rotate --use credential`/),
      expect.stringMatching(/^key not-there, bound by verify\.key\.production, is missing/),
      expect.stringMatching(/^key dev-depth30, bound by verify\.key\.staging, is missing.*; set verify/),
      expect.stringMatching(/^app app_\w+ was made by .*`proofgate apps remove app_/),
    ]);
  });

  it('name what a new store will lack, without making the store', async () => {
    const env = environment('new', { PROOFGATE_BASE_URL: '', PROOFGATE_REFRESH_SIGNING_SEED: '' });
    expect(await refusedWith(env)).toEqual([
      expect.stringMatching(/^baseUrl /),
      expect.stringMatching(
        /^migrations are pending \(all: the store is new\); start with --migrate or run `proofgate mig/,
      ),
      expect.stringMatching(
        /^refresh\.signingSeed .*`proofgate migrate up` and `proofgate keys rotate --use cred/,
      ),
    ]);
    expect(await refusedWith(env, ['--migrate'])).toHaveLength(2);
    expect(() => readFileSync(join(folder, 'new', 'proofgate.db'))).toThrow('ENOENT');
  });

  it('end with the error of the store if an unusable store is the only reason', async () => {
    const env = environment('down', { PROOFGATE_STORAGE_URL: `libsql:${exposed}` });
    const { code, output } = await runProofgate(['serve'], env);
    expect([code, output.includes('proofgate: store.')]).toEqual([69, true]);
    expect(await refusedWith({ ...env, PROOFGATE_BASE_URL: '' })).toEqual([
      expect.stringMatching(/^baseUrl /),
      expect.stringMatching(/database/),
    ]);
  });

  it.each(REASONS)('contain one reason for %s alone', async (name, change, reason) => {
    const env = environment(name.replaceAll(/\W/g, '-'), change);
    expect(await refusedWith(env, ['--migrate'])).toEqual([expect.stringMatching(reason)]);
  });
});

describe('proofgate init production', () => {
  it('makes a configuration with which the service starts once the two missing settings are filled in', async () => {
    const target = join(folder, 'made');
    const { code } = await runProofgate(['init', 'production', target], {});
    expect(code).toBe(0);
    const config = join(target, 'proofgate.env');
    const args = ['--config', config, '--server.host=127.0.0.1', '--server.port=0', '--admin.port=0'];
    const unfilled = await refusedWith({}, [...args, '--migrate']);
    expect(unfilled.map((line) => line.split(' ')[0])).toEqual(['baseUrl', 'storage.url']);
    const text = readFileSync(config, 'utf8')
      .replace(/^PROOFGATE_BASE_URL=$/m, 'PROOFGATE_BASE_URL=https://id.example')
      .replace(
        /^PROOFGATE_STORAGE_URL=$/m,
        `PROOFGATE_STORAGE_URL=libsql:${join(target, 'data', 'proofgate.db')}`,
      );
    writeFileSync(config, text);
    const env = { PROOFGATE_PROFILE: '', PROOFGATE_DATA_DIR: '', PROOFGATE_SHUTDOWN_DRAIN_DELAY_MS: '0' };
    const server = await startServer('', env, [...args, '--migrate']);
    expect((await fetch(`${server.publicUrl}/healthz`)).status).toBe(200);
    const keys = (await (await fetch(`${server.publicUrl}/api/v1/issuer-keys`)).json()) as {
      keys: unknown[];
    };
    expect(keys.keys).toHaveLength(1);
    const discovery = await fetch(`${server.publicUrl}/.well-known/openid-configuration`);
    expect(await discovery.json()).toMatchObject({ issuer: 'https://id.example' });
    expect((await server.end('SIGTERM')).code).toBe(0);
    expect(server.output()).not.toContain('config.warning');
  });
});
