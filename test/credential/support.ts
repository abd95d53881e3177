/** Credentials of the vectors and random ones, with their hash in plain JavaScript. */
import { createHash } from 'node:crypto';
import { FIELD_ORDER, poseidon2 } from '../../bench/contenders/poseidon2.ts';
import type { SignedFields } from '../../src/credential/credential.ts';
import { CREDENTIALS, word } from '../engine/support/vectors.ts';

/** A row of `credentials`; only the last one is a complete credential. */
export type CredentialRow = (typeof CREDENTIALS.credentials)[number];

/** test/vectors/credential-vectors.json. */
export const VECTORS: typeof CREDENTIALS = CREDENTIALS;

/** Returns the fields of a row. */
export function fieldsOf(row: CredentialRow): SignedFields {
  return {
    id: BigInt(row.id),
    issuerSchemaId: BigInt(row.issuer_schema_id),
    sub: word(row.sub),
    genesisIssuedAt: BigInt(row.genesis_issued_at),
    expiresAt: BigInt(row.expires_at),
    claims: row.claims.map(word),
    associatedDataHash: word(row.associated_data_hash),
  };
}

/** Returns a deterministic generator of numbers of so many bits: SHA-256 of a label and a counter. */
export function numbers(label: string): (bits: number) => bigint {
  let counter = 0;
  return (bits) => {
    counter += 1;
    const digest = createHash('sha256').update(`${label} ${counter}`).digest('hex');
    return BigInt(`0x${digest}`) >> BigInt(256 - bits);
  };
}

/** Returns random fields of any size: some small, some at their limit, with 0 to 15 claims. */
export function randomFields(next: (bits: number) => bigint): SignedFields {
  const u64 = (): bigint => next(Number(next(6)) + 1);
  const element = (): Uint8Array => {
    const kind = next(4);
    if (kind === 0n) return word('0');
    if (kind === 1n) return word(String(FIELD_ORDER - 1n));
    return word(String(next(kind === 2n ? 16 : 256) % FIELD_ORDER));
  };
  return {
    id: u64(),
    issuerSchemaId: u64(),
    sub: element(),
    genesisIssuedAt: u64(),
    expiresAt: u64(),
    claims: Array.from({ length: Number(next(4)) }, element),
    associatedDataHash: element(),
  };
}

const numberOf = (element: Uint8Array): bigint => BigInt(`0x${Buffer.from(element).toString('hex')}`);
const [separator] = VECTORS.domain_separators.filter(({ text }) => text === 'POSEIDON2+EDDSA-BJJ');

/** Computes the credential hash in plain JavaScript. */
export function plainHash(fields: SignedFields): bigint {
  const claims = Array.from({ length: 16 }, (_, index) => numberOf(fields.claims[index] ?? word('0')));
  const [, claimsHash = 0n] = poseidon2(claims);
  const [, hash = 0n] = poseidon2([
    BigInt(separator?.value ?? 0),
    fields.issuerSchemaId,
    numberOf(fields.sub),
    BigInt(fields.genesisIssuedAt),
    BigInt(fields.expiresAt),
    claimsHash,
    numberOf(fields.associatedDataHash),
    fields.id,
  ]);
  return hash;
}
