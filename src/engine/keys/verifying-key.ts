import { isEqual } from '../../bytes.ts';
import { ServiceError } from '../../errors/index.ts';

// α (64), β, γ, δ (128 each), then IC points of 64: one, and one for each input.
const KEY_HEAD_BYTES = 448;
const POINT_BYTES = 64;
const WORD_BYTES = 32;
const MAX_INPUTS = 1024;
/** A key may have a thousand faults; an error message names the first ones. */
const SHOWN_FAULTS = 3;
// A = α, B = β, C = 0 proves it where ic[0] is infinity; A = α, B = β ± γ, C = 0 where ic[0] is ±α.
const ALL_ZERO = 'anyone can prove the statement whose public inputs are all 0';

/**
 * Returns the number of public inputs that a key of this length has.
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

/**
 * Finds IC points that make public inputs of a verifying key exchangeable or meaningless: points at infinity,
 * and points that are equal or opposite. Such a key accepts honest proofs, but it also accepts a proof for
 * statements other than the one that was proved. The setup of snarkjs produces no such key; another setup
 * may, for a circuit with an unused public input.
 *
 * @param key - A whole key as `Engine.registerKey` takes it; coordinates are below p, so equal points have
 *   equal bytes.
 * @returns One sentence for each fault, naming the input; empty for a key without faults.
 */
export function degenerateInputs(key: Uint8Array): readonly string[] {
  const count = (key.length - KEY_HEAD_BYTES) / POINT_BYTES;
  const pointAt = (index: number): Uint8Array =>
    key.subarray(KEY_HEAD_BYTES + index * POINT_BYTES, KEY_HEAD_BYTES + (index + 1) * POINT_BYTES);
  const faults: string[] = [];
  const firstWithX = new Map<string, number>();
  for (let index = 0; index < count; index++) {
    const point = pointAt(index);
    if (point.every((byte) => byte === 0)) {
      faults.push(infiniteFault(index));
      continue;
    }
    const x = textOf(point.subarray(0, WORD_BYTES));
    const first = firstWithX.get(x);
    if (first === undefined) firstWithX.set(x, index);
    else faults.push(pairFault(first, index, isEqual(point, pointAt(first))));
  }
  if (firstWithX.get(textOf(key.subarray(0, WORD_BYTES))) === 0)
    faults.push(`ic[0] is alpha or its negative: ${ALL_ZERO}`);
  return faults;
}

/** Returns a coordinate as a text that serves as the key of a map. */
function textOf(coordinate: Uint8Array): string {
  return String.fromCharCode(...coordinate);
}

/** Returns the error for a key with these faults, for callers that do not accept them. */
export function degenerateKeyError(faults: readonly string[]): ServiceError {
  const shown = faults.slice(0, SHOWN_FAULTS).join('; ');
  const hidden = faults.length - SHOWN_FAULTS;
  return new ServiceError('key.degenerate_inputs', hidden > 0 ? `${shown}; and ${hidden} more` : shown);
}

function infiniteFault(index: number): string {
  const consequence = index === 0 ? ALL_ZERO : `a proof holds whatever the value of public input ${index} is`;
  return `ic[${index}] is the point at infinity: ${consequence}`;
}

function pairFault(first: number, second: number, isEqual: boolean): string {
  const relation = `ic[${first}] and ic[${second}] are ${isEqual ? 'equal' : 'opposite'}`;
  if (first === 0) {
    // then IC₀ + Σ xⱼ·ICⱼ is infinity, and A = α, B = β, C = 0 proves it
    const value = isEqual ? '-1' : '1';
    return `${relation}: anyone can prove the statement whose public input ${second} is ${value} and all others 0`;
  }
  const invariant = isEqual ? 'sum' : 'difference';
  return `${relation}: a proof also holds for other public inputs ${first} and ${second} of the same ${invariant}`;
}
