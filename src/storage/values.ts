import type { Binding } from '../config/apps/fields.ts';

/** 32 bytes. Values are compared by content. */
export type Bytes32 = Uint8Array;

/** The two environments of a verification request. */
export type Environment = 'production' | 'staging';

/** Environments, in the order of listings. */
export const ENVIRONMENTS: readonly Environment[] = ['production', 'staging'];

/**
 * Merkle trees. `account` contains the accounts of World ID 4.0; the others contain the credentials of 3.0, one tree
 * per identifier, except that `face` and `selfie` share `face`.
 */
export type Tree = 'orb' | 'device' | 'document' | 'secure_document' | 'face' | 'account';

/** Trees, in the order of listings. */
export const TREES: readonly Tree[] = ['account', 'device', 'document', 'face', 'orb', 'secure_document'];

/** One message of the wallet bridge: ciphertext that only page and wallet can decrypt, in standard base64. */
export interface BridgeMessage {
  readonly iv: string;
  readonly payload: string;
}

/** Level of a proof of sign-in: the tree that it is over. */
export type Level = 'orb' | 'device';

/** The person and level of an accepted proof. */
export interface AcceptedProof {
  /** The nullifier, 32 bytes. */
  readonly sub: Bytes32;
  readonly level: Level;
  /** Milliseconds since the epoch at which the proof was verified. */
  readonly authTime: number;
  /** Absent for a proof of World ID 3.0. */
  readonly evidence?: Evidence4 | undefined;
}

/** What a sign-in with World ID 4.0 showed. */
export interface Evidence4 {
  /** Identifier of the credential, such as `proof_of_human`. */
  readonly credential: string;
  /** Its `issuer_schema_id` in decimal digits. */
  readonly issuer: string;
  readonly binding: Binding;
}

/** The use of a proof of possession, which must happen once (spec/sign-in.md#dpop). */
export interface UsedProof {
  /** SHA-256 of its key, its jti and the address it was made for. */
  readonly hash: Bytes32;
  readonly expiresAt: number;
}
