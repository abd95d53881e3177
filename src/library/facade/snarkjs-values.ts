/** Readers of `groth16.verify` of `proofgate/snarkjs`: what they throw and what they call false is as in snarkjs. */
import { isBytes } from '../../bytes.ts';
import { FormError, MAX_INPUTS, ValueError, WORD_BYTES } from '../../groth16/layout.ts';
import { readProof } from '../../groth16/proof.ts';
import { readSignals, signalsIn, writeSignal } from '../../groth16/signals.ts';
import { expectOwnSignals } from '../../groth16/statement.ts';
import { isBelowScalarOrder } from '../../semaphore/words.ts';

/** A number accepted by `groth16.verify`: digits, `0x` and hex digits, a bigint, or a safe integer. */
export type SnarkjsNumber = string | bigint | number;

/** The parts of a proof; `protocol` and `curve` are not read; the key determines them. */
export interface SnarkjsProof {
  readonly pi_a: readonly SnarkjsNumber[];
  readonly pi_b: readonly (readonly SnarkjsNumber[])[];
  readonly pi_c: readonly SnarkjsNumber[];
}

/** Longer texts are not given to `BigInt`, which takes time quadratic in the length. */
const MAX_TEXT = 1000;
/** Maximum nesting of arrays that is read; snarkjs recurses for each level. */
const MAX_DEPTH = 1000;

/**
 * Encodes a proof for the engine, which checks that its coordinates are below p and its points on their curves.
 *
 * @param signals - Bytes of the public signals, to which those that came with the proof must be equal.
 * @returns 256 bytes, of which a compressed proof has 128 and then zeros; undefined if a coordinate is not a number, or a
 *   point not on its curve.
 * @throws FormError `proof.form` for an absent member, or a value in no form of a proof; `input.form` for other signals
 */
export function snarkjsProofBytes(proof: unknown, signals: Uint8Array): Uint8Array | undefined {
  try {
    const read = readProof(proof, { isLax: true });
    expectOwnSignals(read, signals);
    return read.bytes;
  } catch (error) {
    if (error instanceof ValueError) return undefined;
    throw error;
  }
}

/**
 * Encodes public signals for the engine.
 *
 * @param count - Number of public inputs of the key.
 * @returns count × 32 bytes, each below r, or undefined for a signal out of range or too few signals.
 * @throws FormError `input.form` for a value that `BigInt` does not accept, `input.count` for too many signals, which
 *   are not read if no key has that many
 */
export function snarkjsSignalBytes(signals: unknown, count: number): Uint8Array | undefined {
  if (isBytes(signals)) return readSignals(signals, count);
  const list = signalsIn(signals);
  if (list instanceof Uint8Array) return readSignals(signals, count);
  const { length } = list;
  if (length > MAX_INPUTS) throw tooMany(count, length);
  const bytes = new Uint8Array(count * WORD_BYTES);
  for (let index = 0; index < length; index++) {
    // One excess element is still read, for the fault that snarkjs reports first.
    const word =
      index < count
        ? bytes.subarray(index * WORD_BYTES, (index + 1) * WORD_BYTES)
        : new Uint8Array(WORD_BYTES);
    const signal: unknown = list[index];
    try {
      writeSignal(signal, word, index);
    } catch (error) {
      if (error instanceof FormError && isTakenByBigint(signal)) return undefined;
      throw error;
    }
    if (!isBelowScalarOrder(word)) return undefined;
  }
  if (length > count) throw tooMany(count, length);
  return length === count ? bytes : undefined;
}

function tooMany(count: number, found: number): FormError {
  return new FormError('input.count', '', `expected ${count} public signals, got ${found}`);
}

/**
 * Whether `BigInt` accepts a value, such as a text with white space, a boolean, or an array of one number. snarkjs
 * throws for a public signal that `BigInt` does not accept. Does not call `BigInt` if that would take long, nor any
 * method of the value.
 */
export function isTakenByBigint(value: unknown): boolean {
  let only = value;
  // The text of an array is that of its only element; with more elements it contains a comma.
  for (let depth = 0; Array.isArray(only); depth++) {
    const { length } = only;
    if (length === 0) return true;
    if (length > 1 || depth === MAX_DEPTH) return false;
    only = (only[0] as unknown) ?? '';
  }
  const isElement = only !== value;
  switch (typeof only) {
    case 'bigint':
      return true;
    case 'boolean':
      return !isElement;
    case 'number':
      return isNumeric(isElement ? String(only) : only);
    case 'string':
      return only.length > MAX_TEXT || isNumeric(only);
    default:
      // snarkjs copies the members of an object first, so its value is lost.
      return false;
  }
}

function isNumeric(value: string | number): boolean {
  try {
    BigInt(value);
    return true;
  } catch {
    return false;
  }
}
