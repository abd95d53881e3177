// Rules: spec/verification.md#operator-roots
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { expectFailure, makeCliFolder, NOW, useCliFolder } from '../../support/cli.ts';

interface Root {
  readonly environment: string;
  readonly tree: string;
  readonly root: string;
  readonly received_at: string;
  readonly superseded_at: string | null;
  readonly key: string | null;
}

const ADD = ['roots', 'add', '--environment', 'production', '--tree', 'orb', '--root'];
const folder = useCliFolder();

async function list(...filter: string[]): Promise<Root[]> {
  const { roots } = await folder.json<{ roots: Root[] }>(['roots', 'list', ...filter]);
  return roots;
}

function word(digits: string): string {
  return `0x${digits.padStart(64, '0')}`;
}

describe('proofgate roots', () => {
  it('adds a root that becomes current and supersedes the previous one', async () => {
    await folder.json([...ADD, '0x1', '--received-at', '2026-05-01']);
    const added = await folder.json([...ADD, '0xA2']);
    const now = new Date(NOW).toISOString();
    expect(added).toEqual({
      environment: 'production',
      tree: 'orb',
      root: word('a2'),
      received_at: now,
      superseded_at: null,
      key: null,
    });
    expect(await list()).toEqual([
      expect.objectContaining({
        root: word('1'),
        received_at: '2026-05-01T00:00:00.000Z',
        superseded_at: now,
      }),
      expect.objectContaining({ root: word('a2'), superseded_at: null }),
    ]);
  });

  it('adds a past root and keeps the current one', async () => {
    await folder.json([...ADD, '0x1']);
    await folder.json([...ADD, '0x2', '--received-at', '1700000000000', '--superseded-at', '1700000600000']);
    const roots = await list();
    expect(roots.find((root) => root.root === word('1'))?.superseded_at).toBeNull();
    expect(roots.find((root) => root.root === word('2'))?.superseded_at).toBe('2023-11-14T22:23:20.000Z');
  });

  it.each([
    [
      ['--environment', 'sandbox', '--tree', 'orb', '--root', '0x1'],
      'environment: expected production or staging',
    ],
    [['--environment', 'production', '--tree', 'selfie', '--root', '0x1'], 'tree: expected one of orb'],
    [
      ['--environment', 'production', '--tree', 'orb', '--root', `0x${'f'.repeat(64)}`],
      'root: expected 0x and 1 to 64',
    ],
    [
      ['--environment', 'production', '--tree', 'orb', '--root', '0x1', '--received-at', 'soon'],
      'received_at: expected',
    ],
    [
      ['--environment', 'production', '--tree', 'orb', '--root', '0x1', '--key', 'absent'],
      'no verifying key has the id absent',
    ],
  ])('refuses %j', async (options, message) => {
    await expectFailure(folder.run(['roots', 'add', ...options]), 1, 'proofgate: root.invalid: ', message);
    expect(await list()).toEqual([]);
  });

  it('adds a root with its own key instead of the key of its tree', async () => {
    const argv = [
      'roots',
      'add',
      '--environment',
      'staging',
      '--tree',
      'orb',
      '--root',
      '0x9',
      '--key',
      'semaphore-depth20',
    ];
    expect((await folder.json(argv)).key).toBe('semaphore-depth20');
  });

  it('lists one environment or tree, as a table too', async () => {
    await folder.json([...ADD, '0x1']);
    await folder.json('roots add --environment production --tree device --root 0x2');
    expect(await list('--tree', 'device')).toHaveLength(1);
    expect(await list('--environment', 'staging')).toHaveLength(0);
    const { stdout } = await folder.run('roots list');
    expect(stdout).toContain(`production   device  ${word('2')}`);
    expect(stdout).toContain('current');
    expect((await folder.run('roots list --tree iris')).code).toBe(2);
    expect((await folder.run('roots list --environment dev')).code).toBe(2);
  });

  it('exports lines that another store imports, from a file and from standard input', async () => {
    await folder.json([...ADD, '0x1', '--received-at', '1700000000000']);
    await folder.json([...ADD, '0x2']);
    const { stdout: lines } = await folder.run('roots export');
    expect(lines.trimEnd().split('\n')).toHaveLength(2);
    const other = await makeCliFolder();
    onTestFinished(() => other.remove());
    expect(await other.json(['roots', 'import', '-'], { stdin: lines })).toEqual({ imported: 2 });
    expect((await other.run(['roots', 'export'])).stdout).toBe(lines);
    const file = join(other.path, 'roots.jsonl');
    await writeFile(file, lines);
    const again = await other.run(['roots', 'import', file, '--quiet']);
    expect(again).toEqual({ code: 0, stdout: 'imported 2 roots\n', stderr: '' });
    expect((await other.run(['roots', 'export'])).stdout).toBe(lines);
  });

  it('names the first invalid line of an import and stores nothing', async () => {
    const good = JSON.stringify({ environment: 'production', tree: 'orb', root: '0x1' });
    const bad = JSON.stringify({ environment: 'production', tree: 'orb', root: 'zz' });
    const { code, stderr } = await folder.run('roots import -', {
      stdin: `${good}\n\n${bad}\n${bad}\n`,
    });
    expect(code).toBe(1);
    expect(stderr).toContain('proofgate: root.invalid: line 3: root: expected');
    expect(await list()).toEqual([]);
    const long = await folder.run('roots import -', { stdin: `${good}\n"${'x'.repeat(70_000)}"\n` });
    expect(long.code).toBe(1);
    expect(long.stderr).toContain('line 2: expected a JSON object');
  });

  it('refuses a file that cannot be read', async () => {
    await folder.fails(['roots', 'import', join(folder.path, 'absent')], 2, 'cannot be read: ENOENT');
    expect((await folder.run(['roots', 'import', folder.path])).stderr).toContain('it is a folder');
  });

  it('prunes only superseded roots, after confirmation', async () => {
    await folder.json([...ADD, '0x1', '--received-at', '1000']);
    await folder.json([...ADD, '0x2', '--received-at', '2000']);
    const prune = ['roots', 'prune', '--before', '3000'];
    expect((await folder.run(prune)).stderr).toContain('proofgate: cli.refused: ');
    expect(await list()).toHaveLength(2);
    expect(await folder.json([...prune, '--yes'])).toEqual({ removed: 1 });
    expect((await list()).map((root) => root.root)).toEqual([word('2')]);
    expect((await folder.run(['roots', 'prune', '--before', 'long ago', '--yes'])).code).toBe(2);
  });
});
