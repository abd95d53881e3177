import { describe, expect, it } from 'vitest';
import { proofToHex } from '../../../src/client/wallet/proof-words.ts';
import { decodeProof } from '../../../src/verification/decode-proof.ts';

const words = Array.from({ length: 8 }, (_, index) => String(10n ** 70n + BigInt(index)));
const [w0, w1, w2, w3, w4, w5, w6, w7] = words as [
  string,
  string,
  string,
  string,
  string,
  string,
  string,
  string,
];
const proof = {
  pi_a: [w0, w1, '1'],
  pi_b: [
    [w3, w2],
    [w5, w4],
    ['1', '0'],
  ],
  pi_c: [w6, w7, '1'],
};

describe('a proof of snarkjs', () => {
  it('becomes 512 hex digits in the order of EIP-197, which the interface reads as the same words', () => {
    const text = proofToHex(proof);
    expect(text).toMatch(/^0x[0-9a-f]{512}$/);
    const bytes = decodeProof(text);
    const read = words.map((_, index) =>
      String(BigInt(`0x${Buffer.from(bytes?.subarray(index * 32, index * 32 + 32) ?? []).toString('hex')}`)),
    );
    expect(read).toEqual(words);
  });

  it.each([
    ['a missing coordinate', { ...proof, pi_a: [w0] }],
    ['a coordinate over 256 bits', { ...proof, pi_c: [w6, String(1n << 256n)] }],
    ['a coordinate that is no number', { ...proof, pi_c: [w6, '0x12'] }],
    ['a G2 point without its parts', { ...proof, pi_b: [] }],
  ])('is refused with %s', (_, broken) => {
    expect(() => proofToHex(broken)).toThrow(RangeError);
  });
});
