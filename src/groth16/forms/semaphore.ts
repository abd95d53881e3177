/**
 * The file of verifying keys of Semaphore: one α, β and γ, and lists of δ and of IC, one for each depth: 1 to 32 in v4 and
 * 16 to 32 in v3 (npm @semaphore-protocol/proof, verification-keys.json).
 */
import type { JsonObject } from '../../json.ts';
import { FormError } from '../layout.ts';

/** Nesting of arrays in `vk_delta_2` of one key. */
const DELTA_LEVELS = 2;

/** Number of keys in the file of v3. */
const V3_KEYS = 17;
const V3_LEAST_DEPTH = 16;

/** Whether a key has lists of δ and IC. */
export function isPackedKey({ vk_delta_2 }: JsonObject): boolean {
  let value: unknown = vk_delta_2;
  let levels = 0;
  for (; Array.isArray(value) && levels <= DELTA_LEVELS; levels++) value = value[0];
  return levels > DELTA_LEVELS;
}

/** Returns the key of a depth in the form of snarkjs. @throws FormError `key.not_json` without a depth that it has */
export function packedKey(file: JsonObject, depth: number | undefined): JsonObject {
  const [deltas, inputs] = [file.vk_delta_2, file.IC];
  const count = Array.isArray(deltas) && Array.isArray(inputs) ? Math.min(deltas.length, inputs.length) : 0;
  const least = count === V3_KEYS ? V3_LEAST_DEPTH : 1;
  if (depth === undefined || depth < least || depth >= least + count) {
    const depths = `the depths ${least} to ${least + count - 1}`;
    throw new FormError(
      'key.not_json',
      'vk_delta_2',
      `the file has the keys of ${depths}: give one of them as the depth${depth === undefined ? '' : `, not ${depth}`}`,
    );
  }
  return {
    ...file,
    vk_delta_2: (deltas as readonly unknown[])[depth - least],
    IC: (inputs as readonly unknown[])[depth - least],
  };
}
