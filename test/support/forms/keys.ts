/** One key in every form that people have, with the name of the form. */
import { toBase64 } from '../../../src/bytes.ts';
import {
  type BinaryStyle,
  bytesOfWords,
  count,
  encoded,
  g1Bytes,
  g2Bytes,
  hexOf,
  join,
  wordsOfPoints,
} from './bytes.ts';
import { OTHER_KEY, type TextG1, type TextG2, type TextKey } from './statement.ts';
import { affine, deep, hex, projective, swapped } from './values.ts';

/** A form of a value. */
export interface Form<Source> {
  readonly name: string;
  /** Name in an answer. */
  readonly form: string;
  readonly write: (source: Source) => unknown;
  /** Further options that are needed. */
  readonly options?: { readonly depth: number };
}

const HEAD = ['vk_alpha_1', 'vk_beta_2', 'vk_gamma_2', 'vk_delta_2'] as const;

/** Replaces the points of a key. */
export function withPoints(key: TextKey, change: (point: TextG1 | TextG2) => unknown): object {
  const head = HEAD.map((member) => [member, change(key[member])]);
  return { ...key, ...Object.fromEntries(head), IC: key.IC.map(change) };
}

/** A key without some members. */
export function without(value: object, ...names: readonly string[]): object {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}

const g1Object = ([x, y]: TextG1): object => ({ X: x, Y: y });
const g2Object = ([x, y]: TextG2): object => ({ X: { A0: x[0], A1: x[1] }, Y: { A0: y[0], A1: y[1] } });

/** A key as the JSON of the structs of gnark. */
export function gnarkJsonKey(key: TextKey): object {
  return {
    G1: {
      Alpha: g1Object(key.vk_alpha_1),
      Beta: g1Object(GENERATOR),
      Delta: g1Object(GENERATOR),
      K: key.IC.map(g1Object),
    },
    G2: { Beta: g2Object(key.vk_beta_2), Delta: g2Object(key.vk_delta_2), Gamma: g2Object(key.vk_gamma_2) },
    CommitmentKeys: [],
    PublicAndCommitmentCommitted: [],
  };
}

/** [β]₁ and [δ]₁ of a key of gnark, which verification does not use. */
const GENERATOR: TextG1 = ['1', '2', '1'];

/** A key as gnark writes it. @param tail - The counts about commitments, absent before gnark 0.9. */
export function gnarkKey(
  key: TextKey,
  isCompressed: boolean,
  tail: Uint8Array = new Uint8Array(8),
): Uint8Array {
  const style: BinaryStyle = { tool: 'gnark', isCompressed };
  return join(
    g1Bytes(key.vk_alpha_1, style),
    g1Bytes(GENERATOR, style),
    g2Bytes(key.vk_beta_2, style),
    g2Bytes(key.vk_gamma_2, style),
    g1Bytes(GENERATOR, style),
    g2Bytes(key.vk_delta_2, style),
    count(key.IC.length, 'gnark'),
    ...key.IC.map((point) => g1Bytes(point, style)),
    tail,
  );
}

/** A key as arkworks writes it. */
export function arkworksKey(key: TextKey, isCompressed: boolean): Uint8Array {
  const style: BinaryStyle = { tool: 'arkworks', isCompressed };
  return join(
    g1Bytes(key.vk_alpha_1, style),
    g2Bytes(key.vk_beta_2, style),
    g2Bytes(key.vk_gamma_2, style),
    g2Bytes(key.vk_delta_2, style),
    count(key.IC.length, 'arkworks'),
    ...key.IC.map((point) => g1Bytes(point, style)),
  );
}

/** What follows in a processed key: e(α, β), and the lines of −γ and −δ, of any values. */
export function processedTail(lines: readonly [number, number] = [3, 2]): Uint8Array {
  const prepared = lines.flatMap((length) => [
    count(length, 'arkworks'),
    new Uint8Array(length * 6 * 32).fill(7),
    new Uint8Array(1),
  ]);
  return join(new Uint8Array(12 * 32).fill(5), ...prepared);
}

/** A key as the engine takes it. */
export function keyBytes(key: TextKey): Uint8Array {
  return bytesOfWords(
    wordsOfPoints([key.vk_alpha_1, key.vk_beta_2, key.vk_gamma_2, key.vk_delta_2, ...key.IC]),
  );
}

/** A key as ZoKrates writes it. */
export function zokratesKey(key: TextKey): object {
  const point = (value: TextG1 | TextG2): unknown => deep(affine(value), hex);
  return {
    scheme: 'g16',
    curve: 'bn128',
    alpha: point(key.vk_alpha_1),
    beta: point(key.vk_beta_2),
    gamma: point(key.vk_gamma_2),
    delta: point(key.vk_delta_2),
    gamma_abc: key.IC.map(point),
  };
}

/** A key as garaga writes it. */
export function garagaKey(key: TextKey): object {
  const [alpha_g1, beta_g2, gamma_g2, delta_g2] = HEAD.map((member) => struct(key[member]));
  return { alpha_g1, beta_g2, gamma_g2, delta_g2, ic: key.IC.map(struct) };
}

/** A key as the struct of a Solidity verifier. */
export function solidityKey(key: TextKey): object {
  const turned = (point: TextG2): object => {
    const [x, y] = swapped(point);
    return { x, y };
  };
  return {
    alpha1: struct(key.vk_alpha_1),
    beta2: turned(key.vk_beta_2),
    gamma2: turned(key.vk_gamma_2),
    delta2: turned(key.vk_delta_2),
    ic: key.IC.map(struct),
  };
}

/** An affine point as an object, of G2 c0 before c1. */
export function struct([x, y]: TextG1 | TextG2): object {
  return { x, y };
}

/** Keys of two depths in one file, as Semaphore has them; the key is that of depth 2. */
export function packedKeys(key: TextKey): object {
  const other = { ...OTHER_KEY };
  return {
    ...key,
    vk_delta_2: [other.vk_delta_2, key.vk_delta_2],
    IC: [other.IC, key.IC],
  };
}

const json = (value: unknown): string => JSON.stringify(value);
const file = (key: TextKey, encoding: 'utf8' | 'utf16le' | 'utf16be', hasMark: boolean): Uint8Array =>
  encoded(JSON.stringify(key, undefined, 1), encoding, hasMark);

/** The forms of keys. */
export const KEY_FORMS: readonly Form<TextKey>[] = [
  { name: 'snarkjs', form: 'snarkjs', write: (key) => key },
  ...['bn254', 'BN254', 'bn_128', 'alt_bn128', 'altbn128', 'BN-254'].map((curve) => ({
    name: `curve ${curve}`,
    form: 'snarkjs',
    write: (key: TextKey) => ({ ...key, curve }),
  })),
  { name: 'no curve', form: 'snarkjs', write: (key) => without(key, 'curve') },
  { name: 'no protocol', form: 'snarkjs', write: (key) => without(key, 'protocol') },
  { name: 'protocol in capitals', form: 'snarkjs', write: (key) => ({ ...key, protocol: 'GROTH16' }) },
  { name: 'nPublic as text', form: 'snarkjs', write: (key) => ({ ...key, nPublic: String(key.nPublic) }) },
  { name: 'no nPublic', form: 'snarkjs', write: (key) => without(key, 'nPublic') },
  { name: 'hex', form: 'snarkjs', write: (key) => withPoints(key, (point) => deep(point, hex)) },
  {
    name: 'leading zeros',
    form: 'snarkjs',
    write: (key) => withPoints(key, (point) => deep(point, (leaf) => `000${leaf}`)),
  },
  {
    name: 'third coordinates as numbers',
    form: 'snarkjs',
    write: (key) => withPoints(key, ([x, y, z]) => [x, y, deep(z, Number)]),
  },
  { name: 'two coordinates', form: 'snarkjs', write: (key) => withPoints(key, affine) },
  { name: 'bigints', form: 'snarkjs', write: (key) => withPoints(key, (point) => deep(point, BigInt)) },
  {
    name: 'projective',
    form: 'snarkjs',
    write: (key) => withPoints(key, (point) => projective(point, 5n, [1n, 1n])),
  },
  {
    name: 'Jacobian',
    form: 'snarkjs',
    write: (key) => withPoints(key, (point) => projective(point, 5n, [2n, 3n])),
  },
  { name: 'JSON text', form: 'snarkjs', write: json },
  { name: 'JSON text in JSON', form: 'snarkjs', write: (key) => json(json(key)) },
  { name: 'JSON text with mark', form: 'snarkjs', write: (key) => `\ufeff${json(key)}` },
  { name: 'UTF-8', form: 'snarkjs', write: (key) => file(key, 'utf8', false) },
  { name: 'UTF-8 with mark', form: 'snarkjs', write: (key) => file(key, 'utf8', true) },
  { name: 'UTF-16LE', form: 'snarkjs', write: (key) => file(key, 'utf16le', false) },
  { name: 'UTF-16LE with mark', form: 'snarkjs', write: (key) => file(key, 'utf16le', true) },
  { name: 'UTF-16BE', form: 'snarkjs', write: (key) => file(key, 'utf16be', false) },
  { name: 'UTF-16BE with mark', form: 'snarkjs', write: (key) => file(key, 'utf16be', true) },
  { name: 'Semaphore, depth 2', form: 'semaphore', write: packedKeys, options: { depth: 2 } },
  { name: 'gnark JSON', form: 'gnark-json', write: gnarkJsonKey },
  {
    name: 'gnark JSON before 0.9',
    form: 'gnark-json',
    write: (key) => without(gnarkJsonKey(key), 'CommitmentKeys', 'PublicAndCommitmentCommitted'),
  },
  { name: 'gnark raw', form: 'gnark-raw', write: (key) => gnarkKey(key, false) },
  { name: 'gnark raw before 0.9', form: 'gnark-raw', write: (key) => gnarkKey(key, false, new Uint8Array()) },
  { name: 'gnark compressed', form: 'gnark-compressed', write: (key) => gnarkKey(key, true) },
  {
    name: 'gnark compressed before 0.9',
    form: 'gnark-compressed',
    write: (key) => gnarkKey(key, true, new Uint8Array()),
  },
  { name: 'ZoKrates', form: 'zokrates', write: zokratesKey },
  { name: 'ZoKrates without scheme', form: 'zokrates', write: (key) => without(zokratesKey(key), 'scheme') },
  { name: 'garaga', form: 'garaga', write: garagaKey },
  { name: 'garaga in a member', form: 'garaga', write: (key) => ({ verifying_key: garagaKey(key) }) },
  { name: 'struct of Solidity', form: 'solidity', write: solidityKey },
  { name: 'arkworks', form: 'arkworks', write: (key) => arkworksKey(key, false) },
  { name: 'arkworks compressed', form: 'arkworks-compressed', write: (key) => arkworksKey(key, true) },
  {
    name: 'arkworks processed',
    form: 'arkworks',
    write: (key) => join(arkworksKey(key, false), processedTail()),
  },
  {
    name: 'arkworks processed compressed',
    form: 'arkworks-compressed',
    write: (key) => join(arkworksKey(key, true), processedTail()),
  },
  { name: 'bytes', form: 'bytes', write: keyBytes },
  { name: 'bytes in hex', form: 'bytes', write: (key) => hexOf(keyBytes(key)) },
  { name: 'bytes in hex without 0x', form: 'bytes', write: (key) => hexOf(keyBytes(key)).slice(2) },
  { name: 'bytes in base64', form: 'bytes', write: (key) => toBase64(keyBytes(key)) },
  {
    name: 'arkworks compressed in base64',
    form: 'arkworks-compressed',
    write: (key) => toBase64(arkworksKey(key, true)),
  },
  { name: 'gnark compressed in hex', form: 'gnark-compressed', write: (key) => hexOf(gnarkKey(key, true)) },
];
