import type { Bytes32 } from './values.ts';

/** A token of the admin API. Times are milliseconds since the epoch. */
export interface AdminTokenRow {
  readonly tokenId: string;
  /** SHA-256 of the token. */
  readonly hash: Bytes32;
  readonly name: string;
  readonly scope: 'read' | 'write';
  readonly createdAt: number;
  /** Null if it does not expire. */
  readonly expiresAt: number | null;
}

/** Tokens of the admin API. */
export interface AdminTokenStore {
  /** Adds a token. */
  add(row: AdminTokenRow): Promise<void>;
  /** Looks up a live token by its hash. */
  find(hash: Bytes32, now: number): Promise<AdminTokenRow | undefined>;
  /** Lists the live tokens, the oldest first. */
  list(now: number): Promise<AdminTokenRow[]>;
  /** Removes a token; false if there is none with this id. */
  remove(tokenId: string): Promise<boolean>;
}

/** Answer to a request with an Idempotency-Key, which is stored in the transaction of its change. */
export interface PlannedAnswer {
  /** SHA-256 of the key and of who sent it. */
  readonly keyHash: Bytes32;
  /** SHA-256 of the request. */
  readonly requestHash: Bytes32;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** Returns the sealed answer; called when the change is written. */
  answer(): string;
}

/** Stored answer to a request. */
export interface AdminAnswerRow {
  readonly requestHash: Bytes32;
  readonly answer: string;
}

/** Answers to requests with an Idempotency-Key. */
export interface AdminAnswerStore {
  find(keyHash: Bytes32, now: number): Promise<AdminAnswerRow | undefined>;
}
