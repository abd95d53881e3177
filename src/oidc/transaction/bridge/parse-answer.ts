import { decodeWord, isBelowScalarOrder, writeHex } from '../../../semaphore/index.ts';
import type { Bytes32 } from '../../../storage/index.ts';

/** A proof as bytes; the engine checks its points. */
export interface SigninProof {
  /** 256 bytes, eight words in EIP-197 order. */
  readonly proof: Uint8Array;
  /** Below r. */
  readonly root: Bytes32;
  /** Below r. */
  readonly nullifier: Bytes32;
}

const PROOF = /^0x[0-9a-fA-F]{512}$/;
const WORD = /^0x[0-9a-fA-F]{1,64}$/;

/**
 * Reads `proof`, `merkle_root` and `nullifier_hash` of a wallet's answer (spec/sign-in.md#wallet-answer);
 * other members, including the level that it claims, are ignored.
 *
 * @returns Undefined for any other form, or if the root or nullifier is not below r.
 */
export function parseSigninProof(answer: Readonly<Record<string, unknown>>): SigninProof | undefined {
  const { proof, merkle_root, nullifier_hash } = answer;
  if (typeof proof !== 'string' || !PROOF.test(proof)) return undefined;
  const root = wordBelowOrder(merkle_root);
  const nullifier = wordBelowOrder(nullifier_hash);
  if (!root || !nullifier) return undefined;
  const bytes = new Uint8Array(256);
  writeHex(proof, 2, proof.length, bytes);
  return { proof: bytes, root, nullifier };
}

function wordBelowOrder(text: unknown): Bytes32 | undefined {
  if (typeof text !== 'string' || !WORD.test(text)) return undefined;
  const word = decodeWord(text);
  return word && isBelowScalarOrder(word) ? word : undefined;
}
