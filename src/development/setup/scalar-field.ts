import { SCALAR_ORDER as R } from '../../semaphore/index.ts';

/** 2^28 divides r − 1; powers of 5, the smallest non-residue modulo r, generate the roots of 1. */
const TWO_ADICITY = 28;
const NON_RESIDUE = 5n;

/** Reduces a number, which may be negative, to its residue modulo r. */
export function reduce(value: bigint): bigint {
  const rest = value % R;
  return rest < 0n ? rest + R : rest;
}

/** Computes a power modulo r. */
export function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let square = reduce(base);
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % R;
    square = (square * square) % R;
  }
  return result;
}

/** Inverts a number that is not 0 modulo r, by Fermat's little theorem. */
export function invert(value: bigint): bigint {
  return power(value, R - 2n);
}

/** Inverts numbers, none of which is 0 modulo r, with a single inversion. */
export function invertAll(values: readonly bigint[]): bigint[] {
  const prefixes: bigint[] = [];
  let product = 1n;
  for (const value of values) {
    prefixes.push(product);
    product = (product * value) % R;
  }
  let inverse = invert(product);
  const inverses = new Array<bigint>(values.length);
  for (let index = values.length - 1; index >= 0; index--) {
    inverses[index] = (inverse * (prefixes[index] as bigint)) % R;
    inverse = (inverse * (values[index] as bigint)) % R;
  }
  return inverses;
}

/** Returns the root of 1 of order 2^exponent that snarkjs uses for its domains. */
export function rootOfUnity(exponent: number): bigint {
  return power(NON_RESIDUE, (R - 1n) >> BigInt(exponent));
}

/** Exponent of the largest domain. */
export const MAX_DOMAIN_EXPONENT: number = TWO_ADICITY;

/**
 * Computes the values at τ of the Lagrange polynomials over the domain of 2^exponent roots of 1, in the order
 * of the powers of the root: the i-th polynomial is 1 at root^i and 0 at all others.
 *
 * @param tau - Not a member of the domain.
 */
export function lagrangeValues(tau: bigint, exponent: number): bigint[] {
  const size = 2 ** exponent;
  const root = rootOfUnity(exponent);
  const points: bigint[] = [];
  for (let point = 1n; points.length < size; point = (point * root) % R) points.push(point);
  // Lᵢ(τ) = (τⁿ − 1)·ωⁱ / (n·(τ − ωⁱ))
  const inverses = invertAll(points.map((point) => reduce(tau - point)));
  const factor = (reduce(power(tau, BigInt(size)) - 1n) * invert(BigInt(size))) % R;
  return points.map((point, index) => (((factor * point) % R) * (inverses[index] as bigint)) % R);
}
