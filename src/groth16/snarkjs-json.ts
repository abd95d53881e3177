/** Keys and proofs as snarkjs writes them: decimal digits, a third coordinate, of G2 c0 before c1. */
import { wordsOf } from './found.ts';
import { type DecodedKey, G1_BYTES, G2_BYTES, HEAD_BYTES } from './layout.ts';

/** A point of G1: x, y and 1, or 0, 1 and 0 for infinity. */
export type SnarkjsG1 = [x: string, y: string, z: string];
/** A point of G2, each coordinate as c0 and c1. */
export type SnarkjsG2 = [x: SnarkjsPair, y: SnarkjsPair, z: SnarkjsPair];
type SnarkjsPair = [c0: string, c1: string];

/** A verifying key as in `verification_key.json`, without `vk_alphabeta_12`, which follows from the others. */
export interface SnarkjsKeyJson {
  protocol: 'groth16';
  curve: 'bn128';
  nPublic: number;
  vk_alpha_1: SnarkjsG1;
  vk_beta_2: SnarkjsG2;
  vk_gamma_2: SnarkjsG2;
  vk_delta_2: SnarkjsG2;
  IC: SnarkjsG1[];
}

/** A proof as in `proof.json`. */
export interface SnarkjsProofJson {
  pi_a: SnarkjsG1;
  pi_b: SnarkjsG2;
  pi_c: SnarkjsG1;
  protocol: 'groth16';
  curve: 'bn128';
}

/** Returns a key as snarkjs writes it: `readKey` reads it to the same bytes. */
export function snarkjsKeyOf({ key, inputCount }: DecodedKey): SnarkjsKeyJson {
  const g2 = (index: number): SnarkjsG2 => g2Of(key, G1_BYTES + index * G2_BYTES);
  return {
    protocol: 'groth16',
    curve: 'bn128',
    nPublic: inputCount,
    vk_alpha_1: g1Of(key, 0),
    vk_beta_2: g2(0),
    vk_gamma_2: g2(1),
    vk_delta_2: g2(2),
    IC: Array.from({ length: inputCount + 1 }, (_, index) => g1Of(key, HEAD_BYTES + index * G1_BYTES)),
  };
}

/**
 * Returns a proof as snarkjs writes it.
 *
 * @param proof - 256 bytes, not compressed.
 */
export function snarkjsProofOf(proof: Uint8Array): SnarkjsProofJson {
  return {
    pi_a: g1Of(proof, 0),
    pi_b: g2Of(proof, G1_BYTES),
    pi_c: g1Of(proof, G1_BYTES + G2_BYTES),
    protocol: 'groth16',
    curve: 'bn128',
  };
}

function g1Of(bytes: Uint8Array, offset: number): SnarkjsG1 {
  const [x = 0n, y = 0n] = wordsOf(bytes.subarray(offset, offset + G1_BYTES));
  return x === 0n && y === 0n ? ['0', '1', '0'] : [String(x), String(y), '1'];
}

function g2Of(bytes: Uint8Array, offset: number): SnarkjsG2 {
  const words = wordsOf(bytes.subarray(offset, offset + G2_BYTES)).map(String);
  const [x1 = '', x0 = '', y1 = '', y0 = ''] = words;
  const [zero, one]: [SnarkjsPair, SnarkjsPair] = [
    ['0', '0'],
    ['1', '0'],
  ];
  if (words.every((word) => word === '0')) return [zero, one, zero];
  return [[x0, x1], [y0, y1], one];
}
