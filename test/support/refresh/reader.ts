/**
 * A reader of credentials that shares no code with the product and accepts exactly the specified fields.
 */
import { sha3_256 } from '@noble/hashes/sha3.js';
import { plainVerify } from '../../../bench/contenders/eddsa-poseidon2.ts';
import { poseidon2 } from '../../../bench/contenders/poseidon2.ts';
import { R } from '../crypto/bn254.ts';

const U64 = '(0|[1-9][0-9]{0,19})';
const ELEMENT = '"(0x[0-9a-f]{64})"';
const DECIMAL = '"(0|[1-9][0-9]{0,76})"';
const CLAIMS = Array.from({ length: 16 }, () => ELEMENT).join();
/** Matches a compact object with each member once, in the order of spec/credential.md#credential-object. */
const CREDENTIAL = new RegExp(
  [
    `^\\{"id":${U64},"version":"(V1)","issuer_schema_id":${U64},"sub":${ELEMENT},"genesis_issued_at":${U64},`,
    `"expires_at":${U64},"claims":\\[${CLAIMS}\\],"associated_data_hash":${ELEMENT},"signature":"([0-9a-f]{128})",`,
    `"issuer":\\{"pk":\\[${DECIMAL},${DECIMAL}\\]\\}\\}$`,
  ].join(''),
);

/** Fields of a credential. */
export interface ReadCredential {
  readonly id: bigint;
  readonly issuerSchemaId: bigint;
  readonly sub: string;
  /** Unix seconds. */
  readonly genesisIssuedAt: bigint;
  /** Unix seconds. */
  readonly expiresAt: bigint;
  /** Sixteen claims. */
  readonly claims: readonly string[];
  readonly associatedDataHash: string;
  /** 128 hex digits. */
  readonly signature: string;
  readonly pk: readonly [x: string, y: string];
}

/**
 * Reads the `credential` of an answer: padded standard base64 of exactly the specified object
 * (spec/credential.md#credential-object).
 *
 * @throws Error on any deviation
 */
export function readCredential(base64: string | undefined): ReadCredential {
  if (
    base64 === undefined ||
    !/^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(base64)
  ) {
    throw new Error('expected standard base64 with padding');
  }
  const [, ...found] = CREDENTIAL.exec(Buffer.from(base64, 'base64').toString('latin1')) ?? [];
  if (found.length !== 26) throw new Error('expected a credential object');
  const [id = '', , schema = '', sub = '', genesis = '', expires = '', ...rest] = found;
  const claims = rest.slice(0, 16);
  const [associatedDataHash = '', signature = '', x = '', y = ''] = rest.slice(16);
  const u64s = [id, schema, genesis, expires].map(BigInt) as [bigint, bigint, bigint, bigint];
  if (u64s.some((value) => value >= 1n << 64n)) throw new Error('expected u64 numbers, got a larger one');
  const elements = [sub, ...claims, associatedDataHash, x, y];
  if (elements.some((value) => BigInt(value) >= R))
    throw new Error('expected field elements, got a larger value');
  return {
    id: u64s[0],
    issuerSchemaId: u64s[1],
    sub,
    genesisIssuedAt: u64s[2],
    expiresAt: u64s[3],
    claims,
    associatedDataHash,
    signature,
    pk: [x, y],
  };
}

const CHUNK_BYTES = 31;
const RATE = 15;

/**
 * Computes hash_bytes(`CLAIMS_HASH_V1`, data) in plain JavaScript (spec/credential.md#byte-hash). Returns
 * `0x` and 64 hex digits.
 */
export function plainClaim(data: Uint8Array): string {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(0x8000_0000 + data.length, 0);
  head.writeUInt32BE(32, 4);
  const capacity = sha3_256(Buffer.concat([head, Buffer.from('CLAIMS_HASH_V1')]));
  let state = [...Array<bigint>(RATE).fill(0n), numberOf(capacity) % R];
  const chunks = Array.from({ length: Math.ceil(data.length / CHUNK_BYTES) }, (_, index) =>
    numberOf(data.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES)),
  );
  for (let start = 0; start < chunks.length; start += RATE) {
    state = poseidon2(
      state.map((value, index) => (index < RATE ? value + (chunks[start + index] ?? 0n) : value) % R),
    );
  }
  return `0x${(state[0] ?? 0n).toString(16).padStart(64, '0')}`;
}

function numberOf(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
}

const SEPARATOR = BigInt(`0x${Buffer.from('POSEIDON2+EDDSA-BJJ').toString('hex')}`);

/**
 * Whether a credential is signed by the key that it names, checked in plain JavaScript
 * (spec/credential.md#credential-hashes and spec/credential.md#eddsa-poseidon2).
 */
export function isSignedPlainly(credential: ReadCredential): boolean {
  const { id, issuerSchemaId, sub, genesisIssuedAt, expiresAt, claims, associatedDataHash, pk } = credential;
  const claimsHash = poseidon2(claims.map(BigInt))[1] ?? 0n;
  const terms = [BigInt(sub), genesisIssuedAt, expiresAt, claimsHash, BigInt(associatedDataHash), id];
  const hash = poseidon2([SEPARATOR, issuerSchemaId, ...terms])[1] ?? 0n;
  const [x, y] = [BigInt(pk[0]), BigInt(pk[1])];
  const flagged = x > (R - 1n) / 2n ? y + (1n << 255n) : y;
  const compressed = Buffer.from(flagged.toString(16).padStart(64, '0'), 'hex').reverse();
  return plainVerify(compressed, hash, Buffer.from(credential.signature, 'hex'));
}
