// Rules: spec/operations.md#command-line
import { existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { useCliFolder } from '../../support/cli.ts';

const folder = useCliFolder();
let target: string;

beforeEach(async () => {
  target = join(folder.path, 'etc', 'proofgate');
});

const modeOf = (path: string): string => (statSync(path).mode & 0o7777).toString(8);
const secretFiles = (): string[] =>
  readdirSync(join(target, 'secrets')).map((name) => join(target, 'secrets', name));

/** Rows of `config explain` with the given file as the only source. */
async function explain(
  path: string,
): Promise<Map<string, { value: unknown; missing: unknown; origin: unknown }>> {
  const { code, stdout, stderr } = await folder.run(`config explain --json --config ${path}`, {
    env: { PROOFGATE_DATA_DIR: '' },
  });
  expect(stderr).toBe('');
  expect(code).toBe(0);
  const { settings } = JSON.parse(stdout) as {
    settings: { key: string; value: unknown; missing: unknown; origin: unknown }[];
  };
  return new Map(settings.map((row) => [row.key, row]));
}

describe('proofgate init production', () => {
  it('writes a configuration and new secrets that only their owner may read', async () => {
    const { code, stdout, stderr } = await folder.run('init production etc/proofgate');
    expect([code, stderr]).toEqual([0, '']);
    expect([modeOf(target), modeOf(join(target, 'secrets'))]).toEqual(['700', '700']);
    for (const file of [join(target, 'proofgate.env'), ...secretFiles()]) expect(modeOf(file)).toBe('600');
    const secrets = secretFiles().map((file) => readFileSync(file, 'utf8').trim());
    expect(new Set(secrets).size).toBe(3);
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThanOrEqual(43);
      expect(stdout).not.toContain(secret);
    }
    for (const variable of ['PROOFGATE_BASE_URL (required)', 'PROOFGATE_STORAGE_URL (required)']) {
      expect(stdout).toContain(variable);
    }
    expect(stdout).toContain(`proofgate serve --config ${join(target, 'proofgate.env')} --migrate`);
  });

  it('writes a configuration that loads, with only the values missing that are left to decide', async () => {
    const { config, left_to_decide } = await folder.json<{
      config: string;
      left_to_decide: { variables: string[]; required: boolean }[];
    }>(`init production ${target}`);
    const settings = await explain(config);
    const missing = [...settings].flatMap(([key, row]) => (row.missing === key ? [key] : []));
    expect(missing).toEqual(['baseUrl', 'storage.url']);
    expect(left_to_decide.filter(({ required }) => required).flatMap(({ variables }) => variables)).toEqual([
      'PROOFGATE_BASE_URL',
      'PROOFGATE_STORAGE_URL',
    ]);
    expect(settings.get('profile')).toMatchObject({ value: 'production', origin: 'file' });
    expect(settings.get('keys.masterKey')).toMatchObject({ value: '(set, 43 characters)', origin: 'file' });
    const { code, stderr } = await folder.run(`migrate up --config ${config}`, {
      env: { PROOFGATE_DATA_DIR: '' },
    });
    expect([code, stderr.includes('storage.url (PROOFGATE_STORAGE_URL): required')]).toEqual([78, true]);
  });

  it('lists in its comments only existing settings with valid values', async () => {
    await folder.json(['init', 'production', target]);
    const text = readFileSync(join(target, 'proofgate.env'), 'utf8');
    const all = join(folder.path, 'all.env');
    await writeFile(all, text.replaceAll('#PROOFGATE_', 'PROOFGATE_'), { mode: 0o600 });
    const settings = await explain(all);
    for (const key of ['tls.certFile', 'proxy.trusted', 'proxy.header', 'server.host', 'refresh.enabled']) {
      expect(settings.get(key)?.origin, key).toBe('file');
    }
  });

  it('generates new secrets each time', async () => {
    await folder.json(['init', 'production', target]);
    const first = secretFiles().map((file) => readFileSync(file, 'utf8'));
    target = join(folder.path, 'other');
    await folder.json(['init', 'production', target]);
    const second = secretFiles().map((file) => readFileSync(file, 'utf8'));
    expect(new Set([...first, ...second]).size).toBe(6);
  });

  it('uses an existing folder and keeps its mode', async () => {
    await mkdir(target, { recursive: true });
    await chmod(target, 0o755);
    await folder.json(['init', 'production', target]);
    expect(modeOf(target)).toBe('755');
    expect(modeOf(join(target, 'secrets'))).toBe('700');
  });

  it.each(['proofgate.env', 'secrets'])(
    'writes nothing when %s exists, even as a dangling link',
    async (name) => {
      await mkdir(target, { recursive: true });
      await chmod(target, 0o700);
      await symlink(join(folder.path, 'nowhere'), join(target, name));
      const { code, stderr } = await folder.run(['init', 'production', target]);
      expect(code).toBe(1);
      expect(stderr).toContain(`proofgate: init.refused: ${target} already has ${name}; nothing was written`);
      expect(readdirSync(target)).toEqual([name]);
      expect(lstatSync(join(target, name)).isSymbolicLink()).toBe(true);
      expect(existsSync(join(folder.path, 'nowhere'))).toBe(false);
    },
  );

  it('writes nothing when run a second time', async () => {
    await folder.json(['init', 'production', target]);
    const before = secretFiles().map((file) => readFileSync(file, 'utf8'));
    await folder.fails(['init', 'production', target], 1, 'already has proofgate.env and secrets');
    expect(secretFiles().map((file) => readFileSync(file, 'utf8'))).toEqual(before);
  });

  it('refuses a folder that others may write to, a file, and a name with control characters', async () => {
    await mkdir(target, { recursive: true });
    await chmod(target, 0o777);
    const open = await folder.run(['init', 'production', target]);
    expect([open.code, open.stderr.includes('has mode 0777')]).toEqual([1, true]);
    expect(readdirSync(target)).toEqual([]);
    const file = join(folder.path, 'file');
    await writeFile(file, '');
    expect((await folder.run(['init', 'production', file])).code).toBe(1);
    expect((await folder.run(['init', 'production', 'a\nPROOFGATE_PROFILE=development'])).code).toBe(2);
  });
});
