import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadAllCommands } from '../../../../src/cli/program/table.ts';
import { SETTINGS } from '../../../../src/config/index.ts';
import { type CliFolder, makeCliFolder } from '../../support/cli.ts';

const COMMANDS = await loadAllCommands();
const folder = mkdtempSync(join(tmpdir(), 'proofgate-completion-'));
const has = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0;
const script = (shell: string): string => join(folder, `proofgate.${shell}`);

let cli: CliFolder;

beforeAll(async () => {
  cli = await makeCliFolder();
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout } = await cli.run(['completion', shell]);
    expect(code).toBe(0);
    writeFileSync(script(shell), stdout);
  }
  writeFileSync(join(folder, 'a-proof.json'), '');
});

afterAll(async () => {
  rmSync(folder, { recursive: true });
  await cli.remove();
});

/** Runs a shell script in the folder. Returns its non-empty output lines, sorted. */
function shellLines(shell: string, args: readonly string[], input: string): string[] {
  const { status, stdout, stderr } = spawnSync(shell, [...args, '-c', input], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  expect([status, stderr]).toEqual([0, '']);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .sort();
}

/** Per shell, a function that returns the completions of a command line; its last word is being typed. */
const SHELLS: Readonly<Record<string, (words: readonly string[]) => string[]>> = {
  bash: (words) => {
    const line = ['proofgate', ...words].map((word) => `'${word}'`).join(' ');
    return shellLines(
      'bash',
      ['--norc', '--noprofile'],
      `source ${script('bash')}\nCOMP_WORDS=(${line}); COMP_CWORD=${words.length}\n_proofgate\nprintf '%s\\n' "\${COMPREPLY[@]}"\n`,
    );
  },
  fish: (words) => {
    const line = ['proofgate', ...words].join(' ');
    const found = shellLines(
      'fish',
      ['--no-config', '--private'],
      `source ${script('fish')}\ncomplete --do-complete '${line}'\n`,
    );
    return found.map((row) => row.split('\t')[0] ?? '');
  },
};

describe.each(Object.keys(SHELLS))('completion of %s', (shell) => {
  const isAbsent = !has(shell);
  const complete = (...words: string[]): string[] => SHELLS[shell]?.(words) ?? [];

  it.skipIf(isAbsent)('knows every group and command', () => {
    const first = new Set(COMMANDS.map(({ path }) => path[0]));
    expect(complete('')).toEqual(expect.arrayContaining([...first]));
    for (const group of ['apps', 'keys', 'tokens', 'dev']) {
      const words = COMMANDS.filter(({ path }) => path[0] === group).map(({ path }) => path[1]);
      expect(complete(group, '')).toEqual(expect.arrayContaining([...new Set(words)]));
    }
    expect(complete('dev', 'person', '')).toEqual(expect.arrayContaining(['create', 'list']));
  });

  it.skipIf(isAbsent)('completes only words with the given prefix', () => {
    expect(complete('ap')).toEqual(['apps']);
    expect(complete('apps', 'rotate')).toEqual(['rotate-secret']);
    expect(complete('nothing', 'at')).toEqual([]);
  });

  it.skipIf(isAbsent)(
    'knows the options of a command, the common options and the settings, but no secret',
    () => {
      expect(complete('apps', 'rotate-secret', 'app_1', '--ov')).toEqual(['--overlap']);
      expect(complete('apps', 'list', '--j')).toEqual(['--json']);
      expect(complete('serve', '--engine.max')).toEqual(
        SETTINGS.map(({ key }) => `--${key}`)
          .filter((name) => name.startsWith('--engine.max'))
          .sort(),
      );
      expect(complete('serve', '--admin.t')).toEqual([]);
      expect(complete('apps', 'list', '--ov')).toEqual([]);
    },
  );

  it.skipIf(isAbsent)('knows the values of an option, of an argument and of a setting', () => {
    expect(complete('keys', 'list', '--use', '')).toEqual(['credential', 'signin']);
    expect(complete('completion', '')).toEqual(['bash', 'fish', 'zsh']);
    expect(complete('serve', '--proxy.header', 'x')).toEqual(['x-forwarded-for']);
    expect(complete('serve', '--signin.enabled', '')).toEqual(['false', 'true']);
  });

  it.skipIf(isAbsent)('completes file names where files are expected', () => {
    expect(complete('proof', 'verify', 'a-p')).toEqual(['a-proof.json']);
    expect(complete('doctor', '--config', 'a-p')).toEqual(['a-proof.json']);
    expect(complete('apps', 'show', 'a-p')).toEqual([]);
  });
});

describe('completion of zsh', () => {
  it.skipIf(!has('zsh'))('is a script that zsh can load, and offers commands and options', () => {
    // compadd works only within the line editor, so a stub prints its arguments instead.
    const lines = shellLines(
      'zsh',
      ['--no-rcs'],
      `compdef() { :; }
source ${script('zsh')}
_describe() { print -rl -- "\${(@)entries%%:*}" }
compadd() { print -rl -- $values }
_files() { print files }
_message() { :; }
ask() { words=(proofgate "$@"); CURRENT=$#words; _proofgate }
ask dev person ''
ask apps add --auth-method ''
ask apps add --config ''
ask completion ''
ask keys list --u
`,
    );
    const expected = ['create', 'list', 'client_secret_basic', 'client_secret_post', 'none', 'files'];
    expect(lines).toEqual(expect.arrayContaining([...expected, 'bash', 'zsh', 'fish', '--use', '--json']));
  });
});

describe('proofgate completion', () => {
  it('prints the script as JSON too, and refuses an unknown shell', async () => {
    const { shell, script: text } = await cli.json(['completion', 'bash']);
    expect(shell).toBe('bash');
    expect(`${text}\n`).toBe((await cli.run(['completion', 'bash'])).stdout);
    const { code, stderr } = await cli.run(['completion', 'tcsh']);
    expect(code).toBe(2);
    expect(stderr).toContain('Allowed choices are bash, zsh, fish');
    expect(stderr).toContain('See `proofgate completion --help`.');
  });
});
