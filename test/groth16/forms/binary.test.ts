import { describe, expect, it } from 'vitest';
import {
  ByteCursor,
  countOf,
  type PointLayout,
  PROOF_CODES,
  readPoint,
} from '../../../src/groth16/forms/binary.ts';
import { be32, P } from '../../support/crypto/bn254.ts';
import { isOnG1 } from '../../support/crypto/curve-reference.ts';
import { join } from '../../support/forms/bytes.ts';

/** Flags as they are: 2 and 3 say the root. */
const PLAIN: PointLayout = {
  isLittleEndian: false,
  flagsOf: (bits) =>
    bits === 1 ? { isInfinity: true, isLarger: false } : { isInfinity: false, isLarger: bits === 3 },
};

describe('a point in bytes', () => {
  it('is x and y, or x and the choice of y', () => {
    expect(readPoint(join(be32(1n), be32(2n)), 1, PLAIN, 'A', PROOF_CODES)).toEqual(join(be32(1n), be32(2n)));
    for (const [flag, y] of [
      [0x80, 2n],
      [0xc0, P - 2n],
    ] as const) {
      const x = be32(1n);
      x[0] = flag;
      expect(readPoint(x, 1, PLAIN, 'A', PROOF_CODES)).toEqual(join(be32(1n), be32(y)));
    }
  });

  it('is not its source, which stays', () => {
    const source = be32(1n);
    source[0] = 0xc0;
    readPoint(source, 1, PLAIN, 'A', PROOF_CODES);
    expect(source).toEqual(Uint8Array.from([0xc0, ...be32(1n).slice(1)]));
  });

  it('is refused out of range, and without a root', () => {
    expect(() => readPoint(be32(P), 1, PLAIN, 'A', PROOF_CODES)).toThrow(
      expect.objectContaining({ code: 'proof.coordinate_range', path: 'A' }),
    );
    const none =
      [3n, 4n, 5n, 6n, 7n].find((x) => ![...Array(400).keys()].some((y) => isOnG1(x, BigInt(y)))) ?? 0n;
    const answers = [none, none + 1n, none + 2n, none + 3n].map((x) => {
      try {
        return readPoint(be32(x), 1, PLAIN, 'A', PROOF_CODES).length;
      } catch (error) {
        return (error as { code: string }).code;
      }
    });
    expect(new Set(answers)).toEqual(new Set([64, 'proof.decompression']));
  });
});

describe('a cursor over bytes', () => {
  it('takes parts in order, fewer at the end', () => {
    const cursor = new ByteCursor(Uint8Array.of(1, 2, 3, 4, 5));
    expect([...cursor.take(2)]).toEqual([1, 2]);
    expect(cursor.left).toBe(3);
    expect([...cursor.take(4)]).toEqual([3, 4, 5]);
  });
});

describe('a count', () => {
  it('is read in either order', () => {
    expect(countOf(Uint8Array.of(0, 0, 1, 2), false)).toBe(258);
    expect(countOf(Uint8Array.of(2, 1, 0, 0, 0, 0, 0, 0), true)).toBe(258);
    expect(countOf(new Uint8Array(8).fill(255), true)).toBe(2 ** 64);
  });
});
