import { ServiceError } from '../../errors/index.ts';
import { type DecodedKey, FormError, verifyingKeyOf } from '../../groth16/index.ts';

/**
 * Runs a step that decodes a key.
 *
 * @throws ServiceError `key.*` for each `FormError` of the step
 */
export function decodeKey<T>(step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (!(error instanceof FormError)) throw error;
    throw new ServiceError(error.code, error.message, { path: error.path }, { cause: error });
  }
}

/**
 * Reads a verifying key in snarkjs JSON and checks its form (`verifyingKeyOf`).
 *
 * @param text - The file as text.
 * @throws ServiceError `key.not_json`, `key.protocol`, `key.input_count`, `key.coordinate_range`,
 * `key.point_at_infinity`; the message names the member.
 */
export function keyFromSnarkjs(text: string): DecodedKey {
  return decodeKey(() => verifyingKeyOf(text));
}
