import { byteCount, isBytes } from '../bytes.ts';
import { isObject } from '../json.ts';
import { FormError, PROOF_BYTES, WORD_BYTES } from './layout.ts';
import { type NumberCodes, type NumberForm, typeName, writeNumberForm } from './number-form.ts';

/** A proof in the form of snarkjs: projective coordinates with z = 1, G2 as c0 then c1. */
export interface SnarkjsProofForm {
  readonly pi_a: readonly NumberForm[];
  readonly pi_b: readonly (readonly NumberForm[])[];
  readonly pi_c: readonly NumberForm[];
  /** `groth16` if present. */
  readonly protocol?: string;
  /** `bn128` or `bn254` if present. */
  readonly curve?: string;
}

/**
 * A proof: the object of snarkjs; 256 bytes, A ‖ B ‖ C, big-endian, G2 as c1 then c0 (EIP-197); or the 128 bytes of the
 * compressed form (spec/verification.md#compressed-proofs).
 */
export type ProofForm = SnarkjsProofForm | Uint8Array;

const CODES: NumberCodes = { form: 'proof.form', range: 'proof.coordinate_range' };
const COMPRESSED_BYTES = PROOF_BYTES / 2;
const CURVES: readonly unknown[] = [undefined, 'bn128', 'bn254'];

/**
 * Encodes a proof for the engine, which checks that its coordinates are below p and its points on their curves.
 *
 * @returns 256 bytes, a copy: each value is read once; those of a compressed proof end with 128 zeros.
 * @throws FormError `proof.form`, `proof.length`, `proof.coordinate_range`, `proof.point_not_on_curve`
 */
export function proofBytesOf(proof: unknown): Uint8Array {
  if (isBytes(proof)) return bytesOf(proof);
  if (!isObject(proof))
    throw new FormError('proof.form', '', `expected a proof object or bytes, got ${typeName(proof)}`, true);
  const { protocol, curve, pi_a, pi_b, pi_c } = proof;
  if (protocol !== undefined && protocol !== 'groth16')
    throw new FormError('proof.form', 'protocol', 'expected "groth16"');
  if (!CURVES.includes(curve)) throw new FormError('proof.form', 'curve', 'expected "bn128"');
  const bytes = new Uint8Array(PROOF_BYTES);
  const words: readonly (readonly [unknown, string])[] = [
    ...affineG1(pi_a, 'pi_a'),
    ...affineG2(pi_b),
    ...affineG1(pi_c, 'pi_c'),
  ];
  for (const [index, [value, path]] of words.entries()) {
    writeNumberForm(value, bytes.subarray(index * WORD_BYTES, (index + 1) * WORD_BYTES), path, CODES);
  }
  return uncompressed(bytes);
}

function bytesOf(proof: Uint8Array): Uint8Array {
  const length = byteCount(proof);
  if (length === PROOF_BYTES) return uncompressed(new Uint8Array(proof));
  if (length !== COMPRESSED_BYTES)
    throw new FormError(
      'proof.length',
      '',
      `expected ${PROOF_BYTES} or ${COMPRESSED_BYTES} bytes, got ${length}`,
    );
  const bytes = new Uint8Array(PROOF_BYTES);
  bytes.set(proof);
  return bytes;
}

/**
 * Refuses zeros in the second half (B.y and C), which the engine would treat as a compressed proof: the twist has no
 * point with y = 0.
 */
function uncompressed(bytes: Uint8Array): Uint8Array {
  if (bytes.subarray(COMPRESSED_BYTES).some((byte) => byte !== 0)) return bytes;
  throw new FormError('proof.point_not_on_curve', '', 'B is not on its curve');
}

function affineG1(point: unknown, name: string): [value: unknown, path: string][] {
  const words = tuple(point, 3, name);
  checkAffine(words[2], '1', `${name}[2]`);
  return [
    [words[0], `${name}[0]`],
    [words[1], `${name}[1]`],
  ];
}

/** Returns the words of B in the order of the engine, c1 before c0. */
function affineG2(point: unknown): [value: unknown, path: string][] {
  const coordinates = tuple(point, 3, 'pi_b');
  const [x, y, z] = [0, 1, 2].map((index) => tuple(coordinates[index], 2, `pi_b[${index}]`));
  checkAffine(z?.[0], '1', 'pi_b[2][0]');
  checkAffine(z?.[1], '0', 'pi_b[2][1]');
  return [
    [x?.[1], 'pi_b[0][1]'],
    [x?.[0], 'pi_b[0][0]'],
    [y?.[1], 'pi_b[1][1]'],
    [y?.[0], 'pi_b[1][0]'],
  ];
}

/**
 * Returns an array of a given length, to be read by index: own iterators or methods, or a change of its length, have no
 * effect.
 */
function tuple(value: unknown, length: number, path: string): readonly unknown[] {
  const found = Array.isArray(value) ? value.length : undefined;
  if (found === length) return value as readonly unknown[];
  const what = found === undefined ? typeName(value) : `${found} elements`;
  throw new FormError('proof.form', path, `expected an array of ${length}, got ${what}`, found === undefined);
}

function checkAffine(value: unknown, expected: '0' | '1', path: string): void {
  // The form of snarkjs.
  if (value === expected) return;
  const word = new Uint8Array(WORD_BYTES);
  writeNumberForm(value, word, path, CODES);
  if (word.some((byte, index) => byte !== (index === WORD_BYTES - 1 ? Number(expected) : 0)))
    throw new FormError('proof.form', path, `expected ${expected}, the coordinate of an affine point`);
}
