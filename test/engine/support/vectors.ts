/** Reads the vector files into bytes, as the engine takes them. */
import { readFileSync } from 'node:fs';
import credentials from '../../vectors/credential-vectors.json' with { type: 'json' };

const read = (path: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8'));

/** Bytes of hex digits, with or without 0x. */
export function bytes(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex.replace(/^0x/, ''), 'hex'));
}

/** 32 bytes, big-endian, of decimal digits or 0x and hex digits. */
export function word(text: string): Uint8Array {
  return bytes(BigInt(text).toString(16).padStart(64, '0'));
}

/** Concatenation of words; see `word`. */
export function words(texts: readonly string[]): Uint8Array {
  return new Uint8Array(Buffer.concat(texts.map(word)));
}

/** Points of a verifying key in snarkjs JSON. */
export interface SnarkjsKey {
  readonly vk_alpha_1: readonly string[];
  readonly vk_beta_2: readonly (readonly string[])[];
  readonly vk_gamma_2: readonly (readonly string[])[];
  readonly vk_delta_2: readonly (readonly string[])[];
  readonly IC: readonly (readonly string[])[];
}

/** α ‖ β ‖ γ ‖ δ ‖ IC in the word order of a proof. */
export function keyBytes(key: SnarkjsKey): Uint8Array {
  const g1 = (point: readonly string[]): string[] => [...point.slice(0, 2)];
  const g2 = (point: readonly (readonly string[])[]): string[] =>
    point.slice(0, 2).flatMap(([c0, c1]) => [c1 as string, c0 as string]);
  return words([
    ...g1(key.vk_alpha_1),
    ...g2(key.vk_beta_2),
    ...g2(key.vk_gamma_2),
    ...g2(key.vk_delta_2),
    ...key.IC.flatMap(g1),
  ]);
}

/** The ceremony key of a tree depth. */
export function depthKey(depth: number): Uint8Array {
  return keyBytes(read(`circuits/semaphore-depth${depth}/verification-key.json`) as SnarkjsKey);
}

interface ProofRow {
  readonly depth: number;
  readonly merkle_root: string;
  readonly nullifier_hash: string;
  readonly signal_hash: string;
  readonly external_nullifier_hash: string;
  readonly proof: string;
  readonly proof_compressed?: readonly string[];
}

/** One proof of the test data. */
export interface VectorProof {
  readonly name: string;
  readonly keyId: string;
  readonly depth: number;
  readonly proof: Uint8Array;
  readonly inputs: Uint8Array;
  /** Compressed form, padded to 256 bytes, if the data has one. */
  readonly compressed: Uint8Array | undefined;
}

function proofsOf(file: string): VectorProof[] {
  return (read(`test/vectors/${file}.json`) as ProofRow[]).map((row, index) => ({
    name: `${file}[${index}]`,
    keyId: `depth${row.depth}`,
    depth: row.depth,
    proof: bytes(row.proof),
    inputs: words([row.merkle_root, row.nullifier_hash, row.signal_hash, row.external_nullifier_hash]),
    compressed: row.proof_compressed && words([...row.proof_compressed, '0', '0', '0', '0']),
  }));
}

/** All proofs of the test data: 8 with their preimages, 64 in bulk. */
export const PROOFS: readonly VectorProof[] = [
  ...proofsOf('semaphore-proofs'),
  ...proofsOf('semaphore-proofs-bulk'),
];

/** Types the coordinates of points, which the type of a JSON file has as lists of any length, as pairs. */
type WithPairs<T> = {
  readonly [K in keyof T]: K extends 'public_key' | 'R'
    ? readonly [string, string]
    : T[K] extends object
      ? WithPairs<T[K]>
      : T[K];
};

/** Content of test/vectors/credential-vectors.json. */
export const CREDENTIALS: WithPairs<typeof credentials> = credentials as unknown as WithPairs<
  typeof credentials
>;
