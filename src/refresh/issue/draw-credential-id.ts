import { randomBytes } from 'node:crypto';

const ID_BYTES = 8;

/**
 * A random u64, 8 bytes big-endian: a counter would tell how many credentials exist
 * (spec/credential.md#credential-object, id).
 */
export function drawCredentialId(): Uint8Array {
  return Uint8Array.from(randomBytes(ID_BYTES));
}
