/** Forms of snarkjs, with members that tests change to anything. */
import { wordsOf } from '../crypto/bn254.ts';
import { snarkjsKey } from '../crypto/reference-verdict.ts';

/** A verifying key of snarkjs; coordinates are decimal texts until a test changes them. */
export interface KeyJson {
  [other: string]: unknown;
  protocol: string;
  curve: string;
  nPublic: number;
  vk_alpha_1: string[];
  vk_beta_2: string[][];
  vk_gamma_2: string[][];
  vk_delta_2: string[][];
  IC: string[][];
}

/** A proof of snarkjs. */
export interface ProofJson {
  [other: string]: unknown;
  pi_a: string[];
  pi_b: string[][];
  pi_c: string[];
}

/** Converts a key of engine bytes. */
export function keyJson(key: Uint8Array): KeyJson {
  return snarkjsKey(key) as unknown as KeyJson;
}

/** Converts a proof of engine bytes; a point of zeros is infinity. */
export function proofJson(proof: Uint8Array): ProofJson {
  return proofOfWords(wordsOf(proof).map(String));
}

/** Makes a proof of its eight words in the order of EIP-197, in decimal. */
export function proofOfWords(words: readonly string[]): ProofJson {
  const [ax = '', ay = '', bx1 = '', bx0 = '', by1 = '', by0 = '', cx = '', cy = ''] = words;
  const g1 = (x: string, y: string): string[] => (x === '0' && y === '0' ? ['0', '1', '0'] : [x, y, '1']);
  const isInfiniteB = [bx1, bx0, by1, by0].every((word) => word === '0');
  return {
    pi_a: g1(ax, ay),
    pi_b: isInfiniteB
      ? [
          ['0', '0'],
          ['1', '0'],
          ['0', '0'],
        ]
      : [
          [bx0, bx1],
          [by0, by1],
          ['1', '0'],
        ],
    pi_c: g1(cx, cy),
    protocol: 'groth16',
    curve: 'bn128',
  };
}
