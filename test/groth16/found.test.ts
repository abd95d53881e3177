import { describe, expect, it } from 'vitest';
import { bytesOfPoint, PointCollector, pointBytes, wordsOf } from '../../src/groth16/found.ts';
import type { FormError } from '../../src/groth16/layout.ts';
import { bytesOfWords, wordsOfPoints } from '../support/forms/bytes.ts';
import { TRUE_STATEMENT } from '../support/forms/statement.ts';
import { projective, swapped } from '../support/forms/values.ts';
import { AMBIGUOUS } from '../support/forms/wrong.ts';

const CODES = { form: 'proof.form', range: 'proof.coordinate_range' } as const;
const { pi_a: A, pi_b: B } = TRUE_STATEMENT.proof;
const named = (point: number, coordinate?: number, part = 0): string =>
  coordinate === undefined
    ? 'ab'.charAt(point)
    : `${'ab'[point]}[${coordinate}]${point === 1 ? `[${part}]` : ''}`;

function bytesOf(a: unknown, b: unknown, first: 'c0' | 'c1' = 'c0'): Uint8Array {
  const points = new PointCollector('proof.form', named);
  points.g1(a, 'a');
  points.g2(b, 'b', first);
  return pointBytes(points, CODES);
}

const EXPECTED = bytesOfWords(wordsOfPoints([A, B]));

describe('points as found', () => {
  it('are written as the engine takes them', () => {
    expect(bytesOf(A, B)).toEqual(EXPECTED);
    expect(bytesOf(A.slice(0, 2), B.slice(0, 2))).toEqual(EXPECTED);
    expect(bytesOf(A, swapped(B), 'c1')).toEqual(EXPECTED);
    expect(EXPECTED.length).toBe(bytesOfPoint(1) + bytesOfPoint(2));
    expect(wordsOf(EXPECTED)).toEqual(wordsOfPoints([A, B]));
  });

  it.each([2n, 5n, 1n << 200n])('have either convention of a third coordinate: %s', (z) => {
    for (const powers of [
      [1n, 1n],
      [2n, 3n],
    ] as const)
      expect(bytesOf(projective(A, z, powers), projective(B, z, powers))).toEqual(EXPECTED);
  });

  it('are at infinity if the third coordinate is 0, whatever the others are', () => {
    const infinity = bytesOf(['5', '6', '0'], [B[0], B[1], ['0x0', 0]]);
    expect(infinity).toEqual(new Uint8Array(192));
    expect(bytesOf(['0', '0'], B).subarray(0, 64)).toEqual(new Uint8Array(64));
  });

  it('need no point of the curve, nor numbers below p, without a third coordinate', () => {
    const most = String((1n << 256n) - 1n);
    expect(bytesOf([most, most, 1n], B).subarray(0, 64)).toEqual(new Uint8Array(64).fill(255));
  });

  it.each<[string, string, unknown, unknown, string]>([
    ['proof.form', 'a', '12', B, 'array of 2 or 3, got string'],
    ['proof.form', 'a', ['1'], B, 'got 1 elements'],
    ['proof.form', 'b[0]', A, ['1', '2'], 'array of 2, got string'],
    ['proof.form', 'b[1]', A, [B[0], ['1']], 'array of 2, got 1 elements'],
    ['proof.form', 'b[1][0]', A, [B[0], [null, '1']], 'got null'],
    ['proof.form', 'b[1][1]', A, [B[0], ['1', 'x']], 'got "x"'],
    ['proof.form', 'a[2]', ['1', '2', ' 1'], B, 'got " 1"'],
    ['proof.coordinate_range', 'a[1]', ['1', -2, '1'], B, 'from 0'],
    ['proof.form', 'a', ['1', '2', '3'], B, 'neither (x/z, y/z) nor'],
    ['proof.form', 'a', AMBIGUOUS, B, 'ambiguous: both'],
    ['proof.form', 'b', A, [B[0], B[1], ['2', '0']], 'neither'],
    ['proof.coordinate_range', 'a', [String(1n << 255n), '2', '3'], B, 'below p'],
  ])('are refused with %s at %s', (code, path, a, b, message) => {
    expect(() => bytesOf(a, b)).toThrow(
      expect.objectContaining({ code, path, message: expect.stringContaining(message) }),
    );
  });

  it('tell all their faults to who listens', () => {
    const points = new PointCollector('proof.form', named);
    points.g1(['x', 'y'], 'a');
    points.g2([B[0], ['z', '1']], 'b');
    const faults: FormError[] = [];
    const bytes = pointBytes(points, CODES, (fault) => void faults.push(fault));
    expect(faults.map(({ path }) => path)).toEqual(['a[0]', 'b[1][0]']);
    expect(bytes.length).toBe(192);
  });

  it('are read by index: iterators and methods of an array are not asked', () => {
    const lying = Object.assign([...A], { [Symbol.iterator]: () => [][Symbol.iterator](), map: () => [] });
    expect(bytesOf(lying, B)).toEqual(EXPECTED);
  });
});
