// Rules: spec/verification.md#key-import
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { convertKey } from '../../../../src/groth16/convert.ts';
import { fingerprint } from '../../../../src/membership/keys/built-in-keys.ts';
import { gnarkKey, linearCase } from '../../../groth16/support/linear.ts';
import { productionEnv, useCliFolder } from '../../support/cli.ts';

interface Key {
  readonly id: string;
  readonly origin: string;
  readonly fingerprint: string;
}

const DEPTH16 = 'd18d57f84c4f8da7e62220e6bb625c1de9a29b986782ab186fd1ea639a3e4c71';
const LINEAR = linearCase(3).key;
const folder = useCliFolder();

function circuit(name: string): string {
  return fileURLToPath(new URL(`../../../../circuits/${name}/verification-key.json`, import.meta.url));
}

async function keys(env: Record<string, string> = {}): Promise<Key[]> {
  const listed = await folder.json<{ keys: Key[] }>('vkey list', { env });
  return listed.keys;
}

async function changedKey(change: (key: Record<string, unknown>) => void): Promise<string> {
  const key = JSON.parse(await readFile(circuit('semaphore-depth16'), 'utf8')) as Record<string, unknown>;
  change(key);
  return JSON.stringify(key);
}

describe('proofgate vkey', () => {
  it('lists the built-in keys with fingerprints', async () => {
    const listed = await keys();
    expect(listed.map((key) => key.id)).toEqual([
      'semaphore-depth16',
      'semaphore-depth20',
      'semaphore-depth30',
      'dev-depth30',
      'worldid4',
      'trapdoor-15',
    ]);
    expect(listed[0]).toEqual({
      id: 'semaphore-depth16',
      origin: 'ceremony',
      depth: 16,
      inputs: 4,
      fingerprint: DEPTH16,
      source: expect.any(String),
      built_in: true,
    });
    const { stdout } = await folder.run('vkey list');
    expect(stdout).toContain(DEPTH16);
  });

  it('imports a key from a file and lists it', async () => {
    const argv = [
      'vkey',
      'import',
      circuit('semaphore-depth16'),
      '--id',
      'my-key',
      '--depth',
      '16',
      '--source',
      'mail',
    ];
    expect(await folder.json(argv)).toEqual({
      id: 'my-key',
      origin: 'imported',
      depth: 16,
      inputs: 4,
      fingerprint: DEPTH16,
      source: 'mail',
      built_in: false,
      form: 'snarkjs',
    });
    expect((await keys()).find((key) => key.id === 'my-key')?.fingerprint).toBe(DEPTH16);
  });

  it.each<[string, unknown]>([
    ['snarkjs', LINEAR],
    ['gnark-json', gnarkKey(LINEAR)],
    ['bytes', `0x${Buffer.from(convertKey(LINEAR, 'bytes')).toString('hex')}\n`],
    ['bytes', Buffer.from(convertKey(LINEAR, 'bytes')).toString('base64')],
    ['bytes', convertKey(LINEAR, 'bytes')],
  ])('imports a key in the form %s, which the result names', async (form, content) => {
    const path = join(folder.path, 'key');
    const isRaw = typeof content === 'string' || content instanceof Uint8Array;
    await writeFile(path, isRaw ? content : JSON.stringify(content));
    const print = fingerprint(convertKey(LINEAR, 'bytes'));
    const { stdout } = await folder.run(['vkey', 'import', path, '--id', 'any']);
    expect(stdout).toBe(`imported any, 3 inputs, form ${form}, fingerprint ${print}\n`);
    expect(await folder.json(['vkey', 'import', path, '--id', 'any'])).toMatchObject({ form });
  });

  it('chooses among the keys of a packed file by --depth', async () => {
    const read = async (name: string): Promise<Record<string, unknown>> =>
      JSON.parse(await readFile(circuit(name), 'utf8')) as Record<string, unknown>;
    const [one, other] = [await read('semaphore-depth16'), await read('semaphore-depth20')];
    const path = join(folder.path, 'packed.json');
    const pack = async (...files: readonly (typeof one)[]): Promise<void> =>
      await writeFile(
        path,
        JSON.stringify({
          ...one,
          vk_delta_2: files.map(({ vk_delta_2 }) => vk_delta_2),
          IC: files.map(({ IC }) => IC),
        }),
      );
    await pack(other, one);
    const argv = ['vkey', 'import', path, '--id', 'packed'];
    await folder.fails(argv, 1, 'key.not_json: vk_delta_2: the file has the keys of the depths 1 to 2');
    await folder.fails([...argv, '--depth', '3'], 1, 'key.not_json: vk_delta_2: the file has the keys');
    expect(await folder.json([...argv, '--depth', '2'])).toMatchObject({
      form: 'semaphore',
      depth: 2,
      fingerprint: DEPTH16,
    });
  });

  it('accepts the same key again and refuses another one with its id', async () => {
    const argv = ['vkey', 'import', circuit('semaphore-depth16'), '--id', 'my-key'];
    await folder.json(argv);
    await folder.json(argv);
    const other = await folder.run(['vkey', 'import', circuit('semaphore-depth20'), '--id', 'my-key']);
    expect(other.code).toBe(1);
    expect(other.stderr).toContain('proofgate: key.conflict: ');
  });

  it.each<[string, (key: Record<string, unknown>) => void, string, string]>([
    ['another curve', (key) => Object.assign(key, { curve: 'bls12381' }), 'key.protocol', 'curve'],
    ['a missing IC point', (key) => (key.IC as unknown[]).pop(), 'key.input_count', 'IC'],
    [
      'a point off its curve',
      (key) => Object.assign(key, { vk_alpha_1: ['1', '3', '1'] }),
      'key.point_not_on_curve',
      'alpha',
    ],
    [
      'a G2 point outside the subgroup',
      (key) =>
        Object.assign(key, {
          vk_delta_2: [
            ['1', '0'],
            [
              String(BigInt('0x2869111d5381f072f8e2728fdb825a51aadd70e52c9830e9ab4b871c0531f1bb')),
              String(BigInt('0x0d1271953ed9ea0836846e70a1934187998c7f790cb4d7511b7f8da82de048a4')),
            ],
            ['1', '0'],
          ],
        }),
      'key.point_not_in_subgroup',
      'delta',
    ],
  ])('refuses a key with %s and stores nothing', async (_, change, code, point) => {
    const stdin = await changedKey(change);
    const result = await folder.run('vkey import - --id bad', { stdin });
    expect(result.code).toBe(1);
    expect(result.stderr).toContain(`proofgate: ${code}: `);
    expect(result.stderr).toContain(point);
    expect((await keys()).map((key) => key.id)).not.toContain('bad');
  });

  it('refuses text that is not a key, a missing file, a depth that is not a number and too large a file', async () => {
    expect((await folder.run('vkey import - --id x', { stdin: 'no key' })).stderr).toContain('key.not_json');
    expect((await folder.run(['vkey', 'import', join(folder.path, 'no'), '--id', 'x'])).code).toBe(2);
    const depth = await folder.run([
      'vkey',
      'import',
      circuit('semaphore-depth16'),
      '--id',
      'x',
      '--depth',
      'deep',
    ]);
    expect(depth.code).toBe(2);
    const large = await folder.run('vkey import - --id x', { stdin: ' '.repeat(4_194_305) });
    expect(large.code).toBe(2);
    expect(large.stderr).toContain('larger than 4194304 bytes');
  });

  it('refuses a forgeable key in production, whatever its id', async () => {
    const env = productionEnv(folder.path);
    await folder.run('migrate up', { env });
    const result = await folder.run(['vkey', 'import', circuit('trapdoor-4'), '--id', 'innocent'], { env });
    expect(result.code).toBe(1);
    expect(result.stderr).toContain('proofgate: key.forbidden: ');
    expect((await keys(env)).map((key) => key.id)).not.toContain('innocent');
  });

  it('lists the known-trapdoor key only in the test profile', async () => {
    expect((await keys({ PROOFGATE_PROFILE: 'test' })).map((key) => key.id)).toContain('trapdoor-4');
  });
});
