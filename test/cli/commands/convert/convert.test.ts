import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { groth16 } from 'snarkjs';
import { describe, expect, it } from 'vitest';
import { convertKey, convertProof } from '../../../../src/groth16/convert.ts';
import { inArkworks, inGnark, linearCase } from '../../../groth16/support/linear.ts';
import { builtInJson, makeZkey } from '../../../support/crypto/make-zkey.ts';
import { vector } from '../../../verification/support/vectors.ts';
import { useCliFolder } from '../../support/cli.ts';

const { key, proof, publicSignals } = linearCase(3);
const BYTES = convertProof(proof, 'bytes');
const folder = useCliFolder({ isShared: true });

/** Writes a file and returns its path. */
async function file(name: string, content: unknown): Promise<string> {
  const path = join(folder.path, name);
  const isRaw = typeof content === 'string' || content instanceof Uint8Array;
  await writeFile(path, isRaw ? content : JSON.stringify(content));
  return path;
}

const hexOf = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`;

describe('proofgate convert of a proof', () => {
  it.each<[string, unknown]>([
    ['snarkjs', proof],
    ['solidity-calldata', convertProof(proof, 'solidity')],
    ['bytes', hexOf(BYTES)],
    ['gnark-raw', inGnark(BYTES)],
    ['arkworks', inArkworks(BYTES)],
  ])('prints proof.json for a proof in the form %s, and names the form', async (form, content) => {
    const path = await file('any', content);
    const { code, stdout, stderr } = await folder.run(['convert', path, '--to', 'snarkjs']);
    expect(stderr).toBe(`${path}: a proof in the form ${form}\n`);
    expect(JSON.parse(stdout)).toEqual(proof);
    expect(stdout).toContain('\n "pi_a": [\n');
    expect(code).toBe(0);
  });

  it('prints what snarkjs prints for Solidity, and what fullProve returns, with public signals', async () => {
    const argv = ['convert', await file('proof', proof), '--public', await file('public', publicSignals)];
    const calldata = await folder.run([...argv, '--to', 'solidity']);
    expect(calldata.stdout).toBe(`${await groth16.exportSolidityCallData(proof, publicSignals)}\n`);
    expect(calldata.stderr).toContain(': a proof in the form snarkjs, 3 public signals\n');
    const full = await folder.run([...argv, '--to', 'snarkjs']);
    expect(JSON.parse(full.stdout)).toEqual({ proof, publicSignals });
    expect(await folder.json([...argv, '--to', 'snarkjs'])).toEqual({
      kind: 'proof',
      form: 'snarkjs',
      to: 'snarkjs',
      result: { proof, publicSignals },
    });
  });

  it('prints the bytes as hex digits, of a compressed proof decompressed', async () => {
    const { proof: text, proof_compressed } = vector(0);
    const content = `0x${proof_compressed.map((word) => word.slice(2)).join('')}`;
    const argv = ['convert', await file('compressed', content), '--to', 'bytes'];
    expect((await folder.run(argv)).stdout).toBe(`${text}\n`);
  });

  it('reads a proof from standard input', async () => {
    const { stdout } = await folder.run('convert - --to bytes', { stdin: JSON.stringify(proof) });
    expect(stdout).toBe(`${hexOf(BYTES)}\n`);
  });
});

describe('proofgate convert of a key', () => {
  it.each<[string, unknown]>([
    ['snarkjs', key],
    ['bytes', hexOf(convertKey(key, 'bytes'))],
    ['zkey', makeZkey(key as never)],
  ])('prints verification_key.json for a key in the form %s, which snarkjs takes', async (form, content) => {
    const path = await file('key', content);
    const { stdout, stderr } = await folder.run(['convert', path, '--to', 'snarkjs']);
    expect(stderr).toBe(`${path}: a key in the form ${form}, 3 public inputs\n`);
    expect(await groth16.verify(JSON.parse(stdout), publicSignals, proof)).toBe(true);
  });

  it('prints the points for Solidity and the bytes', async () => {
    const path = await file('key', key);
    const { stdout } = await folder.run(['convert', path, '--to', 'solidity']);
    expect(JSON.parse(stdout)).toEqual(convertKey(key, 'solidity'));
    expect(await folder.json(['convert', path, '--to', 'bytes'])).toEqual({
      kind: 'key',
      form: 'snarkjs',
      to: 'bytes',
      result: hexOf(convertKey(key, 'bytes')),
    });
  });

  it('chooses among the keys of a packed file by --depth', async () => {
    const one = builtInJson('semaphore-depth16');
    const packed = { ...one, vk_delta_2: [one.vk_delta_2, one.vk_delta_2], IC: [one.IC, one.IC] };
    const path = await file('packed', packed);
    await folder.fails(['convert', path, '--to', 'bytes'], 1, 'the file has the keys of the depths 1 to 2');
    const { stdout, stderr } = await folder.run(['convert', path, '--to', 'bytes', '--depth', '2']);
    expect(stderr).toContain('a key in the form semaphore, 4 public inputs');
    expect(stdout).toBe(`${hexOf(convertKey(one, 'bytes'))}\n`);
  });
});

describe('proofgate convert refuses', () => {
  it('a file that is neither, with both faults', async () => {
    const path = await file('neither', new Uint8Array(100).fill(0xee));
    const fault = /proof\.length: neither a proof \(.*got 100\) nor a key \(.*got 100 bytes\)/;
    await folder.fails(['convert', path, '--to', 'bytes'], 1, fault);
  });

  it('a key with a wrong point, by its name', async () => {
    const path = await file('wrong', { ...key, vk_alpha_1: ['1', '3', '1'] });
    await folder.fails(['convert', path, '--to', 'bytes'], 1, 'key.point_not_on_curve: vk_alpha_1');
  });

  it('--public without a place for them, or beside a key', async () => {
    const [own, signals] = [await file('proof', proof), await file('public', publicSignals)];
    const bytes = ['convert', own, '--to', 'bytes', '--public', signals];
    await folder.fails(bytes, 2, '--public: --to bytes has no place for public signals');
    const ofKey = ['convert', await file('key', key), '--to', 'snarkjs', '--public', signals];
    await folder.fails(ofKey, 2, '--public: expected a proof');
    await folder.fails('convert - --to snarkjs --public -', 2, 'for one file only');
    await folder.fails(['convert', own], 2, '--to');
    await folder.fails(['convert', join(folder.path, 'absent'), '--to', 'bytes'], 2, 'cannot be read');
  });
});
