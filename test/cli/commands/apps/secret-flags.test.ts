import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { loadAllCommands } from '../../../../src/cli/program/table.ts';
import { SETTINGS } from '../../../../src/config/settings/schema.ts';
import { envName } from '../../../../src/config/settings/setting.ts';
import { makeEmptyCliFolder, useCliFolder } from '../../support/cli.ts';
import { runProcess } from '../../support/process.ts';

const VALUE = 'libsql:value-that-nobody-may-see';
const SECRETS = SETTINGS.filter(({ isSecret }) => isSecret).map(({ key }) => key);
const folder = useCliFolder({ isShared: true, make: makeEmptyCliFolder });

/** Plausible spellings of the flag of a key. */
function spellings(key: string): string[] {
  const dashed = key.replaceAll('.', '-').replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return [`--${key}`, `--${dashed}`, `--${dashed}-file`, `--${dashed.toUpperCase()}`, `-${key}`];
}

describe('a secret on the command line', () => {
  it.each(SECRETS)('is refused with exit code 78 in any spelling: %s', async (key) => {
    for (const flag of spellings(key)) {
      for (const words of [[flag, VALUE], [`${flag}=${VALUE}`]]) {
        const { code, stdout, stderr } = await folder.run(['apps', 'list', ...words]);
        expect({ flag, code, stdout }).toEqual({ flag, code: 78, stdout: '' });
        expect(stderr).toContain('proofgate: config.invalid: config: 1 problem\n');
        expect(stderr).toContain(`${envName(key)}_FILE, or set ${envName(key)} `);
        expect(stderr).not.toContain('nobody');
      }
    }
    expect(await readdir(folder.path)).toEqual([]);
  });

  it('is refused before the command and with --json, all of them reported together', async () => {
    const words = [`--admin.token=${VALUE}`, 'apps', 'list', '--storage.url', VALUE, '--json'];
    const { code, stderr } = await folder.run(words);
    expect(code).toBe(78);
    const { error } = JSON.parse(stderr) as { error: { code: string; message: string } };
    expect(error.code).toBe('config.invalid');
    expect(error.message).toContain('config: 2 problems');
    expect(stderr).not.toContain('nobody');
  });

  it('is refused by the real program before any other action', async () => {
    const { code, stdout, stderr } = await runProcess(['serve', '--keys.masterKey', VALUE], {
      PROOFGATE_DATA_DIR: folder.path,
    });
    expect(code).toBe(78);
    expect(`${stdout}${stderr}`).not.toContain('nobody');
    expect(stderr).toContain('PROOFGATE_KEYS_MASTER_KEY_FILE');
    expect(await readdir(folder.path)).toEqual([]);
  });

  it('is not printed when the name of the flag is wrong', async () => {
    for (const word of [`--admin.tokn=${VALUE}`, `-x=${VALUE}`, `--token=a'${VALUE}`]) {
      const { code, stderr } = await folder.run(['apps', 'list', word]);
      expect(code).toBe(2);
      expect(stderr).toContain("unknown option '-");
      expect(stderr).not.toContain('nobody');
    }
  });

  it('appears in the help of no command', async () => {
    for (const { path } of await loadAllCommands()) {
      const { stdout } = await folder.run([...path, '--help']);
      for (const key of SECRETS) expect(stdout).not.toContain(`--${key} `);
    }
    const { stdout } = await folder.run('serve --help');
    expect(stdout).toContain('--engine.workers');
  });

  it('is accepted as an argument after --', async () => {
    const { code, stdout } = await folder.run('hash signal -- --admin.token');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^0x[0-9a-f]{64}\n$/);
  });
});
