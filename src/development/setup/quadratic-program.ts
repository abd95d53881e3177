import { ServiceError } from '../../errors/service-error.ts';
import { SCALAR_ORDER as R } from '../../semaphore/words.ts';
import type { ConstraintSystem, Term } from './constraint-system.ts';

/** 2^28 divides r − 1; powers of 5, the smallest non-residue modulo r, generate the roots of 1. */
const TWO_ADICITY = 28;
const NON_RESIDUE = 5n;

/** Reduces a number, which may be negative, to its residue modulo r. */
function reduce(value: bigint): bigint {
  const rest = value % R;
  return rest < 0n ? rest + R : rest;
}

/** Computes a power modulo r. */
function power(base: bigint, exponent: bigint): bigint {
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
function invertAll(values: readonly bigint[]): bigint[] {
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
function rootOfUnity(exponent: number): bigint {
  return power(NON_RESIDUE, (R - 1n) >> BigInt(exponent));
}

/** Exponent of the largest domain. */
const MAX_DOMAIN_EXPONENT: number = TWO_ADICITY;

/**
 * Computes the values at τ of the Lagrange polynomials over the domain of 2^exponent roots of 1, in the order
 * of the powers of the root: the i-th polynomial is 1 at root^i and 0 at all others.
 *
 * @param tau - Not a member of the domain.
 */
function lagrangeValues(tau: bigint, exponent: number): bigint[] {
  const size = 2 ** exponent;
  const root = rootOfUnity(exponent);
  const points: bigint[] = [];
  for (let point = 1n; points.length < size; point = (point * root) % R) points.push(point);
  // Lᵢ(τ) = (τⁿ − 1)·ωⁱ / (n·(τ − ωⁱ))
  const inverses = invertAll(points.map((point) => reduce(tau - point)));
  const factor = (reduce(power(tau, BigInt(size)) - 1n) * invert(BigInt(size))) % R;
  return points.map((point, index) => (((factor * point) % R) * (inverses[index] as bigint)) % R);
}

/** A circuit as polynomials over a domain of roots of 1, evaluated at the secret τ. */
export interface QuadraticProgram {
  readonly domainSize: number;
  /** By wire: the polynomial of its factors in the left sides (`a`) of the constraints. */
  readonly u: readonly bigint[];
  /** By wire: the polynomial of its factors in the right sides (`b`). */
  readonly v: readonly bigint[];
  /** By wire: the polynomial of its factors in the products (`c`). */
  readonly w: readonly bigint[];
  /**
   * Lagrange polynomials of the odd members of the domain of twice the size. The prover of snarkjs evaluates
   * the quotient at these members; the polynomials combine its values.
   */
  readonly quotient: readonly bigint[];
  /** τ^(n+i) − τ^i for i below n − 1, n being the size of the domain. */
  readonly quotientPowers: readonly bigint[];
}

/**
 * Evaluates the quadratic arithmetic program of a constraint system at τ. As in snarkjs, one constraint for
 * wire 0 and for each public wire is appended to the others, so that their polynomials are independent.
 *
 * @param tau - Not a member of either domain; a random value is one with negligible probability.
 * @throws ServiceError `circuit.setup_failed` for a circuit with more constraints than a domain has members
 */
export function evaluateProgram(system: ConstraintSystem, tau: bigint): QuadraticProgram {
  const { wireCount, publicCount, constraints } = system;
  const exponent = 32 - Math.clz32(constraints.length + publicCount);
  if (exponent >= MAX_DOMAIN_EXPONENT) {
    throw new ServiceError('circuit.setup_failed', `${constraints.length} constraints are too many`);
  }
  const domainSize = 2 ** exponent;
  const values = lagrangeValues(tau, exponent);
  const [u, v, w] = [0, 1, 2].map(() => new Array<bigint>(wireCount).fill(0n)) as [
    bigint[],
    bigint[],
    bigint[],
  ];
  const add = (sums: bigint[], { wire, factor }: Term, value: bigint): void => {
    sums[wire] = ((sums[wire] as bigint) + factor * value) % R;
  };
  for (const [index, { a, b, c }] of constraints.entries()) {
    const value = values[index] as bigint;
    for (const term of a) add(u, term, value);
    for (const term of b) add(v, term, value);
    for (const term of c) add(w, term, value);
  }
  for (let wire = 0; wire <= publicCount; wire++) {
    add(u, { wire, factor: 1n }, values[constraints.length + wire] as bigint);
  }
  return {
    domainSize,
    u,
    v,
    w,
    quotient: lagrangeValues(tau, exponent + 1).filter((_, index) => index % 2 === 1),
    quotientPowers: powerDifferences(tau, domainSize),
  };
}

function powerDifferences(tau: bigint, size: number): bigint[] {
  // τ^i·(τ^n − 1)
  const factor = reduce(power(tau, BigInt(size)) - 1n);
  const differences: bigint[] = [];
  for (let term = factor; differences.length < size - 1; term = (term * tau) % R) differences.push(term);
  return differences;
}
