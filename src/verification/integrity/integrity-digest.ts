import { createHash, type Hash } from 'node:crypto';
import type { JsonObject } from '../../json.ts';
import type { ProofKind } from '../../membership/worldid4/proofs4.ts';
import { writeNumber } from '../../semaphore/words.ts';
import { integrityRefusal } from './integrity-bundle.ts';

/** The part of a request that a device attests to. */
export interface AttestedRequest {
  readonly protocol: '3.0' | '4.0';
  readonly kind: ProofKind;
  readonly nonce: string;
  /** The items as sent; they fit the schema of their version. */
  readonly responses: readonly JsonObject[];
}

const DOMAIN_3 = 'worldcoin/proof-integrity/v3';
const DOMAIN_4 = 'worldcoin/proof-integrity/v4';
const UNIQUENESS_TAG = Uint8Array.of(0);
const SESSION_TAG = Uint8Array.of(1);
const SELF_CHECK_ISSUER = /^0*11$/;
const WORD_BYTES = 32;

const COMMON_FIELDS = ['identifier', 'signal_hash', 'proof'] as const;
const COMMON_FIELDS_4 = [
  ...COMMON_FIELDS,
  'issuer_schema_id',
  'expires_at_min',
  'credential_genesis_issued_at_min',
  'sybil_score',
] as const;
/** All fields of an item that the service reads. */
const FIELDS_3 = [...COMMON_FIELDS, 'nullifier', 'merkle_root', 'max_age'] as const;
const UNIQUENESS_FIELDS = [...COMMON_FIELDS_4, 'nullifier'] as const;
const SESSION_FIELDS = [...COMMON_FIELDS_4, 'session_nullifier'] as const;

/** Whether an `issuer_schema_id` is that of Self Check, whose items contain a score. */
export function isSelfCheck(issuerSchemaId: unknown): boolean {
  return SELF_CHECK_ISSUER.test(String(issuerSchemaId));
}

/**
 * Returns the 40 bytes whose SHA-256 a device signs: i64(timestamp) ‖ payload digest, where the payload is the proofs of
 * a 3.0 request, and the nonce of a 4.0 request, with the items in version 2 (spec/worldid4.md#integrity-bundle).
 *
 * @param timestamp - Seconds since the epoch.
 * @throws ServiceError `verify.integrity_failed` if a number of the request does not parse
 */
export function attestedBytes(request: AttestedRequest, version: 1 | 2, timestamp: number): Uint8Array {
  const bytes = Buffer.alloc(8 + WORD_BYTES);
  bytes.writeBigInt64BE(BigInt(timestamp));
  bytes.set(payloadDigest(request, version), 8);
  return bytes;
}

/** Returns the 32-byte digest of the payload that a device attests to. */
export function payloadDigest(request: AttestedRequest, version: 1 | 2): Uint8Array {
  const { protocol, kind, nonce, responses } = request;
  const hash = createHash('sha256');
  if (protocol === '3.0') {
    hash.update(DOMAIN_3).update(u32(responses.length));
    for (const { proof } of responses) {
      const bytes = Buffer.from(String(proof));
      hash.update(u32(bytes.length)).update(bytes);
    }
    return hash.digest();
  }
  hash.update(DOMAIN_4).update(wordOfText(nonce));
  if (version === 2) {
    hash.update(u32(responses.length));
    for (const item of responses) addItem(hash, item, kind);
  }
  return hash.digest();
}

function addItem(hash: Hash, item: JsonObject, kind: AttestedRequest['kind']): void {
  const isSession = kind === 'session';
  const words = isSession ? (item.session_nullifier as readonly unknown[]) : [item.nullifier];
  hash.update(isSession ? SESSION_TAG : UNIQUENESS_TAG);
  for (const word of words) hash.update(wordOfText(word));
  const claims = isSelfCheck(item.issuer_schema_id) ? [item.sybil_score] : [];
  hash.update(u32(claims.length));
  for (const claim of claims) hash.update(wordOfText(claim));
}

/**
 * Returns the SHA-256 over nonce, version and items of a request. Fields that the service does not read do not enter, so
 * that they cannot be deep.
 */
export function responsesHash({ protocol, kind, nonce, responses }: AttestedRequest): Uint8Array {
  const fields = protocol === '3.0' ? FIELDS_3 : kind === 'session' ? SESSION_FIELDS : UNIQUENESS_FIELDS;
  const items = responses.map((item) => fields.map((field) => item[field] ?? null));
  return createHash('sha256')
    .update(JSON.stringify([protocol, nonce, items]))
    .digest();
}

/** Returns a number as 32 bytes: a JSON number, or a text as in spec/worldid4.md#numbers. */
function wordOfText(text: unknown): Uint8Array {
  const word = new Uint8Array(WORD_BYTES);
  if (!writeNumber(String(text), word, 0)) throw integrityRefusal('unreadable_number');
  return word;
}

function u32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
