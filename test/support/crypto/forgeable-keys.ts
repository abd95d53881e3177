/** Verifying keys with related points, and forged proofs for them that need only the key. */

import { bn254 } from '@noble/curves/bn254.js';
import { be32, fromBe, inverse, modulo, R } from './bn254.ts';
import { groups, trapdoorScalar } from './trapdoor.ts';

/** Secret scalars of a key. */
export interface KeySecrets {
  readonly alpha: bigint;
  readonly beta: bigint;
  readonly gamma: bigint;
  readonly delta: bigint;
  readonly ic: readonly bigint[];
}

/** A key that must be refused, with its fault. */
export interface FaultyKey {
  readonly name: string;
  /** Expected text in the refusal. */
  readonly says: string;
  readonly key: Uint8Array;
}

/** A relation between points that allows forging. */
export type Relation = 'delta = k gamma' | 'gamma = k beta' | 'delta = k beta';

type Point = InstanceType<typeof bn254.G1.Point>;

const HEAD_BYTES = 448;
const { Point: G1 } = bn254.G1;

/** Secrets of the key trapdoor-4, with changes. */
export function keySecrets(change: (honest: KeySecrets) => Partial<KeySecrets> = () => ({})): KeySecrets {
  const honest: KeySecrets = {
    alpha: trapdoorScalar('alpha'),
    beta: trapdoorScalar('beta'),
    gamma: trapdoorScalar('gamma'),
    delta: trapdoorScalar('delta'),
    ic: [0, 1, 2, 3, 4].map((index) => trapdoorScalar(`ic${index}`)),
  };
  return { ...honest, ...change(honest) };
}

/** Verifying key of these secrets, as `Engine.registerKey` takes it. */
export async function keyOf({ alpha, beta, gamma, delta, ic }: KeySecrets): Promise<Uint8Array> {
  const { g1, g2 } = await groups();
  return Buffer.concat([g1(alpha), g2(beta), g2(gamma), g2(delta), ...ic.map(g1)]);
}

/** Keys for which anyone can forge a proof of any statement; the engine refuses them in every profile. */
export async function forgeableKeys(): Promise<FaultyKey[]> {
  type Row = readonly [name: string, says: string, change: (honest: KeySecrets) => Partial<KeySecrets>];
  const rows: readonly Row[] = [
    ['no contribution to phase 2: γ = δ = G2', 'delta equals gamma', () => ({ gamma: 1n, delta: 1n })],
    ['δ = γ', 'delta equals gamma', ({ gamma }) => ({ delta: gamma })],
    ['δ = −γ', 'delta is the negative of gamma', ({ gamma }) => ({ delta: -gamma })],
    ['δ = 2γ', 'delta is 2 times gamma', ({ gamma }) => ({ delta: 2n * gamma })],
    ['δ = −2^16·γ', 'delta is -65536 times gamma', ({ gamma }) => ({ delta: -65536n * gamma })],
    ['γ = 2^16·δ', 'gamma is 65536 times delta', ({ delta }) => ({ gamma: 65536n * delta })],
    ['δ = G2', 'delta equals the generator of G2', () => ({ delta: 1n })],
    ['δ = −G2', 'delta is the negative of the generator of G2', () => ({ delta: -1n })],
    ['γ = G2, δ = 40000·G2', 'delta is 40000 times gamma', () => ({ gamma: 1n, delta: 40000n })],
    ['δ = β', 'delta equals beta', ({ beta }) => ({ delta: beta })],
    ['δ = −β', 'delta is the negative of beta', ({ beta }) => ({ delta: -beta })],
    ['β = 513·δ', 'beta is 513 times delta', ({ delta }) => ({ beta: 513n * delta })],
    ['γ = β', 'gamma equals beta', ({ beta }) => ({ gamma: beta })],
    ['γ = −β', 'gamma is the negative of beta', ({ beta }) => ({ gamma: -beta })],
    ['γ = −255·β', 'gamma is -255 times beta', ({ beta }) => ({ gamma: -255n * beta })],
    ['no contribution to phase 1: β = G2', 'beta equals the generator of G2', () => ({ beta: 1n })],
    ['no contribution to phase 1: α = G1', 'alpha equals the generator of G1', () => ({ alpha: 1n })],
    [
      'δ = β + γ',
      'beta + gamma - delta is the point at infinity',
      ({ beta, gamma }) => ({ delta: beta + gamma }),
    ],
    [
      'β = 2γ − 3δ',
      'beta - 2·gamma + 3·delta is the point at infinity',
      ({ gamma, delta }) => ({ beta: 2n * gamma - 3n * delta }),
    ],
    [
      'γ = −256β + 255δ',
      '256·beta + gamma - 255·delta is the point at infinity',
      ({ beta, delta }) => ({ gamma: -256n * beta + 255n * delta }),
    ],
    [
      '2δ = 3γ',
      '3·gamma - 2·delta is the point at infinity',
      ({ gamma }) => ({ delta: 3n * gamma * inverse(2n, R) }),
    ],
  ];
  return Promise.all(
    rows.map(async ([name, says, change]) => ({ name, says, key: await keyOf(keySecrets(change)) })),
  );
}

/**
 * Keys that allow changing the public inputs of a finished proof; production refuses them, other profiles
 * warn.
 */
export async function degenerateKeys(): Promise<FaultyKey[]> {
  type Row = readonly [name: string, says: string, change: (ic: bigint[]) => readonly (bigint | undefined)[]];
  const rows: readonly Row[] = [
    [
      'an input that enters no proof',
      'whatever the value of public input 2 is',
      ([a, b, , d, e]) => [a, b, 0n, d, e],
    ],
    ['IC₀ at infinity', 'ic[0] is the point at infinity', ([, b, c, d, e]) => [0n, b, c, d, e]],
    ['equal inputs', 'ic[1] and ic[4] are equal', ([a, b, c, d]) => [a, b, c, d, b]],
    ['opposite inputs', 'ic[2] and ic[3] are opposite', ([a, b, c, , e]) => [a, b, c, -(c ?? 0n), e]],
    ['an input equal to IC₀', 'ic[0] and ic[3] are equal', ([a, b, c, , e]) => [a, b, c, a, e]],
    [
      'an input opposite to IC₀',
      'ic[0] and ic[1] are opposite',
      ([a, , c, d, e]) => [a, -(a ?? 0n), c, d, e],
    ],
    [
      'IC₀ = −α',
      'ic[0] is alpha or its negative',
      ([, b, c, d, e]) => [-trapdoorScalar('alpha'), b, c, d, e],
    ],
    [
      'IC₀ = 2^16·α',
      'ic[0] is 65536 times alpha: anyone can prove the statement whose public inputs are all 0',
      ([, b, c, d, e]) => [65_536n * trapdoorScalar('alpha'), b, c, d, e],
    ],
    [
      'an input that is a multiple of α',
      'the value of public input 4 moves beta by a multiple of gamma',
      ([a, b, c, d]) => [a, b, c, d, 7n * trapdoorScalar('alpha')],
    ],
    [
      'an input that is a multiple of another',
      'ic[4] is -700 times ic[2]: a proof also holds after adding 700t to public input 2 and t to public input 4',
      ([a, b, c, d]) => [a, b, c, d, -700n * (c ?? 0n)],
    ],
    [
      'an input that is a multiple of IC₀',
      'ic[2] is 3 times ic[0]: anyone can prove the statement whose public input 2 is -1/3 mod r and all others 0',
      ([a, b, , d, e]) => [a, b, 3n * (a ?? 0n), d, e],
    ],
    [
      'an input that is the sum of two others',
      'ic[1] + ic[2] - ic[3] is the point at infinity: a proof also holds after adding t to public input 1, t to public input 2 and -t to public input 3',
      ([a, b, c, , e]) => [a, b, c, (b ?? 0n) + (c ?? 0n), e],
    ],
    [
      'a sum of four points',
      'anyone can prove the statement whose public input 1 is -3, public input 2 is 5 and public input 4 is 16 and all others 0',
      ([, b, c, d, e]) => [3n * (b ?? 0n) - 5n * (c ?? 0n) - 16n * (e ?? 0n), b, c, d, e],
    ],
  ];
  return Promise.all(
    rows.map(async ([name, says, change]) => {
      const secrets = keySecrets(({ ic }) => ({ ic: change([...ic]).map((scalar) => scalar ?? 0n) }));
      return { name, says, key: await keyOf(secrets) };
    }),
  );
}

/**
 * Forges a proof of any statement from the points of a key alone, given the factor of a relation.
 *
 * @param inputs - Below r; as many as the key has inputs.
 */
export function forgeProof(
  key: Uint8Array,
  inputs: readonly bigint[],
  relation: Relation,
  k: bigint,
): Uint8Array {
  const alpha = pointAt(key, 0);
  const [beta, gamma] = [key.subarray(64, 192), key.subarray(192, 320)];
  const l = inputs.reduce(
    (sum, x, index) => (x === 0n ? sum : sum.add(pointAt(key, HEAD_BYTES + 64 * (index + 1)).multiply(x))),
    pointAt(key, HEAD_BYTES),
  );
  switch (relation) {
    case 'delta = k gamma':
      return proof(alpha, beta, l.multiply(inverse(-k, R)));
    case 'gamma = k beta':
      return proof(alpha.add(l.multiply(modulo(k, R))), beta, G1.ZERO);
    case 'delta = k beta':
      return proof(l, gamma, alpha.multiply(inverse(-k, R)));
  }
}

/** The proof (α, β, 0), which is valid when IC₀ + Σ xⱼ·ICⱼ is the point at infinity. */
export function trivialProof(key: Uint8Array): Uint8Array {
  return proof(pointAt(key, 0), key.subarray(64, 192), G1.ZERO);
}

/** The proof (α, β + k·γ, 0) under trapdoor-4, which is valid when IC₀ + Σ xⱼ·ICⱼ is k·α. */
export async function proofOfMultiple(key: Uint8Array, k: bigint): Promise<Uint8Array> {
  const { g2 } = await groups();
  const { beta, gamma } = keySecrets();
  return proof(pointAt(key, 0), g2(modulo(beta + k * gamma, R)), G1.ZERO);
}

function pointAt(key: Uint8Array, at: number): Point {
  const x = fromBe(key.subarray(at, at + 32));
  const y = fromBe(key.subarray(at + 32, at + 64));
  return x === 0n && y === 0n ? G1.ZERO : G1.fromAffine({ x, y });
}

function proof(a: Point, b: Uint8Array, c: Point): Uint8Array {
  return Buffer.concat([bytesOf(a), b, bytesOf(c)]);
}

function bytesOf(point: Point): Uint8Array {
  if (point.is0()) return new Uint8Array(64);
  const { x, y } = point.toAffine();
  return Buffer.concat([be32(x), be32(y)]);
}
