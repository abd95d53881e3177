import { describe, expect, it } from 'vitest';
import { looksSwapped, suspicionOf, swappedProof } from '../../src/groth16/suspicion.ts';
import { P, wordsOf } from '../support/crypto/bn254.ts';
import { bytesOfWords } from '../support/forms/bytes.ts';
import { proofBytes, proofWords } from '../support/forms/proofs.ts';
import { TRUE_STATEMENT } from '../support/forms/statement.ts';

const BYTES = proofBytes(TRUE_STATEMENT.proof);
const [ax, ay, x1, x0, y1, y0, cx, cy] = proofWords(TRUE_STATEMENT.proof) as [
  bigint,
  bigint,
  bigint,
  bigint,
  bigint,
  bigint,
  bigint,
  bigint,
];
const SWAPPED = bytesOfWords([ax, ay, x0, x1, y0, y1, cx, cy]);

describe('the other order of the parts of G2', () => {
  it('is suspected if B is a point then only', () => {
    expect(looksSwapped([x0, x1, y0, y1])).toBe(true);
    expect(looksSwapped([x1, x0, y1, y0])).toBe(false);
    expect(looksSwapped([x0, x1, y0, y1 + P])).toBe(false);
    expect(looksSwapped([ax, ay])).toBe(false);
    expect(swappedProof(SWAPPED)).toEqual(BYTES);
    expect(swappedProof(BYTES)).toBeUndefined();
    for (const words of [
      [ax, ay, x0, x1, y0, 1n, cx, cy],
      [ax, ay, x0, x1, y0, P + y1, cx, cy],
      Array<bigint>(8).fill(0n),
    ])
      expect(swappedProof(bytesOfWords(words))).toBeUndefined();
    expect(wordsOf(SWAPPED)[2]).toBe(x0);
  });

  it('is said of a proof with a point outside its curve', () => {
    expect(suspicionOf('proof.point_not_on_curve', SWAPPED)).toMatch(/B looks like the other order/);
    expect(suspicionOf('proof.point_not_on_curve', BYTES)).toBe('');
    expect(suspicionOf('proof.false', SWAPPED)).toBe('');
  });
});
