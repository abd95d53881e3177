import { describe, expect, it } from 'vitest';
import { convertKey, convertProof, ProofgateError } from '../../../src/library/index.ts';
import { linearCase } from '../../groth16/support/linear.ts';

const { key, proof, publicSignals } = linearCase(2);

function errorOf(step: () => unknown): ProofgateError {
  try {
    step();
  } catch (error) {
    if (error instanceof ProofgateError) return error;
    throw error;
  }
  throw new Error('expected an error');
}

describe('conversion in the library', () => {
  it('converts keys and proofs', () => {
    const keyBytes: Uint8Array = convertKey(key, 'bytes');
    expect(convertKey(keyBytes, 'snarkjs')).toEqual({ ...key, vk_alphabeta_12: undefined });
    const calldata: string = convertProof(proof, 'solidity', { publicSignals });
    const { proof: pi, publicSignals: signals } = convertProof(calldata, 'snarkjs');
    expect(pi).toEqual(proof);
    expect(signals).toEqual(publicSignals);
  });

  it('throws the errors of the library, with the code and the member', () => {
    expect(errorOf(() => convertKey({ ...key, IC: [] }, 'bytes'))).toMatchObject({
      code: 'key.input_count',
      message: expect.stringContaining('IC: expected 1 to 1025 points'),
    });
    expect(errorOf(() => convertProof({ ...proof, pi_a: ['x', '1'] }, 'bytes'))).toMatchObject({
      code: 'proof.form',
      message: expect.stringContaining('pi_a[0]: expected decimal digits'),
    });
    expect(errorOf(() => convertProof(proof, 'json' as 'bytes')).code).toBe('engine.option');
    const getter = Object.defineProperty({}, 'pi_a', {
      get() {
        throw new Error('no');
      },
    });
    expect(errorOf(() => convertProof(getter, 'bytes')).code).toBe('proof.form');
  });
});
