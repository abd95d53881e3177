import { toHex } from '../semaphore/hex.ts';
import { CLAIM_COUNT, claimWords, type SignedFields } from './fields.ts';

/**
 * Writes the JSON of a credential, compact, in the order of spec/credential.md#credential-object. Integers
 * are written from bigints, since a double cannot hold every id.
 *
 * @param signature - 64 bytes.
 * @param pk - Affine coordinates of the issuer's public key, decimal.
 */
export function credentialJson(
  fields: SignedFields,
  signature: Uint8Array,
  pk: readonly [x: string, y: string],
): string {
  const words = claimWords(fields.claims);
  const claims = Array.from({ length: CLAIM_COUNT }, (_, index) =>
    toHex(words.subarray(32 * index, 32 * index + 32)),
  );
  const members: readonly (readonly [name: string, json: string])[] = [
    ['id', String(fields.id)],
    ['version', '"V1"'],
    ['issuer_schema_id', String(fields.issuerSchemaId)],
    ['sub', JSON.stringify(toHex(fields.sub))],
    ['genesis_issued_at', String(BigInt(fields.genesisIssuedAt))],
    ['expires_at', String(BigInt(fields.expiresAt))],
    ['claims', JSON.stringify(claims)],
    ['associated_data_hash', JSON.stringify(toHex(fields.associatedDataHash))],
    ['signature', JSON.stringify(toHex(signature).slice(2))],
    ['issuer', JSON.stringify({ pk })],
  ];
  return `{${members.map(([name, json]) => `"${name}":${json}`).join(',')}}`;
}
