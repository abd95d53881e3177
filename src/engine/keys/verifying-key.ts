import { ServiceError } from '../../errors/index.ts';

// α (64), β, γ, δ (128 each), then IC points of 64: one, and one for each input.
const KEY_HEAD_BYTES = 448;
const POINT_BYTES = 64;
const MAX_INPUTS = 1024;
/** A key may have a thousand faults; an error message names the first ones. */
const SHOWN_FAULTS = 3;

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

/** Splits what `CryptoFunctions.keyFaults` returns into sentences. */
export function faultsOf(text: string): readonly string[] {
  return text === '' ? [] : text.split('\n');
}

/** Returns the error for a key with these faults, for callers that do not accept them. */
export function degenerateKeyError(faults: readonly string[]): ServiceError {
  const shown = faults.slice(0, SHOWN_FAULTS).join('; ');
  const hidden = faults.length - SHOWN_FAULTS;
  return new ServiceError('key.degenerate_inputs', hidden > 0 ? `${shown}; and ${hidden} more` : shown);
}
