import type { AcceptedProof, Bytes32 } from '../values.ts';

/**
 * A session of a person with a client on one browser (spec/sign-in.md#sessions). Times are milliseconds since the
 * epoch.
 */
export interface SessionRow {
  /** SHA-256 of the value of the cookie. */
  readonly sessionHash: Bytes32;
  /** Names the session in tokens. */
  readonly sid: string;
  readonly clientId: string;
  /** Digest of the client's registration when the session began. */
  readonly clientHash: Bytes32;
  readonly accepted: AcceptedProof;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** What the end of a sign-in changes in the sessions of its browser. */
export interface SessionChange {
  /** Hash of the cookie of the client's former session on the browser, which ends. */
  readonly former: Bytes32 | undefined;
  /** The session that begins. */
  readonly begun: SessionRow | undefined;
}

/** Place of a session in the list of its client. */
export type SessionPlace = Pick<SessionRow, 'createdAt' | 'sid'>;
