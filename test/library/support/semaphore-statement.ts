/** A real statement of the Semaphore circuit in every form that the library takes. */
import { readFileSync } from 'node:fs';
import type { VerifyingKeyForm } from '../../../src/groth16/key.ts';
import type { SnarkjsProofForm } from '../../../src/groth16/proof.ts';
import { PROOFS, type VectorProof } from '../../engine/support/vectors.ts';
import { fromBe } from '../../support/crypto/bn254.ts';

/** The words of bytes as decimal texts. */
export function decimals(bytes: Uint8Array): string[] {
  return Array.from({ length: bytes.length / 32 }, (_, index) =>
    String(fromBe(bytes.subarray(32 * index, 32 * index + 32))),
  );
}

/** A proof of 256 bytes in the form of snarkjs. */
export function snarkjsProof(proof: Uint8Array): SnarkjsProofForm {
  const [ax = '', ay = '', bx1 = '', bx0 = '', by1 = '', by0 = '', cx = '', cy = ''] = decimals(proof);
  return {
    pi_a: [ax, ay, '1'],
    pi_b: [
      [bx0, bx1],
      [by0, by1],
      ['1', '0'],
    ],
    pi_c: [cx, cy, '1'],
    protocol: 'groth16',
    curve: 'bn128',
  };
}

const vector = PROOFS.find(({ depth, compressed }) => depth === 30 && compressed) as VectorProof;

/** Text of the key of the production circuit. */
export const KEY_TEXT: string = readFileSync(
  new URL('../../../circuits/semaphore-depth30/verification-key.json', import.meta.url),
  'utf8',
);
export const KEY: VerifyingKeyForm = JSON.parse(KEY_TEXT) as VerifyingKeyForm;
/** 256 bytes. */
export const PROOF_BYTES: Uint8Array = vector.proof;
/** 128 bytes. */
export const COMPRESSED_BYTES: Uint8Array = (vector.compressed as Uint8Array).slice(0, 128);
export const PROOF: SnarkjsProofForm = snarkjsProof(vector.proof);
/** 4 × 32 bytes. */
export const SIGNAL_BYTES: Uint8Array = vector.inputs;
export const SIGNALS: readonly string[] = decimals(vector.inputs);
