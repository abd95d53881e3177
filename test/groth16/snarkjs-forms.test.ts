import { describe, expect, it } from 'vitest';
import { proofBytesOf } from '../../src/groth16/proof.ts';
import {
  keyBytesOf,
  keyCoordinatesOf,
  snarkjsProofBytes,
  snarkjsSignalBytes,
  writeSnarkjsNumber,
} from '../../src/groth16/snarkjs-forms.ts';
import { verifyingKeyOf } from '../../src/groth16/verifying-key.ts';
import { be32, R } from '../support/crypto/bn254.ts';
import { circuitStatements, type Statement } from '../support/snarkjs/bases.ts';

const [{ key, proof, signals }] = circuitStatements() as [Statement];
const LARGEST = 2n ** 256n - 1n;

function read(value: unknown): bigint | undefined {
  const word = new Uint8Array(32);
  return writeSnarkjsNumber(value, word) ? BigInt(`0x${Buffer.from(word).toString('hex')}`) : undefined;
}

describe('a number in the forms of snarkjs', () => {
  it.each<[unknown, bigint]>([
    ['0', 0n],
    ['007', 7n],
    ['0x1F', 31n],
    [`0x${'0'.repeat(70)}1`, 1n],
    [`${'0'.repeat(500)}${LARGEST}`, LARGEST],
    [`0x${LARGEST.toString(16)}`, LARGEST],
    [12n, 12n],
    [12, 12n],
    [-0, 0n],
    [2 ** 60, 2n ** 60n],
  ])('%s is read', (value, expected) => {
    expect(read(value)).toBe(expected);
  });

  it.each([
    '',
    ' 1',
    '1 ',
    '+1',
    '-1',
    '1.0',
    '1e3',
    '0x',
    '0X1',
    '0b1',
    'ff',
    '１',
    `${LARGEST + 1n}`,
    `0x${'1'.repeat(65)}`,
    '9'.repeat(1_000_000),
    LARGEST + 1n,
    -1n,
    -1,
    1.5,
    Number.NaN,
    2 ** 256,
    true,
    null,
    undefined,
    {},
    ['1'],
    new Uint8Array(32),
  ])('%s is none', (value) => {
    expect(read(value)).toBeUndefined();
  });
});

describe('a key in the forms of snarkjs', () => {
  it('has the bytes of the plain form', () => {
    const { key: bytes, inputCount } = verifyingKeyOf(key);
    expect(keyBytesOf(keyCoordinatesOf(key))).toEqual({ key: bytes, inputCount });
  });

  it('has an infinite point whatever its first coordinates are', () => {
    const { key: bytes } = keyBytesOf(keyCoordinatesOf({ ...key, IC: [key.IC[0], ['5', '6', '0']] }));
    expect(bytes.subarray(-64)).toEqual(new Uint8Array(64));
  });

  it.each<[string, object, string, string]>([
    ['no curve', { curve: undefined }, 'key.protocol', 'curve: expected "bn128", got undefined'],
    ['another curve', { curve: 'bls12-381' }, 'key.protocol', 'got BLS12381'],
    ['no IC', { IC: undefined }, 'key.not_json', 'IC: expected an array'],
    ['an empty IC', { IC: [] }, 'key.input_count', 'expected 1 to 1025 points, got 0'],
    ['too many inputs', { IC: Array(1026).fill(['0', '1', '0']) }, 'key.input_count', 'got 1026'],
    [
      'an absent coordinate',
      { IC: [key.IC[0], ['1']] },
      'key.not_json',
      'IC[1]: expected a number, got undefined',
    ],
    ['no beta', { vk_beta_2: null }, 'key.not_json', 'vk_beta_2: expected an array of coordinates, got null'],
    ['a text for a pair', { vk_beta_2: ['1', ['1', '2']] }, 'key.not_json', 'vk_beta_2: expected an array'],
    ['a coordinate of words', { IC: [['one', '2', '1']] }, 'key.not_json', 'IC[0]: expected'],
    ['a projective point', { vk_alpha_1: ['1', '2', '3'] }, 'key.not_json', 'vk_alpha_1: expected'],
  ])('is refused with %s', (_, change, code, message) => {
    const decode = (): unknown => keyBytesOf(keyCoordinatesOf({ ...key, ...change }));
    expect(decode).toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) }));
  });
});

describe('a proof in the forms of snarkjs', () => {
  it('has the bytes of the plain form, with or without third coordinates', () => {
    const affine = {
      pi_a: proof.pi_a.slice(0, 2),
      pi_b: proof.pi_b.slice(0, 2),
      pi_c: proof.pi_c.slice(0, 2),
    };
    expect(snarkjsProofBytes(proof)).toEqual(proofBytesOf(proof));
    expect(snarkjsProofBytes(affine)).toEqual(proofBytesOf(proof));
  });

  it('is none with a third coordinate other than 1 or 0, or a coordinate that is no number', () => {
    const [x, y] = proof.pi_a;
    const [bx, by] = proof.pi_b;
    for (const pi_a of [
      [x, y, '2'],
      [x, y, '256'],
      [x, ' 1', '1'],
      [x, true, '1'],
    ])
      expect(snarkjsProofBytes({ ...proof, pi_a })).toBeUndefined();
    for (const third of [
      ['1', '1'],
      ['0', '1'],
      ['2', '0'],
    ])
      expect(snarkjsProofBytes({ ...proof, pi_b: [bx, by, third] })).toBeUndefined();
  });

  it('is an error without a member or a coordinate', () => {
    for (const wrong of [
      null,
      'proof',
      [],
      {},
      { ...proof, pi_b: undefined },
      { ...proof, pi_c: ['1', null, '1'] },
    ])
      expect(() => snarkjsProofBytes(wrong)).toThrow(expect.objectContaining({ code: 'proof.form' }));
  });
});

describe('public signals in the forms of snarkjs', () => {
  it('are words below r', () => {
    expect(snarkjsSignalBytes(signals, signals.length)).toEqual(
      Uint8Array.from(be32(BigInt(signals[0] ?? ''))),
    );
    expect(snarkjsSignalBytes([R - 1n], 1)).toEqual(be32(R - 1n));
    expect(snarkjsSignalBytes([], 0)).toEqual(new Uint8Array(0));
  });

  it.each([[['1', R]], [['1', -1n]], [['1']], [['1', ' 2']], [['1', true]], [[R, null]]])(
    '%s are none of two',
    (list) => {
      expect(snarkjsSignalBytes(list, 2)).toBeUndefined();
    },
  );

  it.each<[unknown, string]>([
    [['1', null], 'input.form'],
    [['1', 'two'], 'input.form'],
    [['1', new Uint8Array(32)], 'input.form'],
    [['1', '2', '3'], 'input.count'],
    [null, 'input.form'],
    ['12', 'input.form'],
    [{ 0: '1', 1: '2', length: 2 }, 'input.form'],
  ])('%s are an error', (list, code) => {
    expect(() => snarkjsSignalBytes(list, 2)).toThrow(expect.objectContaining({ code }));
  });
});
