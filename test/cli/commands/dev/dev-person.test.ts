import { describe, expect, it } from 'vitest';
import { productionEnv, useCliFolder } from '../../support/cli.ts';

const COMMITMENT = '0x279bf5d4ad8cc6d814de3c0e13d62871f067380b663e1e454e00abdd081efe78';
const ROOT = '0x284ec2782ec38c616bee1820936acdebe9f4fe8ce734d71fe2902eeae8eb0e87';
const CREATE = ['dev', 'person', 'create'];

const folder = useCliFolder();

async function persons(): Promise<Record<string, unknown>[]> {
  return (await folder.json<{ persons: Record<string, unknown>[] }>('dev person list')).persons;
}

describe('proofgate dev person', () => {
  it('creates the person of a secret, with the commitment and root of the specification', async () => {
    const person = await folder.json([...CREATE, '--secret', 'proofgate']);
    expect(person).toEqual({
      person: expect.stringMatching(/^[0-9a-f]{12}$/),
      commitment: COMMITMENT,
      tree: 'orb',
      index: 0,
      root: ROOT,
    });
    const { code, stdout, stderr } = await folder.run([...CREATE, '--secret', 'proofgate']);
    expect(code).toBe(0);
    expect(stderr).toBe('');
    expect(stdout).toBe(
      `person      ${person.person}\ncommitment  ${COMMITMENT}\ntree        orb\nindex       0\nroot        ${ROOT}\n`,
    );
    expect(await persons()).toHaveLength(1);
  });

  it('makes its root the current one of staging, with the key dev-depth30', async () => {
    await folder.json([...CREATE, '--secret', 'proofgate']);
    const { stdout } = await folder.run('roots export');
    expect(JSON.parse(stdout)).toMatchObject({
      environment: 'staging',
      tree: 'orb',
      root: ROOT,
      superseded_at: null,
      key: 'dev-depth30',
    });
  });

  it('creates a new person each time without a secret, and appends them in order', async () => {
    const made = [];
    for (let count = 0; count < 3; count++) made.push(await folder.json(CREATE, { now: 1000 * count }));
    expect(made.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(new Set(made.map(({ commitment }) => commitment)).size).toBe(3);
    expect((await persons()).map(({ person }) => person)).toEqual(
      made.toReversed().map(({ person }) => person),
    );
  });

  it('adds one person to both trees', async () => {
    await folder.json(CREATE);
    const first = await folder.json([...CREATE, '--secret', 'a', '--tree', 'device']);
    const second = await folder.json([...CREATE, '--secret', 'a', '--tree', 'orb']);
    expect(first).toMatchObject({ tree: 'device', index: 0 });
    expect(second).toMatchObject({ tree: 'orb', index: 1, person: first.person });
    expect(await persons()).toContainEqual(
      expect.objectContaining({ person: first.person, trees: ['orb', 'device'] }),
    );
    const { stdout } = await folder.run('dev person list');
    expect(stdout).toContain(`${first.person}  orb device`);
  });

  it('lists nobody before one is created', async () => {
    expect(await persons()).toEqual([]);
  });

  it.each([
    ['an empty secret', ['--secret', '']],
    ['another tree', ['--tree', 'face']],
  ])('refuses %s as a usage error', async (_, options) => {
    await folder.fails([...CREATE, ...options], 2, 'proofgate: cli.usage: ');
    expect(await persons()).toEqual([]);
  });

  it('never prints the secret', async () => {
    const secret = 'a-secret-that-stands-out';
    for (const options of [[], ['--json'], ['--tree', 'device']]) {
      const { stdout, stderr } = await folder.run([...CREATE, '--secret', secret, ...options]);
      expect(stdout + stderr).not.toContain(secret);
    }
  });

  it('is a command group below dev, with help at each level', async () => {
    const dev = await folder.run('dev --help');
    expect(dev.code).toBe(0);
    expect(dev.stdout).toMatch(/^ {2}person +persons who can make proofs$/m);
    const group = await folder.run('dev person --help');
    expect(group.stdout).toMatch(/^ {2}create \[options\] /m);
    expect(group.stdout).toMatch(/^ {2}list \[options\] /m);
    const missing = await folder.run('dev person');
    expect(missing.code).toBe(2);
    expect(missing.stderr).toContain('proofgate: cli.usage: ');
  });

  it('is refused in production, and writes nothing there', async () => {
    const env = productionEnv(folder.path);
    await folder.run('migrate up', { env });
    for (const argv of [CREATE, ['dev', 'person', 'list']]) {
      const { code, stdout, stderr } = await folder.run(argv, { env });
      expect(code).toBe(1);
      expect(stdout).toBe('');
      expect(stderr).toContain('proofgate: development.only: ');
    }
    expect((await folder.run('roots export', { env })).stdout).toBe('');
  });
});
