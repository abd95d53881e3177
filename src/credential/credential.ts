import { toHex, writeHex } from '../semaphore/hex.ts';
import { isBelowScalarOrder } from '../semaphore/words.ts';

/** Number of claims in a credential; the last one is reserved and always zero. */
export const CLAIM_COUNT = 16;

/**
 * The signed content of a credential (spec/credential.md#credential-object). Field elements are 32
 * bytes, big-endian, below r.
 */
export interface SignedFields {
  /** A u64. */
  readonly id: bigint;
  /** A u64. */
  readonly issuerSchemaId: bigint;
  readonly sub: Uint8Array;
  /** Whole Unix seconds; a bigint if read from a document, which may contain any u64. */
  readonly genesisIssuedAt: number | bigint;
  /** As `genesisIssuedAt`. */
  readonly expiresAt: number | bigint;
  /** At most 16 claims; absent ones are zero. */
  readonly claims: readonly Uint8Array[];
  readonly associatedDataHash: Uint8Array;
}

/** The signed content of a credential that is issued here. */
export interface CredentialFields extends SignedFields {
  /** Whole Unix seconds. */
  readonly genesisIssuedAt: number;
  /** Whole Unix seconds. */
  readonly expiresAt: number;
}

/**
 * Concatenates all sixteen claims to 512 bytes; absent ones are zero.
 *
 * @throws RangeError for more than sixteen claims
 */
export function claimWords(claims: readonly Uint8Array[]): Uint8Array {
  const words = new Uint8Array(32 * CLAIM_COUNT);
  for (const [index, claim] of claims.entries()) words.set(claim, 32 * index);
  return words;
}

const PREFIX = '0x';

/**
 * Parses a field element in the form of requests (spec/credential.md#field-elements, request-form): `0x`, then 1 to 64
 * hex digits of either case.
 *
 * @returns 32 bytes, big-endian, below the scalar order r; undefined for any other text.
 */
export function parseFieldElement(text: string): Uint8Array | undefined {
  if (!text.startsWith(PREFIX)) return undefined;
  const word = new Uint8Array(32);
  if (!writeHex(text, PREFIX.length, text.length, word)) return undefined;
  return isBelowScalarOrder(word) ? word : undefined;
}

/** Parses a field element that identifies a holder, like `parseFieldElement`, but refuses 0. */
export function parseNonZeroElement(text: string): Uint8Array | undefined {
  const word = parseFieldElement(text);
  return word?.some((byte) => byte !== 0) ? word : undefined;
}

/**
 * Writes the JSON of a credential, compact, in the order of spec/credential.md#credential-object. Integers are written
 * from bigints, since a double cannot represent every id.
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

/** Hashes bytes (spec/credential.md#byte-hash). */
export interface ClaimEngine {
  hashBytes(tag: string, data: Uint8Array): Promise<Uint8Array>;
}

/** The holder of a credential without a package. Both values are 32 bytes, big-endian, below r. */
export interface ClaimedHolder {
  readonly idComm: Uint8Array;
  readonly sub: Uint8Array;
}

const TAG = 'CLAIMS_HASH_V1';

/**
 * Computes claims[0] of a refresh with a custody package (spec/credential.md#credential-hashes, claim-of-package).
 *
 * @param manifest - The bytes of `hashes.json` exactly as received: key order and spaces affect the hash.
 * @throws ServiceError `hash.input` for empty bytes, `engine.busy`, `engine.draining`
 */
export function claimOfPackage(engine: ClaimEngine, manifest: Uint8Array): Promise<Uint8Array> {
  return engine.hashBytes(TAG, manifest);
}

/**
 * Computes claims[0] of a refresh without a package: the hash of BE32(idComm) ‖ BE32(sub) ‖ BE8(seconds).
 *
 * @param unixSeconds - Time of issuance, whole seconds.
 * @throws ServiceError `engine.busy`, `engine.draining`
 */
export function claimOfRefresh(
  engine: ClaimEngine,
  holder: ClaimedHolder,
  unixSeconds: number | bigint,
): Promise<Uint8Array> {
  const data = new Uint8Array(72);
  data.set(holder.idComm);
  data.set(holder.sub, 32);
  new DataView(data.buffer).setBigUint64(64, BigInt(unixSeconds));
  return engine.hashBytes(TAG, data);
}
