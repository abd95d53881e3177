import { hkdfSync } from 'node:crypto';
import type { Engine } from '../../engine/engine.ts';
import { G1_BYTES, G2_BYTES, WORD_BYTES } from '../../groth16/layout.ts';
import { numberOf, SCALAR_ORDER as R, SCALAR_ORDER, wordOf } from '../../semaphore/words.ts';
import { SETUP_TEXT } from '../circuit-files.ts';
import type { ConstraintSystem } from './constraint-system.ts';
import { evaluateProgram, invert, type QuadraticProgram } from './quadratic-program.ts';

/** Twice the length of r, so that the values modulo r are statistically close to uniform. */
const DERIVED_BYTES = 64;

/** Secrets of a Groth16 setup; γ is 1, as in every setup of snarkjs. */
export interface SetupSecrets {
  readonly tau: bigint;
  readonly alpha: bigint;
  readonly beta: bigint;
  readonly delta: bigint;
}

/**
 * Derives the secrets of the development setup from the public text: HKDF-SHA-256 (RFC 5869) with the text as key
 * material, no salt and the secret's name as info, 64 bytes read big-endian, modulo r.
 */
export function developmentSecrets(): SetupSecrets {
  const scalar = (name: string): bigint =>
    numberOf(new Uint8Array(hkdfSync('sha256', SETUP_TEXT, '', name, DERIVED_BYTES))) % SCALAR_ORDER;
  return { tau: scalar('tau'), alpha: scalar('alpha'), beta: scalar('beta'), delta: scalar('delta') };
}

/** The part of the engine that computes the points. */
export type PointArithmetic = Pick<Engine, 'generatorMultiples'>;

/**
 * The points of a Groth16 proving key in the engine's encoding: 64 bytes for a point of G1, 128 for one of G2, zeros
 * for infinity. Names as in snarkjs.
 */
export interface ProvingKey {
  readonly domainSize: number;
  readonly alpha1: Uint8Array;
  readonly beta1: Uint8Array;
  readonly beta2: Uint8Array;
  readonly gamma2: Uint8Array;
  readonly delta1: Uint8Array;
  readonly delta2: Uint8Array;
  readonly ic: Uint8Array;
  readonly a: Uint8Array;
  readonly b1: Uint8Array;
  readonly b2: Uint8Array;
  readonly c: Uint8Array;
  readonly h: Uint8Array;
  /** Points of a setup without a contribution to phase 2, whose δ and γ are the generator. */
  readonly initial: InitialPoints;
}

/** Inputs of the circuit hash that are not part of the key itself. */
export interface InitialPoints {
  readonly delta1: Uint8Array;
  readonly delta2: Uint8Array;
  readonly c: Uint8Array;
  /** (τ^(n+i) − τ^i)·G1. */
  readonly quotientPowers: Uint8Array;
}

/**
 * Computes the proving key of a setup with known secrets: every point is a multiple of a generator, so no ceremony has
 * to be replayed (Groth 2016, https://eprint.iacr.org/2016/260, section 3.2). γ is 1, as in snarkjs.
 *
 * @throws ServiceError `circuit.setup_failed` for a circuit that is too large
 */
export async function computeProvingKey(
  system: ConstraintSystem,
  secrets: SetupSecrets,
  engine: PointArithmetic,
): Promise<ProvingKey> {
  const { alpha, beta, tau, delta } = secrets;
  const program = evaluateProgram(system, tau);
  const { u, v, quotient, quotientPowers, domainSize } = program;
  const g1 = (scalars: readonly bigint[]): Promise<Uint8Array> =>
    engine.generatorMultiples('g1', concatWords(scalars));
  const g2 = (scalars: readonly bigint[]): Promise<Uint8Array> =>
    engine.generatorMultiples('g2', concatWords(scalars));
  const overDelta = invert(delta);
  const divide = (scalars: readonly bigint[]): bigint[] => scalars.map((scalar) => (scalar * overDelta) % R);

  const combined = combinedScalars(program, secrets);
  const publicScalars = combined.slice(0, system.publicCount + 1);
  const privateScalars = combined.slice(system.publicCount + 1);
  const head1 = await g1([alpha, beta, delta, 1n]);
  const head2 = await g2([beta, delta, 1n]);
  const point1 = (index: number): Uint8Array => head1.subarray(index * G1_BYTES, (index + 1) * G1_BYTES);
  const point2 = (index: number): Uint8Array => head2.subarray(index * G2_BYTES, (index + 1) * G2_BYTES);
  return {
    domainSize,
    alpha1: point1(0),
    beta1: point1(1),
    beta2: point2(0),
    gamma2: point2(2),
    delta1: point1(2),
    delta2: point2(1),
    ic: await g1(publicScalars),
    a: await g1(u),
    b1: await g1(v),
    b2: await g2(v),
    c: await g1(divide(privateScalars)),
    h: await g1(divide(quotient)),
    initial: {
      delta1: point1(3),
      delta2: point2(2),
      c: await g1(privateScalars),
      quotientPowers: await g1(quotientPowers),
    },
  };
}

/** Returns the verifying key in snarkjs JSON, without `vk_alphabeta_12`, which readers can compute. */
export function verificationKeyJson({ alpha1, beta2, gamma2, delta2, ic }: ProvingKey): string {
  const words = (point: Uint8Array): string[] =>
    Array.from({ length: point.length / WORD_BYTES }, (_, index) =>
      String(numberOf(point.subarray(index * WORD_BYTES, (index + 1) * WORD_BYTES))),
    );
  const g1 = (point: Uint8Array): string[] => [...words(point), '1'];
  const g2 = (point: Uint8Array): string[][] => {
    const [x1 = '', x0 = '', y1 = '', y0 = ''] = words(point);
    return [
      [x0, x1],
      [y0, y1],
      ['1', '0'],
    ];
  };
  const points = Array.from({ length: ic.length / G1_BYTES }, (_, index) =>
    g1(ic.subarray(index * G1_BYTES, (index + 1) * G1_BYTES)),
  );
  const key = {
    protocol: 'groth16',
    curve: 'bn128',
    nPublic: points.length - 1,
    vk_alpha_1: g1(alpha1),
    vk_beta_2: g2(beta2),
    vk_gamma_2: g2(gamma2),
    vk_delta_2: g2(delta2),
    IC: points,
  };
  return `${JSON.stringify(key, null, 1)}\n`;
}

/** Computes β·u + α·v + w of each wire. */
function combinedScalars({ u, v, w }: QuadraticProgram, { alpha, beta }: SetupSecrets): bigint[] {
  return u.map((left, wire) => (beta * left + alpha * (v[wire] as bigint) + (w[wire] as bigint)) % R);
}

function concatWords(scalars: readonly bigint[]): Uint8Array {
  return Buffer.concat(scalars.map(wordOf));
}
