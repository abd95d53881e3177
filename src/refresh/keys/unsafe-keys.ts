import { isKnownKey, type UnsafeCredentialKey } from '../../config/index.ts';
import type { IssuerKeyRow } from '../../storage/index.ts';

/**
 * Keys whose seeds others know: made up by the development profile, or standing in test vectors. Retired ones count, since
 * verifiers accept what such a key signs for as long as it is listed and not revoked.
 *
 * @param rows - Keys of any issuer schema.
 */
export function unsafeKeys(rows: readonly IssuerKeyRow[]): UnsafeCredentialKey[] {
  const found = new Map<string, UnsafeCredentialKey['madeBy']>();
  for (const { keyId, status, origin } of rows) {
    if (status === 'revoked') continue;
    if (isKnownKey(keyId)) found.set(keyId, 'vectors');
    else if (origin === 'development') found.set(keyId, 'development');
  }
  return [...found].map(([keyId, madeBy]) => ({ keyId, madeBy }));
}
