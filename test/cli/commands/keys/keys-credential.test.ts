// Rules: spec/credential.md#issuer-keys
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../../src/config/sources/load.ts';
import { createEngine } from '../../../../src/engine/create-engine.ts';
import { createCredentialKeys } from '../../../../src/refresh/keys/credential-keys.ts';
import { environmentOf } from '../../../support/server/environment-of.ts';
import { openMigratedStore } from '../../../support/server/migrated-store.ts';
import { NOW, productionEnv, useCliFolder } from '../../support/cli.ts';

const CREDENTIAL = ['--use', 'credential'];
const SEED = randomBytes(32).toString('hex');
const KEY_ID = /^[0-9a-f]{64}$/;

interface Shown {
  readonly kid: string;
  readonly state: string;
  readonly origin: string;
  readonly pk: readonly string[];
}

const folder = useCliFolder();

async function list(): Promise<Shown[]> {
  return (await folder.json(['keys', 'list', ...CREDENTIAL])).keys as Shown[];
}

async function rotate(now = NOW): Promise<string> {
  return (await folder.json(['keys', 'rotate', ...CREDENTIAL], { now })).active as string;
}

/** Does what a service start with a configured seed does for credential keys. Returns the key id. */
async function startWithSeed(settings: Record<string, string> = {}): Promise<string | undefined> {
  const given = { dataDir: folder.path, 'refresh.signingSeed': SEED, ...settings };
  const { config } = await loadConfig({ env: environmentOf(given), cwd: folder.path });
  const store = await openMigratedStore(config.storage);
  const engine = await createEngine({ ...config.engine, workers: 0 });
  try {
    const keys = await createCredentialKeys({ store: store.issuerKeys, engine, config, now: () => NOW });
    return await keys.check();
  } finally {
    await engine.close();
    await store.close();
  }
}

describe('proofgate keys rotate --use credential', () => {
  it('creates the first key and says that it must be registered', async () => {
    const { code, stdout, stderr } = await folder.run(['keys', 'rotate', ...CREDENTIAL]);
    expect(code).toBe(0);
    const [key] = await list();
    expect(stdout).toBe(`active   ${key?.kid}\n`);
    expect(stderr).toBe(
      `note: key ${key?.kid} must be registered where credentials are verified; until then its credentials are refused there\n`,
    );
  });

  it('retires the previous key', async () => {
    const first = await rotate();
    const { active, retired, key } = await folder.json(['keys', 'rotate', ...CREDENTIAL], {
      now: NOW + 1000,
    });
    expect(retired).toBe(first);
    const keys = await list();
    expect(keys[0]).toEqual(key);
    expect(keys).toMatchObject([
      { kid: active, state: 'active', retired_at: null },
      { kid: first, state: 'retired', retired_at: new Date(NOW + 1000).toISOString() },
    ]);
    const { stdout } = await folder.run(['keys', 'rotate', ...CREDENTIAL], { now: NOW + 2000 });
    expect(stdout).toMatch(new RegExp(`^active {3}[0-9a-f]{64}\nretired {2}${active}\n$`));
  });

  it('is refused with refresh.signingSeed, and changes nothing', async () => {
    await startWithSeed();
    const before = await list();
    const env = { PROOFGATE_REFRESH_SIGNING_SEED: SEED };
    const { code, stderr } = await folder.run(['keys', 'rotate', ...CREDENTIAL], { env });
    expect(code).toBe(1);
    expect(stderr).toContain('issuer_key.configured');
    expect(stderr).not.toContain(SEED);
    expect(await list()).toEqual(before);
  });

  it('warns that servers with a configured seed keep using it', async () => {
    const former = await startWithSeed();
    const { code, stderr } = await folder.run(['keys', 'rotate', ...CREDENTIAL]);
    expect(code).toBe(0);
    expect(stderr).toContain(`note: key ${former} is that of refresh.signingSeed`);
  });

  it('creates a key without the development mark in production, where it requires the master key', async () => {
    const env = productionEnv(folder.path);
    expect((await folder.run('migrate up', { env })).code).toBe(0);
    const { key } = await folder.json(['keys', 'rotate', ...CREDENTIAL], { env });
    expect(key).toMatchObject({ origin: 'generated', development: false, sealed: true });
    const { PROOFGATE_KEYS_MASTER_KEY: _, ...without } = env;
    await folder.fails(['keys', 'rotate', ...CREDENTIAL], 78, 'keys.masterKey', { env: without });
    expect(await list()).toHaveLength(1);
  });

  it('refuses --force, which is for sign-in keys', async () => {
    expect((await folder.run(['keys', 'rotate', '--force', ...CREDENTIAL])).code).toBe(2);
  });
});

describe('proofgate keys list', () => {
  it('shows a credential key with the members of a sign-in key and its own, and no seed', async () => {
    const kid = await rotate();
    const { stdout } = await folder.run(['keys', 'list', '--json', ...CREDENTIAL]);
    expect(JSON.parse(stdout)).toEqual({
      keys: [
        {
          kid: expect.stringMatching(KEY_ID),
          use: 'credential',
          state: 'active',
          created_at: new Date(NOW).toISOString(),
          activated_at: new Date(NOW).toISOString(),
          retired_at: null,
          changes_at: null,
          sealed: true,
          development: true,
          issuer_schema_id: '1',
          origin: 'development',
          pk: [expect.stringMatching(/^\d+$/), expect.stringMatching(/^\d+$/)],
        },
      ],
    });
    const text = (await folder.run('keys list')).stdout;
    expect(text.split('\n')[1]).toMatch(
      new RegExp(`^${kid} +credential +active +\\S+ +- +issuer schema 1, development$`),
    );
  });

  it('shows keys of every issuer schema, or of one use with --use', async () => {
    await rotate();
    await startWithSeed({ 'refresh.issuerSchemaId': '18446744073709551615' });
    const { keys } = await folder.json('keys list');
    expect(
      (keys as Record<string, string>[]).map((key) => [key.use, key.issuer_schema_id, key.sealed]),
    ).toEqual([
      ['credential', '1', true],
      ['credential', '18446744073709551615', false],
    ]);
    expect(await folder.json('keys list --use signin')).toEqual({ keys: [] });
  });
});

describe('proofgate keys remove --use credential', () => {
  it('asks for confirmation, and without a terminal requires --yes', async () => {
    const kid = await rotate();
    await folder.fails(['keys', 'remove', kid, ...CREDENTIAL], 1, 'cli.refused');
    const answered = await folder.run(['keys', 'remove', kid, ...CREDENTIAL], {
      stdin: 'n\n',
      isInteractive: true,
    });
    expect(answered.stderr).toContain(`Revoke credential key ${kid} permanently?`);
    expect((await list()).map(({ state }) => state)).toEqual(['active']);
  });

  it('revokes the active key and says that refreshes answer 503 until a rotation', async () => {
    const kid = await rotate();
    const { code, stdout, stderr } = await folder.run(['keys', 'remove', kid, '--yes', ...CREDENTIAL]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `revoked ${kid}\n` });
    expect(stderr).toBe(
      'warning: no credential key of issuer schema 1 is active: refreshes answer 503 until `proofgate keys rotate --use credential` is run\n',
    );
    expect(await list()).toMatchObject([{ kid, state: 'revoked', sealed: false }]);
    const next = await rotate(NOW + 1000);
    expect((await list()).map((key) => [key.kid, key.state])).toEqual([
      [next, 'active'],
      [kid, 'revoked'],
    ]);
  });

  it('revokes a retired key without a warning', async () => {
    const first = await rotate();
    await rotate(NOW + 1000);
    const { stderr } = await folder.run(['keys', 'remove', first, '--yes', ...CREDENTIAL]);
    expect(stderr).toBe('');
    expect((await list()).map(({ state }) => state)).toEqual(['active', 'revoked']);
  });

  it('names the schemas, and advises another seed when one is configured', async () => {
    const kid = (await startWithSeed()) ?? '';
    await startWithSeed({ 'refresh.issuerSchemaId': '7' });
    const env = { PROOFGATE_REFRESH_SIGNING_SEED: SEED };
    const { stdout, stderr } = await folder.run(['keys', 'remove', kid, '--yes', '--json', ...CREDENTIAL], {
      env,
    });
    expect(JSON.parse(stdout)).toEqual({ revoked: kid, issuer_schema_ids: ['1', '7'], unsigned: ['1', '7'] });
    expect(stderr).toContain('schema 1 is active: refreshes answer 503 until servers start with another');
    expect(stderr).toContain('schema 7 is active: refreshes answer 503 until `proofgate keys rotate');
    await expect(startWithSeed()).rejects.toMatchObject({ code: 'issuer_key.revoked' });
  });

  it('refuses an unknown key and a key of the other use', async () => {
    const kid = await rotate();
    const unknown = await folder.run(['keys', 'remove', '0'.repeat(64), '--yes', ...CREDENTIAL]);
    expect([unknown.code, unknown.stderr.includes('issuer_key.unknown')]).toEqual([1, true]);
    const signin = await folder.run(['keys', 'remove', kid, '--yes']);
    expect([signin.code, signin.stderr.includes('signing_key.unknown')]).toEqual([1, true]);
    expect((await list()).map(({ state }) => state)).toEqual(['active']);
  });
});

describe('proofgate keys export --public --use credential', () => {
  it('prints the issuer key document, with the schema id as an exact integer', async () => {
    const first = await rotate();
    const second = await rotate(NOW + 1000);
    const [active, retired] = await list();
    expect([active?.kid, retired?.kid]).toEqual([second, first]);
    const text = (await folder.run(['keys', 'export', '--public', ...CREDENTIAL])).stdout;
    expect(JSON.parse(text)).toEqual({
      keys: [
        { issuer_schema_id: 1, pk: active?.pk, status: 'active' },
        { issuer_schema_id: 1, pk: retired?.pk, status: 'retired' },
      ],
    });
    const env = { PROOFGATE_REFRESH_ISSUER_SCHEMA_ID: '18446744073709551615' };
    await folder.json(['keys', 'rotate', ...CREDENTIAL], { env });
    const { stdout } = await folder.run(['keys', 'export', '--public', '--json', ...CREDENTIAL], { env });
    expect(stdout).toMatch(
      /^\{"keys":\[\{"issuer_schema_id":18446744073709551615,"pk":\["\d+","\d+"\],"status":"active"\}\]\}\n$/,
    );
  });

  it('prints an empty list when there is no key', async () => {
    const { stdout } = await folder.run(['keys', 'export', '--public', ...CREDENTIAL]);
    expect(stdout).toBe('{"keys":[]}\n');
  });
});
