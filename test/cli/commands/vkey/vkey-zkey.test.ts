import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { CIRCUIT_SKIP, developmentCircuit } from '../../../support/crypto/development-circuit.ts';
import { builtInJson, makeZkey, type SnarkjsKey } from '../../../support/crypto/make-zkey.ts';
import { type CliResult, productionEnv, useCliFolder } from '../../support/cli.ts';

const DEPTH16 = 'd18d57f84c4f8da7e62220e6bb625c1de9a29b986782ab186fd1ea639a3e4c71';
const DEV_DEPTH30 = 'c0fd9a6487efb4573a6b6c628efb688c2f191bc13d76f24e4e0a39bf995df8e6';
/** A point on the twist that is not of order r; c0, c1. */
const OUTSIDE = [
  ['1', '0'],
  [
    BigInt('0x2869111d5381f072f8e2728fdb825a51aadd70e52c9830e9ab4b871c0531f1bb').toString(),
    BigInt('0x0d1271953ed9ea0836846e70a1934187998c7f790cb4d7511b7f8da82de048a4').toString(),
  ],
  ['1', '0'],
];
const key: SnarkjsKey = builtInJson('semaphore-depth16');
const folder = useCliFolder();

async function ids(env: Record<string, string> = {}): Promise<string[]> {
  const { keys } = await folder.json<{ keys: { id: string }[] }>('vkey list', { env });
  return keys.map(({ id }) => id);
}

async function importFile(bytes: Uint8Array, env: Record<string, string> = {}): Promise<CliResult> {
  const path = join(folder.path, 'given.json');
  await writeFile(path, bytes);
  return await folder.run(['vkey', 'import', path, '--id', 'given'], { env });
}

async function* zkeyOf(bytes: number): AsyncGenerator<Buffer> {
  yield Buffer.from('zk');
  yield Buffer.from('ey');
  const chunk = Buffer.alloc(2 ** 20);
  for (let sent = 4; sent < bytes; sent += chunk.length) yield chunk;
}

describe('proofgate vkey import of a zkey', () => {
  it('imports its verifying key, whatever the name of the file, with the same fingerprint as the JSON', async () => {
    const path = join(folder.path, 'key.json');
    await writeFile(path, makeZkey(key));
    const imported = await folder.json(['vkey', 'import', path, '--id', 'own', '--depth', '16']);
    expect(imported).toMatchObject({
      id: 'own',
      origin: 'imported',
      depth: 16,
      inputs: 4,
      fingerprint: DEPTH16,
    });
    const json = await folder.run('vkey import - --id own', { stdin: JSON.stringify(key) });
    expect(json.code).toBe(0);
    expect(json.stdout).toContain(DEPTH16);
  });

  it('reads it from standard input in pieces of any size', async () => {
    const bytes = makeZkey(key);
    const stdin = Readable.from([bytes.subarray(0, 1), bytes.subarray(1, 3), bytes.subarray(3)]);
    const result = await folder.run('vkey import - --id own', { stdin });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(await ids()).toContain('own');
  });

  it('refuses more than 64 MiB from standard input, and says that a file may be larger', async () => {
    const stdin = Readable.from(zkeyOf(65 * 2 ** 20));
    const result = await folder.run('vkey import - --id own', { stdin });
    expect(result.code).toBe(2);
    expect(result.stderr).toContain('- is larger than 67108864 bytes; name the zkey as a file');
  });

  it.each<[string, SnarkjsKey, string, string]>([
    ['α off its curve', { ...key, vk_alpha_1: ['1', '3', '1'] }, 'key.point_not_on_curve', 'alpha'],
    [
      'an IC point off its curve',
      { ...key, IC: [...key.IC.slice(0, 4), ['1', '3', '1']] },
      'key.point_not_on_curve',
      'IC[4]',
    ],
    ['δ outside the subgroup', { ...key, vk_delta_2: OUTSIDE }, 'key.point_not_in_subgroup', 'delta'],
    ['β at infinity', { ...key, vk_beta_2: [['0'], ['1'], ['0']] }, 'key.point_at_infinity', 'beta'],
  ])('refuses a zkey with %s, names the point and stores nothing', async (_, changed, code, point) => {
    const result = await importFile(makeZkey(changed));
    expect(result.code).toBe(1);
    expect(result.stderr).toContain(`proofgate: ${code}: `);
    expect(result.stderr).toContain(point);
    expect(await ids()).not.toContain('given');
  });

  it('refuses a truncated zkey', async () => {
    const bytes = makeZkey(key);
    const result = await importFile(bytes.subarray(0, bytes.length - 1));
    expect(result.code).toBe(1);
    expect(result.stderr).toContain('proofgate: key.not_zkey: zkey: section 4 has 40 bytes, but 39 are left');
    expect(await ids()).not.toContain('given');
  });

  it('refuses the development key in production, from a zkey too', async () => {
    const env = productionEnv(folder.path);
    await folder.run('migrate up', { env });
    const result = await importFile(makeZkey(builtInJson('dev-depth30')), env);
    expect(result.code).toBe(1);
    expect(result.stderr).toContain('proofgate: key.forbidden: given: this is the key dev-depth30');
    expect(await ids(env)).not.toContain('given');
    expect((await importFile(makeZkey(key), env)).code).toBe(0);
  });

  it.skipIf(developmentCircuit === undefined)(
    `recognizes the proving key of the setup as dev-depth30${CIRCUIT_SKIP}`,
    async () => {
      const path = developmentCircuit?.provingKey ?? '';
      const imported = await folder.json(['vkey', 'import', path, '--id', 'built', '--depth', '30']);
      expect(imported).toMatchObject({ inputs: 4, fingerprint: DEV_DEPTH30 });
      const env = productionEnv(folder.path);
      const refused = await folder.run(['vkey', 'import', path, '--id', 'innocent'], { env });
      expect(refused.stderr).toContain('key.forbidden');
    },
  );
});
