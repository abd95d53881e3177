/** The arithmetic of the readers, compared with the plain reference of test/support/crypto, which shares no code. */
import { describe, expect, it } from 'vitest';
import {
  affineReadings,
  affineTwistReadings,
  isInSubgroup,
  isOnCurve,
  isOnTwist,
  type Pair,
  pointAtX,
  twistPointAtX,
} from '../../src/groth16/curve.ts';
import { modulo, P, R } from '../support/crypto/bn254.ts';
import {
  addTwist,
  COFACTOR,
  invert,
  isOnG1,
  isOnTwist as isOnReferenceTwist,
  mul2,
  multiplyTwist,
  smallOrderPoints,
  squareRoot,
  type TwistPoint,
  twistPointAt,
} from '../support/crypto/curve-reference.ts';
import { AMBIGUOUS } from '../support/forms/wrong.ts';

type Finite = Exclude<TwistPoint, undefined>;

const negated = (value: bigint): bigint => modulo(-value, P);
const XS = [...Array.from({ length: 24 }, (_, index) => BigInt(index)), P - 1n, P - 2n, P / 2n, P / 3n];

/** Points of the twist, nearly all of them outside the subgroup. */
const TWIST_POINTS: readonly Finite[] = XS.flatMap((x) => [
  twistPointAt([x, 3n]),
  twistPointAt([x, P - 1n]),
]).filter((point) => point !== undefined);

describe('a point of G1 at an x', () => {
  it.each(XS)('is there if x³ + 3 has a root: %s', (x) => {
    const root = squareRoot(x ** 3n + 3n);
    const [smaller, larger] = [pointAtX(x, false), pointAtX(x, true)];
    if (root === undefined) {
      expect([smaller, larger]).toEqual([undefined, undefined]);
      return;
    }
    const [low, high] = [root, negated(root)].sort((one, other) => (one < other ? -1 : 1));
    expect([smaller, larger]).toEqual([
      { x, y: low },
      { x, y: high },
    ]);
  });

  it('is on the curve with these y only', () => {
    const point = pointAtX(1n, false);
    expect(point).toEqual({ x: 1n, y: 2n });
    for (const y of [1n, 2n, 3n, P - 2n, P - 1n]) expect(isOnCurve({ x: 1n, y })).toBe(isOnG1(1n, y));
    expect(isOnCurve({ x: 0n, y: 0n })).toBe(false);
  });
});

describe('a point of the twist at an x', () => {
  it('is there for half of all x', () => {
    expect(TWIST_POINTS.length).toBeGreaterThan(XS.length / 2);
    expect(TWIST_POINTS.length).toBeLessThan((2 * XS.length * 3) / 4);
    for (const x of XS) {
      for (const c1 of [3n, P - 1n])
        expect(twistPointAtX([x, c1], true) === undefined).toBe(twistPointAt([x, c1]) === undefined);
    }
  });

  it('has the y that is larger by c1, then c0, or the other one', () => {
    for (const { x, y } of TWIST_POINTS) {
      const other: Pair = [negated(y[0]), negated(y[1])];
      const isLarger = y[1] === other[1] ? y[0] > other[0] : y[1] > other[1];
      expect(twistPointAtX(x, isLarger)).toEqual({ x, y });
      expect(twistPointAtX(x, !isLarger)).toEqual({ x, y: other });
    }
  });

  it('has its root also where y² is in the base field, or y is', () => {
    // x³ = a − b of the twist for a in Fp: the imaginary part of y² is 0.
    const found = XS.flatMap((_, index) => {
      const point = multiplyTwist(twistPointAt([BigInt(index), 3n]), COFACTOR);
      return point === undefined ? [] : [point];
    });
    expect(found.length).toBeGreaterThan(5);
    for (const { x, y } of found)
      expect([true, false].map((larger) => twistPointAtX(x, larger)?.y)).toContainEqual(y);
  });

  it('is on the twist, and no longer with another number', () => {
    for (const { x, y } of TWIST_POINTS) {
      expect(isOnTwist({ x, y })).toBe(true);
      for (const other of [
        { x, y: [y[1], y[0]] as const },
        { x: [x[1], x[0]] as const, y },
      ])
        expect(isOnTwist(other)).toBe(isOnReferenceTwist(other.x, other.y));
    }
    expect(isOnTwist({ x: [0n, 0n], y: [0n, 0n] })).toBe(false);
  });
});

describe('the subgroup of G2', () => {
  const inside = TWIST_POINTS.slice(0, 8).map((point) => multiplyTwist(point, COFACTOR) as Finite);

  it('has the multiples of the cofactor', () => {
    for (const point of inside) {
      expect(multiplyTwist(point, R)).toBeUndefined();
      expect(isInSubgroup(point)).toBe(true);
    }
  });

  it('has no other point of the twist', () => {
    for (const point of TWIST_POINTS) expect(isInSubgroup(point)).toBe(multiplyTwist(point, R) === undefined);
    expect(TWIST_POINTS.some(isInSubgroup)).toBe(false);
  });

  it.each(smallOrderPoints())(
    'has no point of order $order, nor its sum with one inside',
    ({ order, point }) => {
      for (const factor of [1n, 2n, order - 1n]) {
        const small = multiplyTwist(point, factor) as Finite;
        expect(isInSubgroup(small)).toBe(false);
        for (const one of inside.slice(0, 3))
          expect(isInSubgroup(addTwist(one, small) as Finite)).toBe(false);
      }
    },
  );
});

describe('the readings of a projective point', () => {
  const point = pointAtX(1n, true) as { x: bigint; y: bigint };

  it.each([2n, 5n, P - 1n, P / 2n])('of G1, for z = %s', (z) => {
    const { x, y } = point;
    expect(affineReadings((x * z) % P, (y * z) % P, z)[0]).toEqual(point);
    expect(affineReadings((x * z ** 2n) % P, (y * z ** 3n) % P, z)[1]).toEqual(point);
    const scale = invert(z);
    expect(affineReadings(x, y, z)).toEqual([
      { x: (x * scale) % P, y: (y * scale) % P },
      { x: (x * scale ** 2n) % P, y: (y * scale ** 3n) % P },
    ]);
  });

  it.each<Pair>([
    [2n, 0n],
    [0n, 1n],
    [5n, 7n],
    [P - 1n, P - 2n],
  ])('of the twist, for z = %s + %s u', (...z) => {
    const { x, y } = TWIST_POINTS[0] as Finite;
    const [z2, z3] = [mul2(z, z), mul2(z, mul2(z, z))];
    expect(affineTwistReadings(mul2(x, z), mul2(y, z), z)[0]).toEqual({ x, y });
    expect(affineTwistReadings(mul2(x, z2), mul2(y, z3), z)[1]).toEqual({ x, y });
  });

  it('can both be points', () => {
    const [x, y, z] = AMBIGUOUS.map(BigInt) as [bigint, bigint, bigint];
    const readings = affineReadings(x, y, z);
    expect(readings.map(isOnCurve)).toEqual([true, true]);
    expect(readings.map(({ x: own, y: other }) => isOnG1(own, other))).toEqual([true, true]);
    expect(readings[0]).not.toEqual(readings[1]);
  });
});
