import { describe, expect, it } from 'vitest';
import { decodeProof } from '../../src/membership/decode-proof.ts';
import { toHex } from '../../src/semaphore/hex.ts';
import { circuitInput, proofBytes } from '../../src/semaphore/snarkjs-forms.ts';
import { wordOf } from '../../src/semaphore/words.ts';

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
  it('is converted to 256 bytes in the order of EIP-197, which the interface reads as the same words', () => {
    const text = toHex(proofBytes(proof));
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
    ['a coordinate that is not a number', { ...proof, pi_c: [w6, '0x12'] }],
    ['a G2 point without its parts', { ...proof, pi_b: [] }],
  ])('is refused with %s', (_, broken) => {
    expect(() => proofBytes(broken)).toThrow(RangeError);
  });
});

describe('a statement for the circuit', () => {
  it('has the signals of the circuit by name, in decimal', () => {
    const siblings = Array.from({ length: 30 }, (_, level) => wordOf(BigInt(100 + level)));
    const pathIndices = siblings.map((_, level) => (level === 1 ? 1 : 0) as 0 | 1);
    const input = circuitInput({
      identity: { nullifier: wordOf(1n), trapdoor: wordOf(2n) },
      inclusion: { root: wordOf(9n), index: 2, siblings, pathIndices },
      signalHash: wordOf(3n),
      externalNullifier: wordOf(1n << 255n),
    });
    expect(input).toEqual({
      identityNullifier: '1',
      identityTrapdoor: '2',
      treePathIndices: pathIndices.map(String),
      treeSiblings: siblings.map((_, level) => String(100 + level)),
      signalHash: '3',
      externalNullifier: String(1n << 255n),
    });
  });
});
