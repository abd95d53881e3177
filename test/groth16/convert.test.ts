import { groth16 } from 'snarkjs';
import { describe, expect, it } from 'vitest';
import { convertKey, convertProof, readKeyOrProof } from '../../src/groth16/convert.ts';
import { readKey } from '../../src/groth16/key.ts';
import { FormError } from '../../src/groth16/layout.ts';
import { readProof } from '../../src/groth16/proof.ts';
import { builtInJson } from '../support/crypto/make-zkey.ts';
import { vector } from '../verification/support/vectors.ts';
import { inArkworks, inGnark, linearCase } from './support/linear.ts';

const { key, proof, publicSignals } = linearCase(3);
const R = 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001n;

function faultOf(step: () => unknown): FormError {
  try {
    step();
  } catch (error) {
    if (error instanceof FormError) return error;
    throw error;
  }
  throw new Error('expected a refusal');
}

function calldata(): unknown[] {
  return JSON.parse(`[${convertProof(proof, 'solidity', { publicSignals })}]`) as unknown[];
}

describe('convertProof', () => {
  const bytes = convertProof(proof, 'bytes');
  const [a, b, c] = calldata();
  const { proof: compressed256, proof_compressed } = vector(0);

  it.each<[string, unknown]>([
    ['snarkjs', proof],
    ['the text of a file', JSON.stringify(proof)],
    ['bytes', bytes],
    ['hex digits', Buffer.from(bytes).toString('hex')],
    ['calldata of Solidity', convertProof(proof, 'solidity')],
    ['an object of Solidity', { a, b, c }],
    ['gnark', inGnark(bytes)],
    ['arkworks', inArkworks(bytes)],
  ])('from %s to each form is the same', (_name, source) => {
    expect(convertProof(source, 'snarkjs')).toEqual({ proof });
    expect(convertProof(source, 'bytes')).toEqual(bytes);
    expect(convertProof(source, 'solidity', { publicSignals })).toBe(
      convertProof(proof, 'solidity', { publicSignals }),
    );
  });

  it('to Solidity prints what snarkjs prints', async () => {
    expect(convertProof(proof, 'solidity', { publicSignals })).toBe(
      await groth16.exportSolidityCallData(proof, publicSignals),
    );
    const small = ['0', '1', '255'];
    expect(convertProof(proof, 'solidity', { publicSignals: small })).toBe(
      await groth16.exportSolidityCallData(proof, small),
    );
  });

  it('without public signals leaves out the last argument', () => {
    expect(calldata()).toHaveLength(4);
    expect(JSON.parse(`[${convertProof(proof, 'solidity')}]`)).toEqual([a, b, c]);
  });

  it('decompresses the form of the engine', () => {
    const source = `0x${proof_compressed.map((word) => word.slice(2)).join('')}`;
    expect(`0x${Buffer.from(convertProof(source, 'bytes')).toString('hex')}`).toBe(compressed256);
  });

  it.each<[string, unknown]>([
    ['hex texts', publicSignals.map((signal) => `0x${BigInt(signal).toString(16)}`)],
    ['the text of a file', JSON.stringify(publicSignals)],
    ['bytes', convertedSignals(publicSignals)],
  ])('has the public signals in decimal, from %s', (_name, signals) => {
    const converted = convertProof(proof, 'snarkjs', { publicSignals: signals as string });
    expect(converted).toEqual({ proof, publicSignals });
  });

  it('takes the public signals that a proof carries, and refuses others beside them', () => {
    const source = { proof, inputs: publicSignals };
    expect(convertProof(source, 'snarkjs')).toEqual({ proof, publicSignals });
    expect(convertProof(source, 'snarkjs', { publicSignals })).toEqual({ proof, publicSignals });
    const others = publicSignals.toSpliced(0, 1, '7');
    expect(faultOf(() => convertProof(source, 'bytes', { publicSignals: others })).code).toBe('input.form');
  });

  it('keeps a point at infinity', () => {
    const infinite = { ...proof, pi_a: ['0', '1', '0'] };
    expect(convertProof(infinite, 'snarkjs').proof).toEqual(infinite);
    expect(convertProof(infinite, 'bytes').subarray(0, 64)).toEqual(new Uint8Array(64));
  });

  it.each<[string, object, string, RegExp]>([
    ['a point off its curve', { pi_a: ['1', '3', '1'] }, 'proof.point_not_on_curve', /^A: not a point/],
    [
      'a coordinate of p or more',
      { pi_c: [`0x${'f'.repeat(64)}`, '2'] },
      'proof.coordinate_range',
      /below p/,
    ],
    ['another curve', { curve: 'bls12381' }, 'proof.form', /curve: expected "bn128"/],
  ])('refuses %s', (_name, change, code, message) => {
    expect(faultOf(() => convertProof({ ...proof, ...change }, 'bytes'))).toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });

  it('refuses public signals that are not below r', () => {
    const fault = faultOf(() => convertProof(proof, 'snarkjs', { publicSignals: ['1', R] }));
    expect(fault).toMatchObject({ code: 'input.range', path: 'publicSignals[1]' });
  });
});

function convertedSignals(signals: readonly string[]): Uint8Array {
  const words = signals.map((signal) => BigInt(signal).toString(16).padStart(64, '0'));
  return Buffer.from(words.join(''), 'hex');
}

describe('convertKey', () => {
  it('to snarkjs is a key that snarkjs verifies with', async () => {
    const converted = convertKey(convertKey(key, 'bytes'), 'snarkjs');
    expect(converted).toEqual({ ...key, vk_alphabeta_12: undefined });
    expect(await groth16.verify(converted, publicSignals, proof)).toBe(true);
    expect(await groth16.verify(converted, publicSignals.toSpliced(0, 1, '7'), proof)).toBe(false);
  });

  it('to Solidity has c1 before c0', () => {
    const converted = convertKey(key, 'solidity');
    const [[c0 = '', c1 = ''] = []] = key.vk_beta_2;
    expect(converted.beta[0].map(String)).toEqual(
      [c1, c0].map((text) => `0x${BigInt(text).toString(16).padStart(64, '0')}`),
    );
    expect(converted.IC).toHaveLength(4);
    expect(BigInt(converted.IC[3]?.[1] ?? 0)).toBe(BigInt(key.IC[3]?.[1] ?? 0));
    expect(Object.keys(converted)).toEqual(['alpha', 'beta', 'gamma', 'delta', 'IC']);
  });

  it('to bytes is what the reader reads', () => {
    expect(convertKey(JSON.stringify(key), 'bytes')).toEqual(readKey(key).key);
  });

  it('chooses among the keys of a packed file by depth', () => {
    const keys = ['semaphore-depth16', 'semaphore-depth20'].map((name) => ({ ...builtInJson(name) }));
    const packed = {
      ...keys[0],
      vk_delta_2: keys.map(({ vk_delta_2 }) => vk_delta_2),
      IC: keys.map(({ IC }) => IC),
    };
    expect(convertKey(packed, 'bytes', { depth: 2 })).toEqual(
      readKey({ ...keys[0], vk_delta_2: keys[1]?.vk_delta_2, IC: keys[1]?.IC }).key,
    );
    expect(faultOf(() => convertKey(packed, 'bytes')).message).toContain('depths 1 to 2');
  });
});

describe('readKeyOrProof', () => {
  it.each<[string, unknown, 'key' | 'proof', string]>([
    ['a key of snarkjs', key, 'key', 'snarkjs'],
    ['the bytes of a key', convertKey(key, 'bytes'), 'key', 'bytes'],
    ['a proof of snarkjs', proof, 'proof', 'snarkjs'],
    ['the bytes of a proof', convertProof(proof, 'bytes'), 'proof', 'bytes'],
    ['the bytes of a proof of gnark', inGnark(convertProof(proof, 'bytes')), 'proof', 'gnark-raw'],
    ['calldata', convertProof(proof, 'solidity'), 'proof', 'solidity-calldata'],
  ])('tells %s', (_name, source, kind, form) => {
    const found = readKeyOrProof(source);
    expect([found.kind, found.kind === 'key' ? found.key.form : found.proof.form]).toEqual([kind, form]);
  });

  it('reports the faults of a key that has the members of one', () => {
    const fault = faultOf(() => readKeyOrProof({ ...key, vk_alpha_1: ['1', '3', '1'] }));
    expect(fault).toMatchObject({ code: 'key.point_not_on_curve', path: 'vk_alpha_1' });
  });

  it('reports both faults of what can be neither', () => {
    const { message, code } = faultOf(() => readKeyOrProof(new Uint8Array(100).fill(0xee)));
    expect(code).toBe('proof.length');
    expect(message).toMatch(
      /^neither a proof \(expected 256 or 128 bytes.*got 100\) nor a key \(expected 448 bytes/,
    );
  });

  it('reports a value that is wrong in a proof alone', () => {
    const fault = faultOf(() => readKeyOrProof({ ...proof, pi_a: ['1', '3', '1'] }));
    expect(fault.message).toBe('A: not a point of its curve');
  });

  it('reads the same as the reader of proofs', () => {
    const found = readKeyOrProof(proof, { publicSignals });
    if (found.kind !== 'proof') throw new Error('expected a proof');
    expect(found.proof.bytes).toEqual(readProof(proof).bytes);
    expect(found.proof.signals).toEqual(new Uint8Array(convertedSignals(publicSignals)));
  });
});
