/**
 * Curve arithmetic of the readers on bigints: curve equations, square roots and the subgroup of G2, for forms that the
 * engine does not take (compressed and projective points), and for messages. Public values only: not constant-time.
 */
import { FIELD_ORDER as P } from './layout.ts';

/** An element c0 + c1·u of Fp2, u² = −1. */
export type Pair = readonly [c0: bigint, c1: bigint];

/** A finite point of G1. */
export interface PointG1 {
  readonly x: bigint;
  readonly y: bigint;
}

/** A finite point of the twist. */
export interface PointG2 {
  readonly x: Pair;
  readonly y: Pair;
}

/** b of the curve y² = x³ + b (EIP-197). */
const B = 3n;
/** b of the twist: 3 / (9 + u) (EIP-197). */
const TWIST_B: Pair = [
  19485874751759354771024239261021720505790618469301721065564631296452457478373n,
  266929791119991161246907387137283842545076965332900288569378510910307636690n,
];
/** Exponent of square roots, since p ≡ 3 mod 4. */
const ROOT_EXPONENT = (P + 1n) / 4n;
const HALF = (P - 1n) / 2n;
const TWO_INVERSE = (P + 1n) / 2n;

const mod = (value: bigint): bigint => {
  const rest = value % P;
  return rest < 0n ? rest + P : rest;
};

function power(base: bigint, exponent: bigint): bigint {
  const powers = [1n, base];
  while (powers.length < 16) powers.push(((powers.at(-1) ?? 1n) * base) % P);
  let result = 1n;
  for (const digit of exponent.toString(16)) {
    for (let step = 0; step < 4; step++) result = (result * result) % P;
    result = (result * (powers[Number.parseInt(digit, 16)] ?? 1n)) % P;
  }
  return result;
}

/** Inverts a value from 1 to p − 1 by the extended Euclidean algorithm. */
function inverse(value: bigint): bigint {
  let [a, b, x, y] = [value, P, 1n, 0n];
  while (b !== 0n) {
    const quotient = a / b;
    [a, b, x, y] = [b, a % b, y, x - quotient * y];
  }
  return mod(x);
}

/** Returns a square root; undefined for a value that has none. */
function rootOf(square: bigint): bigint | undefined {
  const root = power(square, ROOT_EXPONENT);
  return (root * root) % P === square ? root : undefined;
}

const add = (a: Pair, b: Pair): Pair => [(a[0] + b[0]) % P, (a[1] + b[1]) % P];
const negate = (a: Pair): Pair => [mod(-a[0]), mod(-a[1])];
const isEqual = (a: Pair, b: Pair): boolean => a[0] === b[0] && a[1] === b[1];

function multiply(a: Pair, b: Pair): Pair {
  return [mod(a[0] * b[0] - a[1] * b[1]), (a[0] * b[1] + a[1] * b[0]) % P];
}

function inversePair(a: Pair): Pair {
  const scale = inverse((a[0] * a[0] + a[1] * a[1]) % P);
  return [(a[0] * scale) % P, mod(-a[1] * scale)];
}

/**
 * Returns a square root in Fp2; undefined for a value that has none. With d² = a² + b² and t = (a + d)/2, the root of
 * a + b·u is r + (b/2r)·u for t = r², and (b/2r) + r·u for t = −r².
 */
function rootOfPair([a, b]: Pair): Pair | undefined {
  if (b === 0n) {
    const [real, imaginary] = [rootOf(a), rootOf(mod(-a))];
    return real === undefined ? [0n, imaginary ?? 0n] : [real, 0n];
  }
  const d = rootOf((a * a + b * b) % P);
  if (d === undefined) return undefined;
  const t = ((a + d) * TWO_INVERSE) % P;
  const half = power(t, ROOT_EXPONENT - 1n);
  const r = (half * t) % P;
  const isSquare = (r * r) % P === t;
  // r · half = t^((p − 1)/2) = ±1
  const other = (b * TWO_INVERSE * (isSquare ? half : P - half)) % P;
  return isSquare ? [r, other] : [other, r];
}

const rightSide = (x: bigint): bigint => (x * x * x + B) % P;
const rightSidePair = (x: Pair): Pair => add(multiply(multiply(x, x), x), TWIST_B);

/** Whether x and y, both from 0 to p − 1, are a point of G1. */
export function isOnCurve({ x, y }: PointG1): boolean {
  return (y * y) % P === rightSide(x);
}

/** Whether x and y, all parts from 0 to p − 1, are a point of the twist. */
export function isOnTwist({ x, y }: PointG2): boolean {
  return isEqual(multiply(y, y), rightSidePair(x));
}

/**
 * Returns the point of G1 with an x below p.
 *
 * @param isLarger - Whether y is the larger of the two roots.
 */
export function pointAtX(x: bigint, isLarger: boolean): PointG1 | undefined {
  const y = rootOf(rightSide(x));
  if (y === undefined) return undefined;
  return { x, y: y > HALF === isLarger ? y : P - y };
}

/**
 * Returns the point of the twist with an x whose parts are below p.
 *
 * @param isLarger - Whether y is the larger of the two roots, compared by c1, then by c0.
 */
export function twistPointAtX(x: Pair, isLarger: boolean): PointG2 | undefined {
  const y = rootOfPair(rightSidePair(x));
  if (y === undefined) return undefined;
  const isRootLarger = y[1] === 0n ? y[0] > HALF : y[1] > HALF;
  return { x, y: isRootLarger === isLarger ? y : negate(y) };
}

/**
 * Returns the point of G1 with an x below p whose y is (x³ + 3)^((p+1)/4), the root that the exponent yields.
 *
 * @param isNegated - Whether y is the other root.
 */
export function pointOfRoot(x: bigint, isNegated: boolean): PointG1 | undefined {
  const y = rootOf(rightSide(x));
  return y === undefined ? undefined : { x, y: isNegated ? mod(-y) : y };
}

/** How the compressed form of the engine chooses y of a point of G2 (spec/verification.md#compressed-proofs). */
export interface TwistRoot {
  /** Whether d, the root of the norm of y², is negated. */
  readonly hint: boolean;
  readonly isNegated: boolean;
}

/** Returns the point of the twist with an x whose parts are below p, and the y that `root` chooses. */
export function twistPointOfRoot(x: Pair, { hint, isNegated }: TwistRoot): PointG2 | undefined {
  const ySquare = rightSidePair(x);
  const [real, imaginary] = ySquare;
  const d = rootOf((real * real + imaginary * imaginary) % P);
  if (d === undefined) return undefined;
  const c0 = rootOf(((real + (hint ? P - d : d)) * TWO_INVERSE) % P);
  if (c0 === undefined) return undefined;
  const y: Pair = [c0, (imaginary * inverse((2n * c0) % P)) % P];
  if (!isEqual(square(y), ySquare)) return undefined;
  return { x, y: isNegated ? negate(y) : y };
}

/** Jacobian coordinates; z = 0 is infinity. */
type Jacobian = readonly [x: Pair, y: Pair, z: Pair];

const twice = (a: Pair): Pair => add(a, a);
const minus = (a: Pair, b: Pair): Pair => [mod(a[0] - b[0]), mod(a[1] - b[1])];
const square = (a: Pair): Pair => multiply(a, a);

/** Doubles a point (Cohen, Miyaji, Ono: Efficient elliptic curve exponentiation, 1998, section 2.3). */
function double([x, y, z]: Jacobian): Jacobian {
  const ySquare = square(y);
  const s = twice(twice(multiply(x, ySquare)));
  const m = add(twice(square(x)), square(x));
  const newX = minus(square(m), twice(s));
  const y4 = twice(twice(twice(square(ySquare))));
  return [newX, minus(multiply(m, minus(s, newX)), y4), twice(multiply(y, z))];
}

const ZERO: Pair = [0n, 0n];
const ONE: Pair = [1n, 0n];

/** Adds a finite point with z = 1, as in the same paper. */
function addAffine(sum: Jacobian, point: PointG2): Jacobian {
  const [x, y, z] = sum;
  if (isEqual(z, ZERO)) return [point.x, point.y, ONE];
  const zSquare = square(z);
  const h = minus(multiply(point.x, zSquare), x);
  const r = minus(multiply(point.y, multiply(zSquare, z)), y);
  if (isEqual(h, ZERO) && isEqual(r, ZERO)) return double(sum);
  const hSquare = square(h);
  const hCube = multiply(hSquare, h);
  const v = multiply(x, hSquare);
  const newX = minus(minus(square(r), hCube), twice(v));
  return [newX, minus(multiply(r, minus(v, newX)), multiply(y, hCube)), multiply(z, h)];
}

/** x of the curve: r = 36x⁴ + 36x³ + 18x² + 6x + 1 (EIP-197). */
const CURVE_X = 4965661367192848881n;

/** Multiplies a point by a scalar from 1. */
function times(point: PointG2, scalar: bigint): Jacobian {
  let sum: Jacobian = [ONE, ONE, ZERO];
  for (const bit of scalar.toString(2)) {
    sum = double(sum);
    if (bit === '1') sum = addAffine(sum, point);
  }
  return sum;
}

const conjugate = ([c0, c1]: Pair): Pair => [c0, mod(-c1)];

/** Returns (9 + u)^exponent. */
function powerOfNonResidue(exponent: bigint): Pair {
  let result = ONE;
  for (const bit of exponent.toString(2)) {
    result = square(result);
    if (bit === '1') result = multiply(result, [9n, 1n]);
  }
  return result;
}

const FROBENIUS_X: Pair = powerOfNonResidue((P - 1n) / 3n);
const FROBENIUS_Y: Pair = powerOfNonResidue((P - 1n) / 2n);

/** ψ: the Frobenius endomorphism of the curve, on the twist. */
function frobenius({ x, y }: PointG2): PointG2 {
  return { x: multiply(conjugate(x), FROBENIUS_X), y: multiply(conjugate(y), FROBENIUS_Y) };
}

/** Returns the affine coordinates; undefined for infinity. */
function affineOf([x, y, z]: Jacobian): PointG2 | undefined {
  if (isEqual(z, ZERO)) return undefined;
  return affineTwistReadings(x, y, z)[1];
}

/**
 * Whether a point of the twist has order r: [x + 1]Q + ψ([x]Q) + ψ²([x]Q) = ψ³([2x]Q), a quarter of the work of [r]Q (Dai,
 * Lin, Zhao, Zhou: Fast subgroup membership testings for G1, G2 and GT, https://eprint.iacr.org/2022/348, section 5.1).
 */
export function isInSubgroup(point: PointG2): boolean {
  const multiple = affineOf(times(point, CURVE_X));
  if (multiple === undefined) return false;
  const first = frobenius(multiple);
  const second = frobenius(first);
  let sum: Jacobian = [multiple.x, multiple.y, ONE];
  for (const term of [point, first, second]) sum = addAffine(sum, term);
  const { x, y } = frobenius(second);
  const third = affineOf(double([x, y, ONE]));
  if (third === undefined) return false;
  return isEqual(addAffine(sum, { x: third.x, y: negate(third.y) })[2], ZERO);
}

/** A point whose third coordinate is neither 0 nor 1 has two readings: x/z, y/z and, as in snarkjs, x/z², y/z³. */
type Readings<T> = readonly [homogeneous: T, jacobian: T];

/** Returns both affine readings of a point of G1; all coordinates from 0 to p − 1, z not 0. */
export function affineReadings(x: bigint, y: bigint, z: bigint): Readings<PointG1> {
  const scale = inverse(z);
  const scaleSquare = (scale * scale) % P;
  return [
    { x: (x * scale) % P, y: (y * scale) % P },
    { x: (x * scaleSquare) % P, y: (((y * scaleSquare) % P) * scale) % P },
  ];
}

/** Returns both affine readings of a point of the twist; all parts from 0 to p − 1, z not 0. */
export function affineTwistReadings(x: Pair, y: Pair, z: Pair): Readings<PointG2> {
  const scale = inversePair(z);
  const scaleSquare = square(scale);
  return [
    { x: multiply(x, scale), y: multiply(y, scale) },
    { x: multiply(x, scaleSquare), y: multiply(multiply(y, scaleSquare), scale) },
  ];
}
