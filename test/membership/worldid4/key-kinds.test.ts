import { edwards } from '@noble/curves/abstract/edwards.js';
import { describe, expect, it } from 'vitest';
import { isOnBabyJubJub } from '../../../src/credential/public-key.ts';
import { isServiceError } from '../../../src/errors/service-error.ts';
import { checkKeyPoint } from '../../../src/membership/worldid4/key-kinds.ts';
import { SCALAR_ORDER, wordOf } from '../../../src/semaphore/words.ts';
import worldId4 from '../../vectors/worldid4-proofs.json' with { type: 'json' };

const { bad_keys: BAD, trapdoor } = worldId4;
const CODES: Readonly<Record<string, string>> = {
  'not on the curve': 'key.not_on_curve',
  'order 2, outside the subgroup': 'key.wrong_subgroup',
  identity: 'key.identity',
  'x not below r': 'key.range',
};
/** The curve by other code, with the generator of spec/credential.md#babyjubjub. */
const Point = edwards({
  p: SCALAR_ORDER,
  n: 2736030358979909402780800718157159386076813972158567259200215660948447373041n,
  h: 8n,
  a: 168700n,
  d: 168696n,
  Gx: 5299619240641551281634865583518297030282874472190772894086521144482721001553n,
  Gy: 16950150798460657717958625567821834550301663161624707787222815936182638968203n,
});

function codeOf(x: bigint, y: bigint): string | undefined {
  try {
    checkKeyPoint(wordOf(x), wordOf(y));
    return undefined;
  } catch (error) {
    if (isServiceError(error)) return error.code;
    throw error;
  }
}

describe('the check of a World ID 4.0 key', () => {
  it.each(BAD)('refuses a key that is bad because: $why', ({ x, y, why }) => {
    expect(codeOf(BigInt(x), BigInt(y))).toBe(CODES[why] ?? 'no code');
  });

  it('accepts the keys of the vectors', () => {
    const keys = [...trapdoor.setup.issuers, ...trapdoor.setup.oprf_keys];
    expect(keys.map(({ x, y }) => codeOf(BigInt(x), BigInt(y)))).toEqual(keys.map(() => undefined));
  });

  it('accepts multiples of the generator, and none of them once a point of small order is added', () => {
    // (√(1/a), 0) has order 4: a·x² = 1.
    const x = Point.Fp.sqrt(Point.Fp.inv(168700n));
    const small = Point.fromAffine({ x, y: 0n });
    for (const scalar of [1n, 2n, 3n, 2n ** 200n + 12345n]) {
      const good = Point.BASE.multiply(scalar);
      const bad = good.add(small);
      expect(codeOf(good.x, good.y)).toBeUndefined();
      expect(codeOf(bad.x, bad.y)).toBe('key.wrong_subgroup');
      expect(isOnBabyJubJub(bad.x, bad.y)).toBe(true);
      expect(codeOf(good.x, good.y + 1n)).toBe('key.not_on_curve');
    }
    expect(codeOf(small.x, 0n)).toBe('key.wrong_subgroup');
  });

  it('refuses a coordinate that is 0 or not below r', () => {
    const { x, y } = Point.BASE;
    const points: readonly (readonly [bigint, bigint])[] = [
      [0n, 0n] as const,
      [0n, y] as const,
      [x, 0n] as const,
      [x, y + SCALAR_ORDER] as const,
      [SCALAR_ORDER, y] as const,
    ];
    expect(points.map((point) => codeOf(...point))).toEqual(points.map(() => 'key.range'));
  });
});
