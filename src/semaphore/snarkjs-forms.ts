import type { Identity } from './identity.ts';
import type { InclusionProof } from './merkle-tree.ts';
import { numberOf, wordOf } from './words.ts';

/** The statement to prove: this identity is a leaf of this tree, bound to a signal and an external nullifier. */
export interface MembershipStatement {
  readonly identity: Identity;
  readonly inclusion: InclusionProof;
  /** 32 bytes, from `hashSignal`. */
  readonly signalHash: Uint8Array;
  /** 32 bytes, from `externalNullifier`. */
  readonly externalNullifier: Uint8Array;
}

/** A Groth16 proof in the form of snarkjs: decimal projective coordinates with z = 1, G2 as c0 then c1. */
export interface SnarkjsProof {
  readonly pi_a: readonly string[];
  readonly pi_b: readonly (readonly string[])[];
  readonly pi_c: readonly string[];
}

/** Returns the inputs of `circuits/semaphore` by signal name, in decimal. */
export function circuitInput(statement: MembershipStatement): Record<string, string | string[]> {
  const { identity, inclusion, signalHash, externalNullifier } = statement;
  return {
    identityNullifier: decimal(identity.nullifier),
    identityTrapdoor: decimal(identity.trapdoor),
    treePathIndices: inclusion.pathIndices.map(String),
    treeSiblings: inclusion.siblings.map(decimal),
    signalHash: decimal(signalHash),
    externalNullifier: decimal(externalNullifier),
  };
}

/**
 * Encodes a proof for the interfaces (spec/verification.md#proof-words): 256 bytes, eight big-endian words in EIP-197
 * order, G2 as c1 then c0.
 *
 * @throws RangeError for a coordinate that is missing or not a number of at most 256 bits
 */
export function proofBytes({ pi_a, pi_b, pi_c }: SnarkjsProof): Uint8Array {
  const [x = [], y = []] = pi_b;
  return wordsOf([pi_a[0], pi_a[1], x[1], x[0], y[1], y[0], pi_c[0], pi_c[1]]);
}

/**
 * Encodes decimal numbers as consecutive words of 32 bytes, big-endian.
 *
 * @throws RangeError for a text that is not a number of at most 256 bits
 */
export function wordsOf(decimals: readonly (string | undefined)[]): Uint8Array {
  const bytes = new Uint8Array(32 * decimals.length);
  for (const [index, text] of decimals.entries()) bytes.set(wordOf(number(text)), 32 * index);
  return bytes;
}

function decimal(word: Uint8Array): string {
  return String(numberOf(word));
}

function number(text: string | undefined): bigint {
  const value = text !== undefined && /^[0-9]{1,78}$/.test(text) ? BigInt(text) : undefined;
  if (value === undefined || value >= 1n << 256n)
    throw new RangeError('expected a decimal number of at most 256 bits');
  return value;
}
