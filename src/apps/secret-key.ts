import { hkdfSync } from 'node:crypto';
import { type KeyConfig, masterKeyOf } from './master-key.ts';

const INFO = 'proofgate client secret v1';

/**
 * The key of the HMAC under which client secrets are stored (signin.md 12): `apps.secretHmacKey`, or derived from the
 * master key by HKDF-SHA256 without salt.
 *
 * @returns 32 bytes.
 * @throws ServiceError `config.invalid` as `masterKeyOf`
 */
export function secretKeyOf(config: KeyConfig): Uint8Array {
  const { secretHmacKey } = config.apps;
  if (secretHmacKey !== undefined) return Uint8Array.from(Buffer.from(secretHmacKey, 'base64'));
  return new Uint8Array(hkdfSync('sha256', masterKeyOf(config), '', INFO, 32));
}
