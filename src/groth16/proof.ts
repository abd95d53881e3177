import { byteCount, isBytes } from '../bytes.ts';
import { isObject, type JsonObject } from '../json.ts';
import { contentOf, mayBeText } from './content.ts';
import { isInSubgroup, isOnCurve } from './curve.ts';
import { arkworksProof } from './forms/arkworks.ts';
import { gnarkBinaryProof, gnarkJsonProof, isGnarkCompressed } from './forms/gnark.ts';
import { checkCurve, snarkjsProof } from './forms/snarkjs.ts';
import { eightNumbers, isEightNumbers, solidityArguments, solidityObject } from './forms/solidity.ts';
import { garagaProof } from './forms/structs.ts';
import { checkScheme } from './forms/zokrates.ts';
import { type FoundPoints, pointBytes, wordsOf } from './found.ts';
import {
  FIELD_ORDER,
  FormError,
  G1_BYTES,
  G2_BYTES,
  PROOF_BYTES,
  typeName,
  ValueError,
  WORD_BYTES,
} from './layout.ts';
import type { NumberCodes, NumberForm } from './numbers.ts';
import { suspicionOfLength, swappedProof } from './suspicion.ts';

/** Form in which a proof was found (src/docs/proofs-from-other-tools.md). */
export type ProofFormName =
  | 'snarkjs'
  | 'solidity'
  | 'solidity-calldata'
  | 'eight-numbers'
  | 'gnark-json'
  | 'gnark-raw'
  | 'gnark-compressed'
  | 'zokrates'
  | 'garaga'
  | 'semaphore'
  | 'arkworks'
  | 'arkworks-compressed'
  | 'selector-bytes'
  | 'compressed-bytes'
  | 'bytes';

/** A proof in the form of snarkjs: of G2 c0 then c1; the third coordinate of an affine point may be absent. */
export interface SnarkjsProofForm {
  readonly pi_a: readonly NumberForm[];
  readonly pi_b: readonly (readonly NumberForm[])[];
  readonly pi_c: readonly NumberForm[];
  /** `groth16` if present. */
  readonly protocol?: string;
  /** `bn128` if present, under any of its names. */
  readonly curve?: string;
}

/**
 * A proof: the object of snarkjs; 256 bytes, A ‖ B ‖ C, big-endian, G2 as c1 then c0 (EIP-197); the 128 bytes of the
 * compressed form (spec/verification.md#compressed-proofs); or any other form of src/docs/proofs-from-other-tools.md, as
 * parsed, text or bytes.
 */
export type ProofForm = SnarkjsProofForm | Uint8Array | string | object;

/** A proof whose bytes have been read. */
export interface ReadProof {
  readonly form: ProofFormName;
  /** 256 bytes, a copy: each value is read once; those of a compressed proof end with 128 zeros. */
  readonly bytes: Uint8Array;
  /** The public signals that came with the proof, not yet read. */
  readonly signals?: unknown;
  /** The bytes of a proof with a selector, whole. */
  readonly seal?: Uint8Array | undefined;
}

/** Choices of a reader of proofs. */
export interface ProofOptions {
  /** Whether what `groth16.verify` of snarkjs ignores is ignored: `protocol`, `curve`, a fourth coordinate of a point. */
  readonly isLax?: boolean;
}

const CODES: NumberCodes = { form: 'proof.form', range: 'proof.coordinate_range' };
const TEXT_CODES = { form: 'proof.form', length: 'proof.length', what: 'a proof' } as const;
const COMPRESSED_BYTES = PROOF_BYTES / 2;
/** A selector of four bytes, then the proof. */
const SEAL_BYTES = 4 + PROOF_BYTES;
/** What SP1 gives from v6 on: three words between selector and proof (src/groth16/zkvm/sp1.ts). */
const SP1_V6_BYTES = SEAL_BYTES + 3 * WORD_BYTES;
/** Names of the member with the public signals beside `proof`. */
export const SIGNAL_MEMBERS = [
  'publicSignals',
  'public_signals',
  'pub_signals',
  'publicInputs',
  'public_inputs',
  'inputs',
] as const;

/**
 * Reads a proof in any of its forms for the engine, which checks that its coordinates are below p and its points on their
 * curves.
 *
 * @throws FormError `proof.*`
 */
export function readProof(source: unknown, options: ProofOptions = {}): ReadProof {
  const { form, found, signals, seal } = findProof(source, options);
  if (found instanceof Uint8Array) return { form, bytes: found, signals, seal };
  const bytes = uncompressed(pointBytes(found, CODES));
  // A proof of ZoKrates has the members of a call in Solidity, but the parts of G2 in the other order.
  const swapped = form === 'solidity' ? swappedProof(bytes) : undefined;
  return swapped === undefined ? { form, bytes, signals } : { form: 'zokrates', bytes: swapped, signals };
}

interface FoundProof {
  readonly form: ProofFormName;
  readonly found: FoundPoints | Uint8Array;
  readonly signals?: unknown;
  readonly seal?: Uint8Array;
}

function findProof(source: unknown, options: ProofOptions): FoundProof {
  if (isObject(source) && source.pi_a !== undefined)
    return { ...inSnarkjs(source, options), signals: signalsBeside(source) };
  if (isBytes(source) && byteCount(source) === PROOF_BYTES && !mayBeText(source))
    return inWholeBytes(new Uint8Array(source));
  const content = contentOf(source, TEXT_CODES);
  if ('bytes' in content) return proofInBytes(content.bytes);
  const { json } = content;
  const { proof } = isObject(json) ? json : {};
  if (!isObject(json) || proof === undefined) return proofInJson(json, source, options);
  checkScheme(json.scheme, 'proof.form');
  if (!options.isLax) checkCurve(json.curve, 'proof.form');
  const inner = contentOf(proof, TEXT_CODES);
  const { signals: within, ...found } =
    'bytes' in inner ? proofInBytes(inner.bytes) : proofInJson(inner.json, proof, options);
  const beside = signalsBeside(json);
  if (within !== undefined && beside !== undefined)
    throw new FormError('input.form', '', 'ambiguous: public signals are in the proof and beside it');
  return { ...found, signals: beside ?? within };
}

/** Returns the public signals in an object that has a proof. @throws FormError `input.form` for two lists */
function signalsBeside(json: JsonObject): unknown {
  let found: unknown;
  for (const name of SIGNAL_MEMBERS) {
    const value = json[name];
    if (value === undefined || value === null) continue;
    if (found !== undefined)
      throw new FormError('input.form', '', `ambiguous: ${name} and another member have public signals`);
    found = value;
  }
  return found ?? semaphoreStatement(json);
}

function inSnarkjs(proof: JsonObject, { isLax = false }: ProofOptions): FoundProof {
  const { pi_a, pi_b, pi_c } = proof;
  const { protocol, curve } = isLax ? {} : proof;
  return { form: 'snarkjs', found: snarkjsProof({ protocol, curve, pi_a, pi_b, pi_c }, isLax) };
}

/** @param source - What the value was found in, for the type that the caller gave. */
function proofInJson(json: unknown, source: unknown, options: ProofOptions): FoundProof {
  if (Array.isArray(json)) return proofInArray(json);
  if (!isObject(json)) {
    const expected = `expected a proof as an object, an array, or bytes in hex or base64, got ${typeName(json)}`;
    throw new FormError('proof.form', '', expected, typeof source !== 'string');
  }
  if (json.Ar !== undefined || json.Krs !== undefined)
    return { form: 'gnark-json', found: gnarkJsonProof(json), signals: signalsBeside(json) };
  const { points } = json;
  if (Array.isArray(points) && isEightNumbers(points))
    return { form: 'semaphore', found: eightNumbers(points, 'points'), signals: signalsBeside(json) };
  const garaga = garagaProof(json);
  if (garaga !== undefined) return { form: 'garaga', found: garaga, signals: signalsBeside(json) };
  const found = solidityObject(json);
  const signals = signalsBeside(json);
  return found === undefined
    ? { ...inSnarkjs(json, options), signals }
    : { form: 'solidity', found, signals };
}

/** The public signals of a proof of Semaphore v4 or v3, if the object has what they follow from. */
function semaphoreStatement({
  merkleTreeRoot,
  nullifier,
  message,
  scope,
  nullifierHash,
  signal,
  externalNullifier,
}: JsonObject): object | undefined {
  if (merkleTreeRoot === undefined || (nullifier === undefined && nullifierHash === undefined))
    return undefined;
  return { merkleTreeRoot, nullifier, message, scope, nullifierHash, signal, externalNullifier };
}

function proofInArray(json: readonly unknown[]): FoundProof {
  const { length, 0: first, 1: second, 2: third, 3: signals } = json;
  if (isEightNumbers(json)) return { form: 'eight-numbers', found: eightNumbers(json, '') };
  if (length === 2 && Array.isArray(first) && isEightNumbers(first))
    return { form: 'eight-numbers', found: eightNumbers(first, '[0]'), signals: second };
  if (length === 3 || length === 4) {
    const found = solidityArguments([first, second, third], ['[0]', '[1]', '[2]']);
    return { form: 'solidity-calldata', found, signals };
  }
  const expected = 'expected eight numbers, or the arrays of A, B and C';
  throw new FormError('proof.form', '', `${expected}, got an array of ${length}`, length === 0);
}

function proofInBytes(bytes: Uint8Array): FoundProof {
  const { length } = bytes;
  if (length === PROOF_BYTES) return inWholeBytes(bytes);
  if (length === COMPRESSED_BYTES) return inCompressedBytes(bytes);
  if (length === SEAL_BYTES || length === SP1_V6_BYTES) {
    const proof = bytes.slice(-PROOF_BYTES);
    // Compressed proofs of gnark with three or six commitments have these lengths, too, and are refused by their name.
    if (!hasPointA(proof)) gnarkBinaryProof(bytes, true);
    return { form: 'selector-bytes', found: uncompressed(proof), seal: bytes };
  }
  for (const form of ['gnark-raw', 'gnark-compressed'] as const) {
    const proof = gnarkBinaryProof(bytes, form === 'gnark-compressed');
    if (proof !== undefined) return { form, found: uncompressed(proof) };
  }
  const expected = `expected ${PROOF_BYTES} or ${COMPRESSED_BYTES} bytes, or ${SEAL_BYTES} with a selector`;
  throw new FormError('proof.length', '', `${expected}, got ${length}${suspicionOfLength(bytes)}`);
}

/** Highest byte of p, of a word that may be below p. */
const HIGH = 0x30;
/** Bits of a byte without those of flags. */
const UNFLAGGED = 0x3f;

/** Whether the highest bytes, of words with the lowest byte first, let 256 or 128 bytes be a proof of arkworks. */
function mayBeArkworks(bytes: Uint8Array): boolean {
  for (let at = WORD_BYTES - 1; at < bytes.length; at += WORD_BYTES)
    if (((bytes[at] ?? 0) & UNFLAGGED) > HIGH) return false;
  return true;
}

/** Reads 256 bytes in the order of EIP-197, or of arkworks if A then is a point and in the other order is none. */
function inWholeBytes(bytes: Uint8Array): FoundProof {
  if (mayBeArkworks(bytes) && !hasPointA(bytes)) {
    const proof = refusedAsUndefined(() => arkworksProof(bytes));
    if (proof !== undefined && hasPointA(proof)) return { form: 'arkworks', found: uncompressed(proof) };
  }
  return { form: 'bytes', found: uncompressed(bytes) };
}

function hasPointA(proof: Uint8Array): boolean {
  const [x = 0n, y = 0n] = wordsOf(proof.subarray(0, G1_BYTES));
  return x < FIELD_ORDER && y < FIELD_ORDER && ((x === 0n && y === 0n) || isOnCurve({ x, y }));
}

/**
 * Reads 128 bytes: of gnark, whose first bit is set; in the compressed form of the engine, where it is not; or of arkworks,
 * where it is any. Bytes that could be of two are those whose B has order r: by chance, 1 of 2²⁵⁴ has it.
 */
function inCompressedBytes(bytes: Uint8Array): FoundProof {
  const gnark = isGnarkCompressed(bytes)
    ? refusedAsUndefined(() => gnarkBinaryProof(bytes, true))
    : undefined;
  const arkworks = mayBeArkworks(bytes) ? refusedAsUndefined(() => arkworksProof(bytes)) : undefined;
  if (gnark !== undefined && (arkworks === undefined || hasPointB(gnark)))
    return { form: 'gnark-compressed', found: uncompressed(gnark) };
  if (arkworks !== undefined && (!mayBeCompressed(bytes) || hasPointB(arkworks)))
    return { form: 'arkworks-compressed', found: uncompressed(arkworks) };
  const padded = new Uint8Array(PROOF_BYTES);
  padded.set(bytes);
  return { form: 'compressed-bytes', found: padded };
}

/** Whether 128 bytes have the ranges of the compressed form of the engine. */
function mayBeCompressed(bytes: Uint8Array): boolean {
  const [a = 0n, b1 = 0n, b0 = 0n, c = 0n] = wordsOf(bytes);
  return [a >> 1n, b1, b0 >> 2n, c >> 1n].every((x) => x < FIELD_ORDER);
}

function hasPointB(proof: Uint8Array): boolean {
  const [x1 = 0n, x0 = 0n, y1 = 0n, y0 = 0n] = wordsOf(proof.subarray(G1_BYTES, G1_BYTES + G2_BYTES));
  return isInSubgroup({ x: [x0, x1], y: [y0, y1] });
}

function refusedAsUndefined<T>(step: () => T): T | undefined {
  try {
    return step();
  } catch (error) {
    if (error instanceof FormError) return undefined;
    throw error;
  }
}

/**
 * Refuses zeros in the second half (B.y and C), which the engine would treat as a compressed proof: the twist has no
 * point with y = 0.
 */
function uncompressed(bytes: Uint8Array): Uint8Array {
  if (bytes.subarray(COMPRESSED_BYTES).some((byte) => byte !== 0)) return bytes;
  throw new ValueError('proof.point_not_on_curve', '', 'B is not on its curve');
}
