/** Byte layouts of the engine: a statement, a verifying key, the verdict byte of a backend. */
import { isServiceError, ServiceError } from '../errors/service-error.ts';
import type { Refusal, Verdict } from './engine.ts';

/** Bytes of a proof: A (64) ‖ B (128) ‖ C (64). */
export const PROOF_BYTES = 256;
/** Bytes of a public input. */
export const INPUT_BYTES = 32;

/** Returns the bytes of a statement, proof ‖ inputs, under a key with this number of public inputs. */
export function statementBytes(inputCount: number): number {
  return PROOF_BYTES + inputCount * INPUT_BYTES;
}

// α (64), β, γ, δ (128 each), then IC points of 64: one, and one for each input.
const KEY_HEAD_BYTES = 448;
const POINT_BYTES = 64;
const MAX_INPUTS = 1024;
/** A key may have a thousand faults; an error message contains the first ones. */
const SHOWN_FAULTS = 3;

/**
 * Returns the number of public inputs of a key of this length.
 *
 * @throws ServiceError `key.length`
 */
export function inputCountOf(key: Uint8Array): number {
  const count = (key.length - KEY_HEAD_BYTES) / POINT_BYTES - 1;
  if (Number.isInteger(count) && count >= 0 && count <= MAX_INPUTS) return count;
  throw new ServiceError(
    'key.length',
    `expected ${KEY_HEAD_BYTES} bytes and ${POINT_BYTES} for each of 1 to ${MAX_INPUTS + 1} IC points, got ${key.length}`,
  );
}

/** Splits the result of `CryptoFunctions.keyFaults` into sentences. */
export function faultsOf(text: string): readonly string[] {
  return text === '' ? [] : text.split('\n');
}

/** Returns the error for a key with these faults, for callers that do not accept them. */
export function degenerateKeyError(faults: readonly string[]): ServiceError {
  const shown = faults.slice(0, SHOWN_FAULTS).join('; ');
  const hidden = faults.length - SHOWN_FAULTS;
  return new ServiceError('key.degenerate_inputs', hidden > 0 ? `${shown}; and ${hidden} more` : shown);
}

/** Returns the error for a forgeable key with the public inputs that it does not use; any other error as it is. */
export function withUnusedInputs(error: unknown, key: Uint8Array): unknown {
  if (!isServiceError(error, 'key.forgeable')) return error;
  const unused: number[] = [];
  for (let input = 1; input <= inputCountOf(key); input++) {
    const at = KEY_HEAD_BYTES + input * POINT_BYTES;
    if (key.subarray(at, at + POINT_BYTES).every((byte) => byte === 0)) unused.push(input);
  }
  if (unused.length === 0) return error;
  const shown = `${unused.slice(0, SHOWN_FAULTS).join(', ')}${unused.length > SHOWN_FAULTS ? ' and others' : ''}`;
  const message = `${error.message}; besides, it does not use public input ${shown}`;
  return new ServiceError('key.forgeable', message, error.details, { cause: error });
}

/** Verdict of a valid proof. */
export const VALID: Verdict = Object.freeze({ ok: true });

/** Verdict of a well-formed proof whose equation does not hold. */
export const FALSE: Verdict = Object.freeze({ ok: false });

const REFUSALS = new Map<Refusal, Verdict>();

/** Returns the verdict of a refused proof: one shared, frozen object for each code. */
export function refusal(code: Refusal): Verdict {
  let verdict = REFUSALS.get(code);
  if (!verdict) {
    verdict = Object.freeze({ ok: false, code });
    REFUSALS.set(code, verdict);
  }
  return verdict;
}

// The index is the verdict byte of the addon and the WASM module (native/core/src/groth16/verdict.rs); test:
// test/engine/verify.test.ts, which covers each of them. 0, the value of unwritten memory, is not a verdict.
const BY_BYTE: readonly (Verdict | undefined)[] = [
  undefined,
  VALID,
  FALSE,
  refusal('proof.decompression'),
  refusal('proof.coordinate_range'),
  refusal('proof.point_not_on_curve'),
  refusal('proof.point_not_in_subgroup'),
  refusal('input.range'),
];

/** Returns the verdict for the byte of a backend; undefined for 0, "no verdict", and for unused values. */
export function verdictOfByte(byte: number): Verdict | undefined {
  return BY_BYTE[byte];
}

/**
 * Whether a proof with this verdict breaks the batch in which it is combined: its fault appears only in the pairing.
 * All other refusals are found before proofs are combined.
 */
export function breaksBatch(verdict: Verdict): boolean {
  return verdict === FALSE || verdict.code === 'proof.point_not_in_subgroup';
}
