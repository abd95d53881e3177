// Rules: spec/sign-in.md#signing-keys
import { cp } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliFolder, NOW, productionEnv, useCliFolder } from '../../support/cli.ts';
import { makeSignedTemplate } from '../../support/signed-folder.ts';

const DAY_MS = 86_400_000;

interface Shown {
  readonly kid: string;
  readonly state: string;
  readonly development: boolean;
  readonly changes_at: string | null;
}

let template: CliFolder;
const folder = useCliFolder();

beforeAll(async () => {
  template = await makeSignedTemplate();
});

afterAll(() => template.remove());

/** Fills the folder as a service that ran in it leaves it. */
const makeKeys = (): Promise<void> => cp(template.path, folder.path, { recursive: true });

async function list(env: Record<string, string> = {}): Promise<Shown[]> {
  const { keys } = await folder.json('keys list', { env });
  return keys as Shown[];
}

describe('proofgate keys list', () => {
  it('shows kid, state and times of each key, and no private key', async () => {
    await makeKeys();
    const { stdout } = await folder.run('keys list --json');
    expect(JSON.parse(stdout)).toEqual({
      keys: [
        {
          kid: expect.stringMatching(/^[\w-]{43}$/),
          use: 'signin',
          state: 'active',
          created_at: new Date(NOW).toISOString(),
          activated_at: new Date(NOW).toISOString(),
          retired_at: null,
          changes_at: new Date(NOW + 30 * DAY_MS).toISOString(),
          sealed: true,
          development: true,
        },
        expect.objectContaining({ state: 'next', activated_at: null }),
      ],
    });
    const text = (await folder.run('keys list')).stdout;
    expect(text.split('\n').slice(0, -1)).toHaveLength(3);
    expect(text).toContain('development');
  });

  it('shows keys of one use', async () => {
    await makeKeys();
    expect(await folder.json('keys list --use credential')).toEqual({ keys: [] });
    expect((await folder.json('keys list --use signin')).keys).toHaveLength(2);
    expect((await folder.run('keys list --use other')).code).toBe(2);
  });

  it('reports that there are none before the first start', async () => {
    const { code, stdout } = await folder.run('keys list');
    expect(code).toBe(0);
    expect(stdout).toBe('no keys: the service makes them at its first start\n');
  });

  it('shows no time of the next rotation when rotation is off', async () => {
    await makeKeys();
    const shown = await list({ PROOFGATE_KEYS_ROTATION_PERIOD_SECONDS: '0' });
    expect(shown.map(({ changes_at }) => changes_at)).toEqual([null, null]);
  });
});

describe('proofgate keys rotate', () => {
  it('is refused with exit code 1 while the next key is younger than the publish lead', async () => {
    await makeKeys();
    const before = await list();
    const { code, stderr } = await folder.run('keys rotate', { now: NOW + DAY_MS - 1 });
    expect(code).toBe(1);
    expect(stderr).toContain('signing_key.too_young');
    expect(stderr).toContain('2026-06-02T12:00:00.000Z');
    expect(await list()).toEqual(before);
  });

  it('rotates after the publish lead, without a warning', async () => {
    await makeKeys();
    const [first, second] = await list();
    const { code, stderr, stdout } = await folder.run('keys rotate', { now: NOW + DAY_MS });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^active {2}${second?.kid}\nnext {4}[\\w-]{43}\n$`));
    const now = NOW + DAY_MS;
    const { keys } = await folder.json('keys list', { now });
    expect(keys).toMatchObject([
      { kid: second?.kid, state: 'active' },
      { state: 'next' },
      { kid: first?.kid, state: 'retired', changes_at: new Date(now + 7_200_000).toISOString() },
    ]);
  });

  it('can be forced, with a warning', async () => {
    await makeKeys();
    const [, second] = await list();
    const { code, stderr, stdout } = await folder.run('keys rotate --force --json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      active: second?.kid,
      next: expect.stringMatching(/^[\w-]{43}$/),
      early: true,
    });
    expect(stderr).toContain('warning: the active key was published only now');
    expect(stderr).toContain('3600 s');
  });

  it('exits with 75 when there are no keys', async () => {
    await folder.fails('keys rotate --force', 75, 'signing_key.none');
  });
});

describe('proofgate keys remove', () => {
  it('asks for confirmation, and without a terminal requires --yes', async () => {
    await makeKeys();
    const [first] = await list();
    await folder.fails(['keys', 'remove', first?.kid ?? ''], 1, 'cli.refused');
    expect(await list()).toHaveLength(2);
    const answered = await folder.run(['keys', 'remove', first?.kid ?? ''], {
      stdin: 'n\n',
      isInteractive: true,
    });
    expect(answered.code).toBe(1);
    expect(answered.stderr).toContain(`Remove signing key ${first?.kid}?`);
    expect((await list())[0]).toEqual(first);
  });

  it('replaces the active key with the next', async () => {
    await makeKeys();
    const [first, second] = await list();
    const removed = await folder.json(['keys', 'remove', first?.kid ?? '', '--yes']);
    const after = await list();
    expect(removed).toEqual({ removed: first?.kid, active: second?.kid, next: after[1]?.kid, early: true });
    expect(after.map(({ kid }) => kid)).not.toContain(first?.kid);
  });

  it('refuses an unknown kid', async () => {
    await makeKeys();
    await folder.fails(['keys', 'remove', 'A'.repeat(43), '--yes'], 1, 'signing_key.unknown');
  });

  it('removes development keys from a store before its use in production', async () => {
    await makeKeys();
    const env = productionEnv(folder.path);
    for (const { kid } of await list()) await folder.json(['keys', 'remove', kid, '--yes'], { env });
    expect((await list(env)).map(({ state, development }) => [state, development])).toEqual([
      ['active', false],
      ['next', false],
    ]);
  });

  it('exits with 78 in production without the master key', async () => {
    await makeKeys();
    const { PROOFGATE_KEYS_MASTER_KEY: _, ...env } = productionEnv(folder.path);
    const [first] = await list();
    await folder.fails(['keys', 'remove', first?.kid ?? '', '--yes'], 78, 'keys.masterKey', { env });
    expect((await list())[0]?.kid).toBe(first?.kid);
  });
});

describe('proofgate keys export', () => {
  it('prints the public key set', async () => {
    await makeKeys();
    const kids = (await list()).map(({ kid }) => kid);
    const { code, stdout } = await folder.run('keys export --public');
    expect(code).toBe(0);
    const set = JSON.parse(stdout) as { keys: Record<string, string>[] };
    expect(set.keys.map(({ kid }) => kid)).toEqual(kids);
    for (const key of set.keys) {
      expect(Object.keys(key).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
    }
    expect(await folder.json('keys export --public')).toEqual(set);
  });

  it('exports nothing but public keys', async () => {
    const { code } = await folder.run('keys export');
    expect(code).toBe(2);
  });
});
