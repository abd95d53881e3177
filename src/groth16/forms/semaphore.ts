/**
 * The file of verifying keys of Semaphore (npm @semaphore-protocol/proof, verification-keys.json): one α, β and γ, and
 * lists of δ and of IC, one for each depth from 1.
 */
import type { JsonObject } from '../../json.ts';
import { FormError } from '../layout.ts';

/** Nesting of arrays in `vk_delta_2` of one key. */
const DELTA_LEVELS = 2;

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
  if (depth === undefined || depth < 1 || depth > count)
    throw new FormError(
      'key.not_json',
      'vk_delta_2',
      `the file has keys for depth 1 to ${count}: name one as the depth`,
    );
  return {
    ...file,
    vk_delta_2: (deltas as readonly unknown[])[depth - 1],
    IC: (inputs as readonly unknown[])[depth - 1],
  };
}
