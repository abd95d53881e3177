import { describe, expect, it } from 'vitest';
import { decompressedProof } from '../../src/groth16/forms/compressed.ts';
import { VECTORS } from '../verification/support/vectors.ts';

const P = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n;

function bytesOf(words: readonly (string | bigint)[]): Uint8Array {
  return Buffer.from(words.map((word) => BigInt(word).toString(16).padStart(64, '0')).join(''), 'hex');
}

function hex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`;
}

describe('a proof in the compressed form of the engine', () => {
  it.each(VECTORS.map(({ proof, proof_compressed }, index) => ({ index, proof, proof_compressed })))(
    'is decompressed, vector $index',
    ({ proof, proof_compressed }) => {
      expect(hex(decompressedProof(bytesOf(proof_compressed)))).toBe(proof);
    },
  );

  const [a = '', b1 = '', b0 = '', c = ''] = VECTORS[0]?.proof_compressed ?? [];

  it('has the negated points if the sign bits change', () => {
    const proof = hex(decompressedProof(bytesOf([a, b1, b0, c]))).slice(2);
    const flipped = hex(
      decompressedProof(bytesOf([BigInt(a) ^ 1n, b1, BigInt(b0) ^ 1n, BigInt(c) ^ 1n])),
    ).slice(2);
    const words = (text: string): bigint[] => (text.match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`));
    const isY = [false, true, false, false, true, true, false, true];
    const negated = words(proof).map((word, index) => (isY[index] ? P - word : word));
    expect(words(flipped)).toEqual(negated);
  });

  it('may have A, B or C at infinity, but not both B and C', () => {
    const zeros = (text: string, from: number, to: number): boolean =>
      /^0*$/.test(text.slice(2 + from, 2 + to));
    expect(zeros(hex(decompressedProof(bytesOf([0n, b1, b0, c]))), 0, 128)).toBe(true);
    expect(zeros(hex(decompressedProof(bytesOf([a, 0n, 0n, c]))), 128, 384)).toBe(true);
    expect(zeros(hex(decompressedProof(bytesOf([a, b1, b0, 0n]))), 384, 512)).toBe(true);
    expect(() => decompressedProof(bytesOf([a, 0n, 0n, 0n]))).toThrow('B and C are the point at infinity');
  });

  it.each([
    ['an x of A without a point', [4n << 1n, b1, b0, c], /^A: no point/],
    ['an x of A of p', [P << 1n, b1, b0, c], /^A: expected an x below p/],
    ['a c1 of B of p', [a, P, b0, c], /^B: expected an x below p/],
    ['another hint', [a, b1, BigInt(b0) ^ 2n, c], /^B: no point/],
    ['another x of B', [a, BigInt(b1) ^ 2n, b0, c], /^B: no point/],
    ['an x of C of p + 1', [a, b1, b0, (P + 1n) << 1n], /^C: expected an x below p/],
  ])('is refused with %s', (_name, words, message) => {
    const fault = expect.objectContaining({
      code: 'proof.decompression',
      message: expect.stringMatching(message),
    });
    let error: unknown;
    try {
      decompressedProof(bytesOf(words));
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toEqual(fault);
  });
});
