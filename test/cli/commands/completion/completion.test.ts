import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadAllCommands } from '../../../../src/cli/program/table.ts';
import { SETTINGS } from '../../../../src/config/settings/schema.ts';
import { useCliFolder } from '../../support/cli.ts';

const COMMANDS = await loadAllCommands();
const folder = mkdtempSync(join(tmpdir(), 'proofgate-completion-'));
const has = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0;
const script = (shell: string): string => join(folder, `proofgate.${shell}`);

const cli = useCliFolder({ isShared: true });

beforeAll(async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout } = await cli.run(['completion', shell]);
    expect(code).toBe(0);
    writeFileSync(script(shell), stdout);
  }
  writeFileSync(join(folder, 'a-proof.json'), '');
});

afterAll(async () => {
  rmSync(folder, { recursive: true });
});

/** Runs a shell script in the folder. Returns its non-empty output lines. */
function shellLines(shell: string, args: readonly string[], input: string): string[] {
  const { status, stdout, stderr } = spawnSync(shell, [...args, '-c', input], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  expect([status, stderr]).toEqual([0, '']);
  return stdout.split('\n').filter((line) => line !== '');
}

type CommandLine = readonly string[];
/** Printed after the completions of a command line, to have those of many from one start of the shell. */
const END = '-- end';

/** Splits lines at the ends of command lines, and sorts the completions of each. */
function byCommandLine(lines: readonly string[]): string[][] {
  const groups: string[][] = [[]];
  for (const line of lines) {
    if (line === END) groups.push([]);
    else groups.at(-1)?.push(line);
  }
  return groups.slice(0, -1).map((group) => group.sort());
}

/** Per shell, a function that returns the completions of command lines; the last word of each is being typed. */
const SHELLS: Readonly<Record<string, (lines: readonly CommandLine[]) => string[][]>> = {
  bash: (lines) => {
    const asked = lines.map((words) => {
      const line = ['proofgate', ...words].map((word) => `'${word}'`).join(' ');
      return `COMPREPLY=(); COMP_WORDS=(${line}); COMP_CWORD=${words.length}
_proofgate
printf '%s\\n' "\${COMPREPLY[@]}" '${END}'
`;
    });
    const input = `source ${script('bash')}\n${asked.join('')}`;
    return byCommandLine(shellLines('bash', ['--norc', '--noprofile'], input));
  },
  fish: (lines) => {
    const asked = lines.map(
      (words) => `complete --do-complete '${['proofgate', ...words].join(' ')}'\necho '${END}'\n`,
    );
    const input = `source ${script('fish')}\n${asked.join('')}`;
    const found = shellLines('fish', ['--no-config', '--private'], input);
    return byCommandLine(found.map((row) => row.split('\t')[0] ?? ''));
  },
};

describe.each(Object.keys(SHELLS))('completion of %s', (shell) => {
  const isAbsent = !has(shell);
  const complete = (...lines: CommandLine[]): string[][] => SHELLS[shell]?.(lines) ?? [];

  it.skipIf(isAbsent)('knows every group and command', () => {
    const first = new Set(COMMANDS.map(({ path }) => path[0]));
    const groups = ['apps', 'keys', 'tokens', 'dev'].map((group) => {
      const words = COMMANDS.filter(({ path }) => path[0] === group).map(({ path }) => path[1]);
      return { group, words: [...new Set(words)] };
    });
    expect(complete([''], ...groups.map(({ group }) => [group, '']), ['dev', 'person', ''])).toEqual([
      expect.arrayContaining([...first]),
      ...groups.map(({ words }) => expect.arrayContaining(words)),
      expect.arrayContaining(['create', 'list']),
    ]);
  });

  it.skipIf(isAbsent)('completes only words with the given prefix', () => {
    expect(complete(['ap'], ['apps', 'rotate'], ['nothing', 'at'])).toEqual([
      ['apps'],
      ['rotate-secret'],
      [],
    ]);
  });

  it.skipIf(isAbsent)(
    'knows the options of a command, the common options and the settings, but no secret',
    () => {
      const found = complete(
        ['apps', 'rotate-secret', 'app_1', '--ov'],
        ['apps', 'list', '--j'],
        ['serve', '--engine.max'],
        ['serve', '--front'],
        ['serve', '--admin.t'],
        ['apps', 'list', '--ov'],
      );
      const settings = SETTINGS.map(({ key }) => `--${key}`).filter((name) =>
        name.startsWith('--engine.max'),
      );
      expect(found).toEqual([['--overlap'], ['--json'], settings.sort(), ['--front-ends'], [], []]);
    },
  );

  it.skipIf(isAbsent)('knows the values of an option, of an argument and of a setting', () => {
    const found = complete(
      ['keys', 'list', '--use', ''],
      ['completion', ''],
      ['serve', '--proxy.header', 'x'],
      ['serve', '--signin.enabled', ''],
    );
    expect(found).toEqual([
      ['credential', 'signin'],
      ['bash', 'fish', 'zsh'],
      ['x-forwarded-for'],
      ['false', 'true'],
    ]);
  });

  it.skipIf(isAbsent)('completes file names where files are expected', () => {
    const found = complete(
      ['proof', 'verify', 'a-p'],
      ['doctor', '--config', 'a-p'],
      ['apps', 'show', 'a-p'],
    );
    expect(found).toEqual([['a-proof.json'], ['a-proof.json'], []]);
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
    const { shell, script: text } = await cli.json('completion bash');
    expect(shell).toBe('bash');
    expect(`${text}\n`).toBe((await cli.run('completion bash')).stdout);
    const { code, stderr } = await cli.run('completion tcsh');
    expect(code).toBe(2);
    expect(stderr).toContain('Allowed choices are bash, zsh, fish');
    expect(stderr).toContain('See `proofgate completion --help`.');
  });
});
