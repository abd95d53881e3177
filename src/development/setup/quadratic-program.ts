import { ServiceError } from '../../errors/index.ts';
import { SCALAR_ORDER as R } from '../../semaphore/index.ts';
import type { ConstraintSystem, Term } from './constraint-system.ts';
import { lagrangeValues, MAX_DOMAIN_EXPONENT, power, reduce } from './scalar-field.ts';

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
    ...{ u, v, w },
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
