// Rules: spec/operations.md#command-line and spec/operations.md#exit-codes
import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../../src/cli/cli.ts';
import type { Command } from '../../src/cli/program/command.ts';
import { describeGroup } from '../../src/cli/program/groups.ts';
import { loadAllCommands, loadCommands } from '../../src/cli/program/table.ts';
import { SETTINGS } from '../../src/config/settings/schema.ts';
import type { ErrorCode } from '../../src/errors/catalogue.ts';
import { ServiceError } from '../../src/errors/service-error.ts';
import { buildVersion } from '../../src/version.ts';
import { useCliFolder } from './support/cli.ts';

const ALL = await loadAllCommands();

const folder = useCliFolder({ isShared: true });

function failing(error: unknown): Command {
  return { path: ['break'], summary: 'fails', run: () => Promise.reject(error) };
}

async function runOne(
  command: Command,
  stdout: Writable = new PassThrough(),
  json = false,
): Promise<[number, string]> {
  const stderr = new PassThrough();
  const options = {
    buildApp: () => Promise.reject(new Error('none')),
    findHttpLibrary: () => Promise.reject(new Error('none')),
    stdout,
    stderr,
    env: {},
    cwd: folder.path,
  };
  const code = await runCommand([command], [...command.path, ...(json ? ['--json'] : [])], options);
  return [code, String(stderr.read() ?? '')];
}

describe('proofgate, usage', () => {
  it.each([
    [[], 'a command is missing', 'help'],
    [['apps'], 'a command is missing', 'apps --help'],
    [['frobnicate'], "unknown command 'frobnicate'", 'help'],
    [['apps', 'ad'], "unknown command 'ad'", 'apps --help'],
    [['dev', 'person', 'ad'], "unknown command 'ad'", 'dev person --help'],
    [['apps', 'list', '--colour'], "unknown option '--colour'", 'apps list --help'],
    [['apps', 'list', 'more'], 'too many arguments', 'apps list --help'],
    [['apps', 'show'], "missing required argument 'id'", 'apps show --help'],
    [['roots', 'prune'], "required option '--before <time>' not specified", 'roots prune --help'],
    [
      ['apps', 'update', 'app_1', '--verification', 'maybe'],
      'Allowed choices are none, pending',
      'apps update --help',
    ],
    [['apps', 'add', '--name'], 'argument missing', 'apps add --help'],
    // found by the command itself
    [['credentials', 'export', '--since', 'once'], '--since: expected', 'credentials export --help'],
  ])('%j ends with exit code 2 and names the help of its command', async (argv, message, help) => {
    const { code, stdout, stderr } = await folder.run(argv);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain('proofgate: cli.usage: ');
    expect(stderr).toContain(message);
    expect(stderr).toContain(`cure: See \`proofgate ${help}\`.`);
    // the named help exists
    expect((await folder.run(help.split(' '))).code).toBe(0);
  });

  it('prints its help on stdout, with every command', async () => {
    for (const argv of [['help'], ['--help']]) {
      const { code, stdout } = await folder.run(argv);
      expect(code).toBe(0);
      for (const command of ALL) {
        expect(stdout).toContain(command.path[0]);
      }
    }
  });

  it('loads only the commands that begin with the first word of the arguments', async () => {
    for (const { path } of ALL) {
      const group = await loadCommands([...path, '--json']);
      expect(group).toEqual(ALL.filter((other) => other.path[0] === path[0]));
    }
    expect(await loadCommands(['help', 'apps'])).toEqual(ALL.filter(({ path }) => path[0] === 'apps'));
    expect(await loadCommands(['--json', 'apps', 'list'])).toEqual(await loadCommands(['apps', 'list']));
  });

  it('loads commands of one word and names the groups, in the order of the table, if no command begins with the first word', async () => {
    const words = [...new Set(ALL.map(({ path }) => path[0]))];
    for (const argv of [[], ['nothing'], ['--help'], ['help']]) {
      const entries = await loadCommands(argv);
      expect(entries.map((entry) => (typeof entry === 'string' ? entry : entry.path[0]))).toEqual(words);
      const commands = entries.filter((entry) => typeof entry !== 'string');
      expect(commands).toEqual(ALL.filter(({ path }) => path.length === 1));
    }
  });

  it.each(ALL.map((command) => [command.path.join(' '), command] as const))(
    'prints help for %s',
    async (_, command) => {
      const { code, stdout } = await folder.run([...command.path, '--help']);
      expect(code).toBe(0);
      expect(stdout).toContain(`Usage: proofgate ${command.path.join(' ')}`);
      expect(stdout).toContain('--json');
      expect(stdout).toContain('--config <file>');
      expect(stdout.includes('--engine.workers <value>')).toBe(command.showsSettings === true);
    },
  );

  it('describes every group, command, argument and option', () => {
    for (const { path, summary, arguments: positional = [], options = [] } of ALL) {
      const groups = path.slice(0, -1).map((_, depth) => describeGroup(path.slice(0, depth + 1).join(' ')));
      const texts = [
        ...groups,
        summary,
        ...[...positional, ...options].map(({ description }) => description),
      ];
      for (const text of texts) expect(text, path.join(' ')).toMatch(/\S{2}/);
    }
    expect(() => describeGroup('nothing')).toThrow('has no description');
  });

  it('shows the description of every group', async () => {
    const { stdout } = await folder.run('help');
    for (const group of new Set(ALL.filter(({ path }) => path.length > 1).map(({ path }) => path[0] ?? ''))) {
      expect(stdout.replaceAll(/\s+/g, ' ')).toContain(`${group} ${describeGroup(group)}`);
    }
  });

  it('lists every setting except secrets in the help of serve', async () => {
    const { stdout } = await folder.run('help serve');
    for (const { key, isSecret } of SETTINGS) {
      expect(stdout.includes(`--${key} <value>`), key).toBe(isSecret !== true);
    }
  });

  it('prints the version of the build', async () => {
    const { code, stdout } = await folder.run('--version');
    expect(code).toBe(0);
    expect(stdout.trim()).toBe(buildVersion());
  });

  it('accepts every setting as a flag on every command', async () => {
    const { stdout } = await folder.run('config explain --engine.maxQueue 99 --json');
    expect(stdout).toContain('{"key":"engine.maxQueue","value":99,"unit":"proofs","origin":"flag"');
  });

  it('accepts the shorter flag of a setting, which the help of serve shows', async () => {
    const rows = await folder.json<{ settings: readonly { key: string; value: unknown; origin: string }[] }>(
      'config explain --front-ends 2 --engine.workers 2',
    );
    expect(rows.settings).toContainEqual(
      expect.objectContaining({ key: 'server.frontEnds', value: '2', origin: 'flag' }),
    );
    expect((await folder.run('serve --help')).stdout).toContain('--front-ends, --server.frontEnds <value>');
    await folder.fails('config explain --front-ends many', 78, 'expected auto or a number from 1 to 64');
  });

  it('exits with 78 when settings are invalid, and lists all of them', async () => {
    const { code, stderr } = await folder.run('apps list --engine.maxQueue 0 --profile prod');
    expect(code).toBe(78);
    expect(stderr).toContain('config: 2 problems');
    expect(stderr).toContain(
      'engine.maxQueue (PROOFGATE_ENGINE_MAX_QUEUE): expected 1..1000000, got 0   from flag',
    );
    expect(stderr).toContain(
      'profile (PROOFGATE_PROFILE): expected development, production, test, bench, got "prod"',
    );
  });

  it('exits with 78 when the file of --config is missing', async () => {
    const { code, stderr } = await folder.run('config explain --config absent.json');
    expect(code).toBe(78);
    expect(stderr).toContain('absent.json: the configuration file cannot be read');
  });
});

describe('proofgate, errors', () => {
  it.each<[ErrorCode, number]>([
    ['app.unknown', 1],
    ['cli.usage', 2],
    ['store.unreachable', 69],
    ['server.port_in_use', 75],
    ['config.invalid', 78],
  ])('prints %s with its cure and exits with %i', async (name, expected) => {
    const error = new ServiceError(name, 'what happened');
    const [code, stderr] = await runOne(failing(error));
    expect(code).toBe(expected);
    const cure = name === 'cli.usage' ? 'See `proofgate break --help`.' : error.spec.cure;
    expect(stderr).toBe(`proofgate: ${name}: what happened\n  cure: ${cure}\n`);
  });

  it('prints one JSON object with --json', async () => {
    const error = new ServiceError('app.unknown', 'what happened');
    const [code, stderr] = await runOne(failing(error), new PassThrough(), true);
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toEqual({
      error: { code: 'app.unknown', message: 'what happened', cure: error.spec.cure },
    });
  });

  it('prints an unforeseen error with its stack trace and exits with 1', async () => {
    const [code, stderr] = await runOne(failing(new TypeError('not foreseen')));
    expect(code).toBe(1);
    expect(stderr).toContain('proofgate: internal.unforeseen: not foreseen\n');
    expect(stderr).toContain('cli.test.ts');
  });

  it('exits quietly with 1 when the reader of its output has closed', async () => {
    const closed = new Writable({
      highWaterMark: 1,
      write: (_chunk, _encoding, done) => {
        done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
      },
    });
    const chatty: Command = {
      path: ['talk'],
      summary: 'prints forever',
      run: async (_input, context) => {
        for (;;) {
          await context.print({}, 'line');
        }
      },
    };
    expect(await runOne(chatty, closed)).toEqual([1, '']);
  });
});
