import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { convertKey, convertProof } from '../../../../src/groth16/convert.ts';
import { gnarkKey, inArkworks, inGnark, linearCase } from '../../../groth16/support/linear.ts';
import { builtInJson, makeZkey } from '../../../support/crypto/make-zkey.ts';
import { vector } from '../../../verification/support/vectors.ts';
import {
  type CliFolder,
  type CliResult,
  makeEmptyCliFolder,
  productionEnv,
  useCliFolder,
} from '../../support/cli.ts';

const { key, proof, publicSignals } = linearCase(3);
const BYTES = convertProof(proof, 'bytes');
const KEY_BYTES = convertKey(key, 'bytes');
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
/** Without a store: none is needed. */
const folder = useCliFolder({ isShared: true, make: makeEmptyCliFolder });

async function file(name: string, content: unknown): Promise<string> {
  const path = join(folder.path, name);
  const isRaw = typeof content === 'string' || content instanceof Uint8Array;
  await writeFile(path, isRaw ? content : JSON.stringify(content));
  return path;
}

const run: CliFolder['run'] = (argv, input) =>
  folder.run(argv, { ...input, env: { PROOFGATE_ENGINE_WORKERS: '0', ...input?.env } });

/** Runs `proof verify` with three files. */
async function verify(files: readonly [key: unknown, proof: unknown, signals: unknown]): Promise<CliResult> {
  const [keyPath = '', proofPath = '', signalsPath = ''] = await Promise.all(
    files.map((content, index) => file(`input-${index}`, content)),
  );
  return await run(['proof', 'verify', '--key-file', keyPath, proofPath, signalsPath, '--json']);
}

const [a, b, c] = JSON.parse(`[${convertProof(proof, 'solidity')}]`) as unknown[];
describe('proof verify with the three files of snarkjs', () => {
  it('prints valid without a store, and false for other public signals', async () => {
    expect(await verify([key, proof, publicSignals])).toEqual({
      code: 0,
      stdout: '{"n":0,"verdict":"valid"}\n',
      stderr: '',
    });
    const others = await verify([key, proof, publicSignals.toSpliced(0, 1, '7')]);
    expect([others.code, others.stdout]).toEqual([1, '{"n":0,"verdict":"false"}\n']);
  });

  it.each<[string, unknown, string | undefined]>([
    ['snarkjs', JSON.stringify(proof, null, 2), undefined],
    ['hex digits', `0x${hexOf(BYTES)}\n`, undefined],
    ['hex digits without 0x', hexOf(BYTES), undefined],
    ['hex digits in JSON', JSON.stringify(hexOf(BYTES)), undefined],
    ['base64 in lines', Buffer.from(BYTES).toString('base64').replaceAll(/.{76}/g, '$&\r\n'), undefined],
    ['bytes', BYTES, undefined],
    ['a selector and bytes', Buffer.concat([Buffer.from('a1b2c3d4', 'hex'), BYTES]), 'selector-bytes'],
    ['bytes of gnark', inGnark(BYTES), 'gnark-raw'],
    ['bytes of arkworks', inArkworks(BYTES), 'arkworks'],
    ['calldata', convertProof(proof, 'solidity'), 'solidity-calldata'],
    ['calldata with public signals', convertProof(proof, 'solidity', { publicSignals }), 'solidity-calldata'],
    ['arguments of Solidity', { a, b, c }, 'solidity'],
    [
      'eight numbers',
      convertProof(proof, 'solidity').replaceAll(/[[\]]/g, '').replace(/^.*$/, '[$&]'),
      'eight-numbers',
    ],
  ])('reads a proof as %s', async (_name, content, form) => {
    const { stdout, stderr } = await verify([key, content, publicSignals]);
    expect([JSON.parse(stdout), stderr]).toEqual([
      { n: 0, verdict: 'valid', ...(form === undefined ? {} : { form }) },
      '',
    ]);
  });

  it.each<[string, unknown, string | undefined]>([
    ['snarkjs', key, undefined],
    ['gnark', gnarkKey(key), 'gnark-json'],
    ['a zkey', makeZkey(key as never), 'zkey'],
    ['bytes', KEY_BYTES, 'bytes'],
    ['hex digits', `0x${hexOf(KEY_BYTES)}`, 'bytes'],
    ['base64', Buffer.from(KEY_BYTES).toString('base64'), 'bytes'],
  ])('reads a key as %s and names another form than that of snarkjs', async (_name, content, form) => {
    const { code, stdout, stderr } = await verify([content, proof, publicSignals]);
    expect([code, stdout]).toEqual([0, '{"n":0,"verdict":"valid"}\n']);
    expect(stderr).toBe(
      form === undefined ? '' : `${join(folder.path, 'input-0')}: a key in the form ${form}\n`,
    );
  });

  it.each<[string, unknown]>([
    ['hex texts', publicSignals.map((signal) => `0x${BigInt(signal).toString(16)}`)],
    [
      'bytes',
      Buffer.from(
        publicSignals.map((signal) => BigInt(signal).toString(16).padStart(64, '0')).join(''),
        'hex',
      ),
    ],
  ])('reads public signals as %s', async (_name, content) => {
    expect((await verify([key, proof, content])).stdout).toBe('{"n":0,"verdict":"valid"}\n');
  });

  it.each<[string, unknown, unknown, object]>([
    [
      'a member of the proof that is no number',
      { ...proof, pi_a: ['x', '1'] },
      publicSignals,
      {
        verdict: 'proof.form',
        message: expect.stringMatching(/^pi_a\[0\]: expected decimal digits.*got "x"/),
      },
    ],
    [
      'too few public signals',
      proof,
      publicSignals.slice(1),
      { verdict: 'input.count', message: 'expected 3 public signals, got 2' },
    ],
    [
      'other public signals than the proof carries',
      { proof, publicSignals },
      ['1', '2', '3'],
      { verdict: 'input.form', message: 'other public signals came with the proof' },
    ],
    [
      'a file of neither',
      'hello world',
      publicSignals,
      { verdict: 'proof.form', message: expect.any(String) },
    ],
    [
      'the parts of G2 in the order of Solidity',
      { ...proof, pi_b: proof.pi_b.slice(0, 2).map((part) => part.toReversed()) },
      publicSignals,
      {
        verdict: 'proof.point_not_on_curve',
        message: expect.stringMatching(
          /^A point of the proof is not on its curve: B looks like the other order/,
        ),
      },
    ],
  ])('says what is wrong with %s', async (_name, content, signals, expected) => {
    const { code, stdout } = await verify([key, content, signals]);
    expect(JSON.parse(stdout)).toEqual({ n: 0, ...expected });
    expect(code).toBe(1);
  });
});

describe('proof verify --key-file without public signals of their own', () => {
  it.each<[string, string, object]>([
    ['what fullProve returns', JSON.stringify({ proof, publicSignals }, null, 1), {}],
    ['calldata', convertProof(proof, 'solidity', { publicSignals }), { form: 'solidity-calldata' }],
    [
      'calldata in an array',
      `[${convertProof(proof, 'solidity', { publicSignals })}]`,
      { form: 'solidity-calldata' },
    ],
    [
      'eight numbers and public signals',
      JSON.stringify([[...words()], publicSignals]),
      { form: 'eight-numbers' },
    ],
    [
      'ZoKrates',
      JSON.stringify({
        scheme: 'g16',
        curve: 'bn128',
        proof: { a: proof.pi_a.slice(0, 2), b: proof.pi_b.slice(0, 2), c: proof.pi_c.slice(0, 2) },
        inputs: publicSignals,
      }),
      { form: 'zokrates' },
    ],
  ])('reads %s', async (_name, content, form) => {
    const argv = [
      'proof',
      'verify',
      '--key-file',
      await file('key', key),
      await file('proof', content),
      '--json',
    ];
    const { stdout } = await run(argv);
    expect(JSON.parse(stdout)).toEqual({ n: 0, verdict: 'valid', ...form });
  });

  it('reads JSON Lines in any forms', async () => {
    const lines = [
      { proof, publicSignals },
      { proof: hexOf(BYTES), inputs: publicSignals },
      {
        proof: { a, b, c },
        public_signals: publicSignals.map((signal) => `0x${BigInt(signal).toString(16)}`),
      },
      { proof, publicSignals: publicSignals.toSpliced(1, 1, '9') },
      { proof },
    ];
    const stdin = lines.map((line) => JSON.stringify(line)).join('\n');
    const { stdout } = await run(['proof', 'verify', '--key-file', await file('key', key), '-'], { stdin });
    expect(stdout.trimEnd().split('\n')).toEqual([
      'valid',
      'valid',
      'valid',
      'false',
      expect.stringMatching(/^entry.malformed: expected public signals in publicSignals or inputs/),
    ]);
  });

  it('reads a line of calldata for each proof', async () => {
    const text = convertProof(proof, 'solidity', { publicSignals });
    const wrong = convertProof(proof, 'solidity', { publicSignals: publicSignals.toSpliced(1, 1, '9') });
    const argv = ['proof', 'verify', '--key-file', await file('key', key), '-'];
    expect((await run(argv, { stdin: `${text}\n\n${wrong}\n[${text}]\n` })).stdout).toBe(
      'valid\nfalse\nvalid\n',
    );
    const broken = await run(argv, { stdin: `${text}\n[1\n` });
    expect(broken.stderr).toContain('entry.malformed: the file begins with a JSON array that does not parse');
  });

  it('takes a compressed proof of World ID with zeros behind it', async () => {
    const { proof_compressed, ...members } = vector(0);
    const text = `0x${proof_compressed.map((word) => word.slice(2)).join('')}${'0'.repeat(256)}`;
    const keyPath = await file('key', builtInJson('semaphore-depth30'));
    const stdin = JSON.stringify({ ...members, proof: text });
    expect((await run(['proof', 'verify', '--key-file', keyPath, '-'], { stdin })).stdout).toBe('valid\n');
  });

  function words(): string[] {
    return (hexOf(BYTES).match(/.{64}/g) ?? []).map((word) => `0x${word}`);
  }
});

describe('proof verify --key-file refuses', () => {
  const fails = async (argv: readonly string[], code: number, text: string, env = {}): Promise<void> => {
    const { code: found, stderr } = await run(['proof', 'verify', ...argv], { env });
    expect([found, stderr]).toEqual([code, expect.stringContaining(text)]);
  };

  it('a forgeable key', async () => {
    const own = await file('proof', { proof, publicSignals });
    const forgeable = await file('forgeable', { ...key, vk_delta_2: key.vk_gamma_2 });
    await fails(['--key-file', forgeable, own], 1, 'key.forgeable');
    const known = await file('known', builtInJson('dev-depth30'));
    await fails(['--key-file', known, own], 1, 'key.forbidden', productionEnv(folder.path));
  });

  it('a key that cannot be read, with the member that is wrong', async () => {
    const own = await file('proof', { proof, publicSignals });
    await fails(
      ['--key-file', await file('none', '{}'), own],
      1,
      'key.not_json: expected a key with vk_alpha_1',
    );
    await fails(['--key-file', join(folder.path, 'absent'), own], 2, 'cannot be read');
  });

  it('two keys, two files from standard input, and --depth without a file', async () => {
    await fails(
      ['--key', 'semaphore-depth30', '--key-file', 'k', 'p'],
      2,
      'expected --key or --key-file, got both',
    );
    await fails(['--key-file', '-', '-'], 2, 'for one file only');
    await fails(['--key-file', 'k', '-', '-'], 2, 'for one file only');
    await fails(['--key', 'semaphore-depth30', '--depth', '3', 'p'], 2, '--depth: expected with --key-file');
  });
});
