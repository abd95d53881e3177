import { numberOf, SCALAR_ORDER, wordOf } from '../semaphore/words.ts';

// a·x² + y² = 1 + d·x²·y² over the scalar field of BN254 (spec/credential.md#babyjubjub); test: key-kinds.test.ts
const A = 168_700n;
const D = 168_696n;
/** Order of the prime subgroup, an eighth of the number of points; test: key-kinds.test.ts. */
const SUBGROUP_ORDER = 2736030358979909402780800718157159386076813972158567259200215660948447373041n;

/** A point (X/Z, Y/Z). */
type Projective = readonly [x: bigint, y: bigint, z: bigint];

const IDENTITY: Projective = [0n, 1n, 1n];

/** Whether the point (x, y) is on BabyJubJub. */
export function isOnBabyJubJub(x: bigint, y: bigint): boolean {
  const [xx, yy] = [mod(x * x), mod(y * y)];
  return mod(A * xx + yy - 1n - D * xx * yy) === 0n;
}

/** Whether a point of the curve is in the prime subgroup, which includes the identity. Takes a few milliseconds. */
export function isInPrimeSubgroup(x: bigint, y: bigint): boolean {
  let sum = IDENTITY;
  let power: Projective = [x, y, 1n];
  for (let rest = SUBGROUP_ORDER; rest > 0n; rest >>= 1n) {
    if (rest & 1n) sum = add(sum, power);
    power = add(power, power);
  }
  return sum[0] === 0n && sum[1] === sum[2];
}

/**
 * Adds points by the unified law, which is complete because a is a square and d is not.
 *
 * @see Bernstein et al. 2008, https://eprint.iacr.org/2008/013, section 6
 */
function add([x1, y1, z1]: Projective, [x2, y2, z2]: Projective): Projective {
  const z = mod(z1 * z2);
  const zz = mod(z * z);
  const [xx, yy] = [mod(x1 * x2), mod(y1 * y2)];
  const product = mod(D * xx * yy);
  const [less, more] = [zz - product, zz + product];
  const cross = (x1 + y1) * (x2 + y2) - xx - yy;
  return [mod(mod(z * less) * mod(cross)), mod(mod(z * more) * (yy - A * xx)), mod(less * more)];
}

function mod(value: bigint): bigint {
  const rest = value % SCALAR_ORDER;
  return rest < 0n ? rest + SCALAR_ORDER : rest;
}

const DECIMAL = /^(?:0|[1-9][0-9]{0,76})$/;

/**
 * Parses a coordinate as written in credentials: decimal, no leading zero, below r; returns undefined for any
 * other text.
 */
export function parseCoordinate(text: string): Uint8Array | undefined {
  if (!DECIMAL.test(text)) return undefined;
  const value = BigInt(text);
  return value < SCALAR_ORDER ? wordOf(value) : undefined;
}

/**
 * Compresses a public key to 32 bytes: y little-endian, with bit 0x80 of the last byte set if x is in the upper half.
 *
 * @returns Undefined if the point is not on the curve: the bytes would then be those of another key. The engine checks
 *   that it is in the prime subgroup and not the identity.
 */
export function compressKey(x: Uint8Array, y: Uint8Array): Uint8Array | undefined {
  if (!isOnBabyJubJub(numberOf(x), numberOf(y))) return undefined;
  const bytes = Uint8Array.from(y).reverse();
  if (numberOf(x) > (SCALAR_ORDER - 1n) / 2n) bytes[31] = (bytes[31] ?? 0) | 0x80;
  return bytes;
}
