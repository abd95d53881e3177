import { ServiceError } from '../../errors/service-error.ts';
import { bytes, columns, converted, integer, named, optional, type RowOf, text, word } from '../columns.ts';

const CLAIM_SOURCES = ['pcp', 'refresh'] as const;
/** Source of claims[0] of a credential. */
export type ClaimSource = (typeof CLAIM_SOURCES)[number];

/** Columns of the record of an issued credential. */
export const CREDENTIAL = columns({
  /** A u64 in decimal. */
  issuerSchemaId: text,
  /** A u64, 8 bytes big-endian. */
  credentialId: bytes,
  idComm: bytes,
  sub: bytes,
  /** Whole seconds × 1000. */
  genesisIssuedAt: integer,
  issuedAt: integer,
  /** Whole seconds × 1000. */
  expiresAt: integer,
  claim0: bytes,
  claimSource: word(CLAIM_SOURCES),
  /** SHA-256 of the manifest; null without a package. */
  manifestSha256: named('hashes_json_sha256', optional(bytes)),
  operatorId: optional(text),
  credentialHash: bytes,
  /** 64 bytes. */
  signature: bytes,
  /** `IssuerKeyRow.keyId`. */
  keyId: text,
  encryptedUserId: optional(
    converted(
      bytes,
      (stored) => Buffer.from(stored).toString(),
      (userId): Uint8Array => Buffer.from(userId),
    ),
  ),
});
/** The record of an issued credential. Times are milliseconds since the epoch. */
export type IssuedCredentialRow = RowOf<typeof CREDENTIAL>;

const BYTES = {
  credentialId: 8,
  idComm: 32,
  sub: 32,
  claim0: 32,
  credentialHash: 32,
  signature: 64,
} as const;
const MANIFEST_HASH_BYTES = 32;
const U64 = /^(0|[1-9]\d{0,19})$/;
const UNPAIRED_SURROGATE = /\p{Surrogate}/u;
const MAX_U64 = 2n ** 64n - 1n;

/**
 * Checks a row and returns it: the record of a credential can never be corrected later.
 *
 * @throws ServiceError `store.invalid_value`; the message names the field and not its value
 */
export function checkedCredential(row: IssuedCredentialRow): IssuedCredentialRow {
  for (const [name, length] of Object.entries(BYTES)) {
    checkBytes(name, row[name as keyof typeof BYTES], length);
  }
  if (!U64.test(row.issuerSchemaId) || BigInt(row.issuerSchemaId) > MAX_U64) {
    throw invalid('issuerSchemaId must be a u64 in decimal');
  }
  checkTime('issuedAt', row.issuedAt, 1);
  checkTime('genesisIssuedAt', row.genesisIssuedAt, 1000);
  checkTime('expiresAt', row.expiresAt, 1000);
  if (row.keyId === '') throw invalid('keyId must not be empty');
  if (row.encryptedUserId !== null && UNPAIRED_SURROGATE.test(row.encryptedUserId)) {
    throw invalid('encryptedUserId is text with an unpaired surrogate');
  }
  checkSource(row);
  return row;
}

function checkSource({ claimSource, manifestSha256, operatorId }: IssuedCredentialRow): void {
  if (!CLAIM_SOURCES.includes(claimSource)) throw invalid('claimSource must be pcp or refresh');
  const hasPackage = claimSource === 'pcp';
  if ((manifestSha256 !== null) !== hasPackage || (operatorId !== null) !== hasPackage) {
    throw invalid('manifestSha256 and operatorId must be set exactly for a package');
  }
  if (manifestSha256 !== null) checkBytes('manifestSha256', manifestSha256, MANIFEST_HASH_BYTES);
}

function checkBytes(name: string, value: Uint8Array, length: number): void {
  if (!(value instanceof Uint8Array) || value.length !== length)
    throw invalid(`${name} must be ${length} bytes`);
}

function checkTime(name: string, time: number, unit: number): void {
  if (Number.isSafeInteger(time) && time >= 0 && time % unit === 0) return;
  throw invalid(`${name} must be whole ${unit === 1 ? 'milliseconds' : 'seconds'}`);
}

function invalid(message: string): ServiceError {
  return new ServiceError('store.invalid_value', message);
}
