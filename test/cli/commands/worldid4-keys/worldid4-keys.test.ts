// Rules: spec/worldid4.md#commands
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { NOW, useCliFolder } from '../../support/cli.ts';

interface KeyPoint {
  readonly x: string;
  readonly y: string;
}

const { bad_keys: BAD, trapdoor } = JSON.parse(
  readFileSync(new URL('../../../vectors/worldid4-proofs.json', import.meta.url), 'utf8'),
) as {
  readonly bad_keys: readonly KeyPoint[];
  readonly trapdoor: { readonly setup: { readonly issuers: KeyPoint[]; readonly oprf_keys: KeyPoint[] } };
};
const [ONE, TWO] = trapdoor.setup.issuers as [KeyPoint, KeyPoint];
const RP = 'rp_0387df34f862cd4e';
const GROUPS = [
  ['issuers', 'issuers', 'issuer_schema_id', ['--id', '1'], '1', 'issuer.unknown'],
  [
    'oprf-keys',
    'oprf_keys',
    'rp_id',
    ['--rp-id', RP.toUpperCase().replace('RP_', 'rp_')],
    RP,
    'oprf_key.unknown',
  ],
] as const;
const folder = useCliFolder();

function pointOf({ x, y }: KeyPoint): string[] {
  return ['--x', x, '--y', y];
}

describe.each(GROUPS)('proofgate %s', (word, member, idMember, id, canonical, unknown) => {
  const owner = ['--environment', 'staging', ...id];
  const line = (point: KeyPoint, environment = 'staging'): string =>
    JSON.stringify({ environment, [idMember]: canonical, x: point.x, y: point.y });
  const list = async (): Promise<Record<string, string>[]> =>
    (await folder.json(`${word} list`))[member] as Record<string, string>[];

  it('adds a key, replaces it, lists it and removes it after confirmation', async () => {
    const added = { environment: 'staging', [idMember]: canonical, x: ONE.x, y: ONE.y };
    expect(await folder.json([word, 'add', ...owner, ...pointOf(ONE)])).toEqual(added);
    await folder.json([word, 'add', ...owner, ...pointOf(TWO)]);
    const times = { source: 'operator', updated_at: new Date(NOW).toISOString() };
    expect(await list()).toEqual([{ ...added, x: TWO.x, y: TWO.y, ...times }]);
    const { stdout } = await folder.run([word, 'list']);
    expect(stdout).toContain(`staging      ${canonical}`);
    expect((await folder.run([word, 'remove', ...owner])).stderr).toContain('cli.refused');
    expect(await list()).toHaveLength(1);
    const removed = { environment: 'staging', [idMember]: canonical };
    expect(await folder.json([word, 'remove', ...owner, '--yes'])).toEqual(removed);
    expect(await list()).toEqual([]);
    const again = await folder.run([word, 'remove', ...owner, '--yes']);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining(`proofgate: ${unknown}: `) });
  });

  it('imports all lines or none', async () => {
    const good = `${line(ONE)}\n${line(TWO, 'production')}\n`;
    const bad = await folder.run([word, 'import', '-'], { stdin: `${good}${line(BAD[0] as KeyPoint)}\n` });
    expect(bad.code).toBe(1);
    expect(bad.stderr).toContain('proofgate: key.not_on_curve: line 3: ');
    expect(await list()).toEqual([]);
    expect(await folder.json([word, 'import', '-', '--quiet'], { stdin: good })).toEqual({ imported: 2 });
    expect(await list()).toHaveLength(2);
  });

  it('refuses each bad key of the vectors', async () => {
    const refused = await Promise.all(
      BAD.map(async (point) => (await folder.run([word, 'add', ...owner, ...pointOf(point)])).stderr),
    );
    expect(refused.map((text) => /key\.\w+/.exec(text)?.[0])).toEqual([
      'key.not_on_curve',
      'key.wrong_subgroup',
      'key.identity',
      'key.range',
    ]);
    expect(await list()).toEqual([]);
  });
});

describe('proofgate roots, tree account', () => {
  const add = ['roots', 'add', '--environment', 'staging', '--tree', 'account', '--root', '0x5'];

  it('adds and imports roots of World ID 4.0', async () => {
    await folder.json(add);
    const line = '{"environment":"production","tree":"account","root":"0x6"}';
    expect(await folder.json('roots import -', { stdin: line })).toEqual({ imported: 1 });
    const { roots } = await folder.json<{ roots: unknown[] }>('roots list --tree account');
    expect(roots).toHaveLength(2);
  });

  it('refuses a key of another number of inputs', async () => {
    const { code, stderr } = await folder.run([...add, '--key', 'semaphore-depth30']);
    expect(code).toBe(1);
    expect(stderr).toContain('key.input_count: semaphore-depth30: this tree needs a key of 15 public inputs');
  });
});
