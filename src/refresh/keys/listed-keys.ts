import { isKnownKey, type UnsafeCredentialKey } from '../../config/index.ts';
import type { IssuerKeyRow } from '../../storage/index.ts';
import type { ListedIssuerKey } from '../types.ts';

/** A key as others see it: public members only. */
export function listedKey({ issuerSchemaId, x, y, status }: IssuerKeyRow): ListedIssuerKey {
  return { issuerSchemaId, pk: publicKeyText({ x, y }), status };
}

/** Affine coordinates in decimal, as a credential names its issuer. */
export function publicKeyText({ x, y }: Pick<IssuerKeyRow, 'x' | 'y'>): readonly [x: string, y: string] {
  return [decimal(x), decimal(y)];
}

/**
 * The body of `GET /api/v1/issuer-keys` (spec/refresh.md#issuer-key-list).
 *
 * @returns Compact JSON; `issuer_schema_id` is a u64 in digits, which `JSON.stringify` of a number would round.
 */
export function issuerKeysDocument(keys: readonly ListedIssuerKey[]): string {
  const entries = keys.map(
    ({ issuerSchemaId, pk, status }) =>
      `{"issuer_schema_id":${BigInt(issuerSchemaId)},"pk":${JSON.stringify(pk)},"status":${JSON.stringify(status)}}`,
  );
  return `{"keys":[${entries.join(',')}]}`;
}

function decimal(word: Uint8Array): string {
  return BigInt(`0x${Buffer.from(word).toString('hex')}`).toString();
}

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
