import { toHex, wordOf } from '../../semaphore/index.ts';

/** A Groth16 proof as snarkjs gives it: decimal coordinates, G2 as c0 then c1, the last of each point 1. */
export interface SnarkjsProof {
  readonly pi_a: readonly string[];
  readonly pi_b: readonly (readonly string[])[];
  readonly pi_c: readonly string[];
}

/**
 * The proof as the interfaces take it (verify.md section 4): `0x` and 512 hex digits, eight words in EIP-197 order,
 * G2 as c1 then c0.
 *
 * @throws RangeError for a coordinate that is missing or no number of 256 bits.
 */
export function proofToHex({ pi_a, pi_b, pi_c }: SnarkjsProof): string {
  const [x, y] = [pi_b[0] ?? [], pi_b[1] ?? []];
  const words = [pi_a[0], pi_a[1], x[1], x[0], y[1], y[0], pi_c[0], pi_c[1]];
  return `0x${words.map((word) => toHex(wordOf(coordinate(word))).slice(2)).join('')}`;
}

function coordinate(text: string | undefined): bigint {
  const value = text !== undefined && /^[0-9]{1,78}$/.test(text) ? BigInt(text) : undefined;
  if (value === undefined || value >= 1n << 256n) {
    throw new RangeError('a coordinate of the proof is no number of 256 bits');
  }
  return value;
}
