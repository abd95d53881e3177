import { inverse, modulo, P, type ProofWords, R } from './bn254.ts';
/**
 * A plain BigInt reference for points and proof forms of BN254 (spec/verification.md#encodings and
 * spec/verification.md#soundness), written for clarity: slow, and sharing no code with the product.
 */

export type Fp2 = readonly [bigint, bigint];
/** Affine point of the twist, undefined at infinity. */
export type TwistPoint = { readonly x: Fp2; readonly y: Fp2 } | undefined;

const mod = (value: bigint): bigint => modulo(value, P);

export function power(base: bigint, exponent: bigint): bigint {
  let [result, square] = [1n, mod(base)];
  for (let e = exponent; e > 0n; e >>= 1n) {
    if (e & 1n) result = (result * square) % P;
    square = (square * square) % P;
  }
  return result;
}

/** The inverse modulo p; that of 0 is 0. */
export const invert = (value: bigint): bigint => inverse(value, P);
const add2 = (a: Fp2, b: Fp2): Fp2 => [mod(a[0] + b[0]), mod(a[1] + b[1])];
const sub2 = (a: Fp2, b: Fp2): Fp2 => [mod(a[0] - b[0]), mod(a[1] - b[1])];
export const mul2 = (a: Fp2, b: Fp2): Fp2 => [mod(a[0] * b[0] - a[1] * b[1]), mod(a[0] * b[1] + a[1] * b[0])];
const inv2 = (a: Fp2): Fp2 => {
  const norm = invert(a[0] * a[0] + a[1] * a[1]);
  return [mod(a[0] * norm), mod(-a[1] * norm)];
};
const equal2 = (a: Fp2, b: Fp2): boolean => a[0] === b[0] && a[1] === b[1];
/** 3 / (9 + u). */
export const TWIST_B: Fp2 = mul2([3n, 0n], inv2([9n, 1n]));

/** The square root by the exponent (p+1)/4, or undefined if there is none. */
export function squareRoot(value: bigint): bigint | undefined {
  const root = power(value, (P + 1n) / 4n);
  return (root * root) % P === mod(value) ? root : undefined;
}

export const isOnG1 = (x: bigint, y: bigint): boolean => mod(y * y - x * x * x - 3n) === 0n;
export const isOnTwist = (x: Fp2, y: Fp2): boolean => equal2(mul2(y, y), add2(mul2(x, mul2(x, x)), TWIST_B));

export function addTwist(p: TwistPoint, q: TwistPoint): TwistPoint {
  if (!p) return q;
  if (!q) return p;
  let slope: Fp2;
  if (equal2(p.x, q.x)) {
    if (!equal2(p.y, q.y)) return undefined;
    slope = mul2(mul2([3n, 0n], mul2(p.x, p.x)), inv2(add2(p.y, p.y)));
  } else {
    slope = mul2(sub2(q.y, p.y), inv2(sub2(q.x, p.x)));
  }
  const x = sub2(sub2(mul2(slope, slope), p.x), q.x);
  return { x, y: sub2(mul2(slope, sub2(p.x, x)), p.y) };
}

export function multiplyTwist(point: TwistPoint, scalar: bigint): TwistPoint {
  let [result, double]: TwistPoint[] = [undefined, point];
  for (let k = scalar; k > 0n; k >>= 1n) {
    if (k & 1n) result = addTwist(result, double);
    double = addTwist(double, double);
  }
  return result;
}

/**
 * The y of a twist point with this x and these compression bits, or undefined
 * (spec/verification.md#compressed-proofs).
 */
function decompressY(x: Fp2, hint: boolean, negate: boolean): Fp2 | undefined {
  const [x0, x1] = x;
  const n = mod(x0 * x1 * (P - 3n));
  const real = mod(27n * invert(82n) + x0 ** 3n + n * x1);
  const imaginary = mod(-(3n * invert(82n) + x1 ** 3n + n * x0));
  const root = squareRoot(real * real + imaginary * imaginary);
  if (root === undefined) return undefined;
  const d = hint ? mod(-root) : root;
  const first = squareRoot((real + d) * invert(2n));
  if (first === undefined) return undefined;
  const second = mod(imaginary * invert(2n * first));
  if (mod(first * first - second * second) !== real || mod(2n * first * second) !== imaginary)
    return undefined;
  return negate ? [mod(-first), mod(-second)] : [first, second];
}

/** The twist point with this x that the compressed form names with both bits zero, or undefined. */
export function twistPointAt(x: Fp2): TwistPoint {
  const y = decompressY(x, false, false) ?? decompressY(x, true, false);
  return y && { x, y };
}

function decompressG1(word: bigint): [bigint, bigint] | undefined {
  if (word === 0n) return [0n, 0n];
  const x = word >> 1n;
  const y = x < P ? squareRoot(x ** 3n + 3n) : undefined;
  if (y === undefined) return undefined;
  return [x, word & 1n ? mod(-y) : y];
}

/** Eight words from the four of a compressed proof [a, b_c1, b_c0, c], or undefined. */
export function decompress(words: readonly bigint[]): bigint[] | undefined {
  const [a, b1, b0, c] = words as [bigint, bigint, bigint, bigint];
  const [pointA, pointC] = [decompressG1(a), decompressG1(c)];
  if (!pointA || !pointC) return undefined;
  if (b0 === 0n && b1 === 0n) return [...pointA, 0n, 0n, 0n, 0n, ...pointC];
  const x: Fp2 = [b0 >> 2n, b1];
  if (x[0] >= P || x[1] >= P) return undefined;
  const y = decompressY(x, (b0 & 2n) !== 0n, (b0 & 1n) !== 0n);
  return y && [...pointA, x[1], x[0], y[1], y[0], ...pointC];
}

/** The compressed words of a proof whose points are on their curves. */
export function compress(words: readonly bigint[]): bigint[] {
  const [ax, ay, bx1, bx0, by1, by0, cx, cy] = words as ProofWords;
  const g1 = (x: bigint, y: bigint): bigint =>
    x === 0n && y === 0n ? 0n : (x << 1n) | (squareRoot(x ** 3n + 3n) === y ? 0n : 1n);
  const b0 = [0n, 1n, 2n, 3n].find((bits) => {
    const y = decompressY([bx0, bx1], (bits & 2n) !== 0n, (bits & 1n) !== 0n);
    return y && y[0] === by0 && y[1] === by1;
  });
  const isInfinite = bx0 === 0n && bx1 === 0n && by0 === 0n && by1 === 0n;
  return [g1(ax, ay), bx1, isInfinite ? 0n : (bx0 << 2n) | (b0 as bigint), g1(cx, cy)];
}

/** Cofactor of the twist: its order divided by r. */
export const COFACTOR: bigint = 2n * P - R;

/** One point of the twist for each of four orders that divide the cofactor. */
export function smallOrderPoints(): {
  readonly order: bigint;
  readonly point: Exclude<TwistPoint, undefined>;
}[] {
  return [10069n, 5864401n, 10069n * 5864401n, 1875725156269n].map((order) => {
    for (let x = 1n; ; x += 1n) {
      const start = twistPointAt([x, 1n]);
      const point = start && multiplyTwist(multiplyTwist(start, R), COFACTOR / order);
      if (point) return { order, point };
    }
  });
}
