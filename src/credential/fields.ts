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
  /** Whole Unix seconds; a bigint if it comes from a document, which may have any u64. */
  readonly genesisIssuedAt: number | bigint;
  /** As `genesisIssuedAt`. */
  readonly expiresAt: number | bigint;
  /** At most 16; absent ones are zero. */
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
