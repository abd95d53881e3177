import type { AcceptedProof, Bytes32, UsedProof } from '../values.ts';

/**
 * A family of refresh tokens: the token that came with a code, and those that replaced it
 * (spec/sign-in.md#refresh-tokens). Times are milliseconds since the epoch.
 */
export interface RefreshFamilyRow {
  /** SHA-256 of the lookup key, which all tokens of the family share. */
  readonly lookupHash: Bytes32;
  /** SHA-256 of the token in force. */
  readonly tokenHash: Bytes32;
  /** A UUID; the claim `family` of access tokens. */
  readonly familyId: string;
  readonly clientId: string;
  readonly accepted: AcceptedProof;
  /** Granted scopes, separated by spaces. */
  readonly scope: string;
  /** Session of the sign-in; null without one. */
  readonly sid: string | null;
  /** Thumbprint of the key that the tokens are bound to; null without one. */
  readonly jkt: string | null;
  readonly createdAt: number;
  /** When the token in force was issued. */
  readonly lastUsedAt: number;
  /** When the last access token of the family ends. */
  readonly tokensEndAt: number;
  /** When the family ends; a use does not extend it. */
  readonly expiresAt: number;
}

/** Members of a new family that its code does not have. */
export type NewRefreshFamily = Pick<
  RefreshFamilyRow,
  'lookupHash' | 'tokenHash' | 'scope' | 'sid' | 'jkt' | 'expiresAt'
>;

/** Replacement of the refresh token in force. */
export interface RefreshRotation {
  readonly lookupHash: Bytes32;
  /** Hash of the token in force. */
  readonly from: Bytes32;
  /** Hash of the token that replaces it. */
  readonly to: Bytes32;
  /** When the access token to be issued ends. */
  readonly tokensEndAt: number;
  /** Proof of possession, recorded as used in the same transaction. */
  readonly proof?: UsedProof;
}

/** Place of a family in the list of an app. */
export type RefreshFamilyPlace = Pick<RefreshFamilyRow, 'createdAt' | 'familyId'>;

/**
 * Families of refresh tokens; `GrantStore.useCode` begins them. When a family ends, its row is removed and its id is on
 * the revocation list until its last access token ends. Every write is durable when it resolves.
 */
export interface RefreshTokenStore {
  /** Looks up a family that has not expired. */
  find(lookupHash: Bytes32, now: number): Promise<RefreshFamilyRow | undefined>;
  /** Replaces the token in force; if that is not `from`, the family ends. A proof that was used before changes nothing. */
  rotate(rotation: RefreshRotation, now: number): Promise<'rotated' | 'replayed' | 'proof_used' | 'unknown'>;
  /** Ends a family; returns false if there is none. */
  end(lookupHash: Bytes32): Promise<boolean>;
  /** Lists families of a client that have not expired, the latest first. */
  page(clientId: string, limit: number, now: number, after?: RefreshFamilyPlace): Promise<RefreshFamilyRow[]>;
  /**
   * Ends a family of a client, or all of them, and records it in the audit log.
   *
   * @returns Number of families that ended.
   */
  endByOperator(clientId: string, familyId?: string): Promise<number>;
}
