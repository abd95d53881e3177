import type { Bytes32 } from '../values.ts';

/** Sessions of a client that are live, as far as its registration and the settings decide. */
export interface LiveSessions {
  readonly clientId: string;
  /** Digest of the client's registration. */
  readonly clientHash: Bytes32;
  /** Only sessions whose proof was verified after this time, in milliseconds since the epoch. */
  readonly provenAfter: number;
}

/** Sessions that end: one, or all of a client. */
export interface SessionEnd {
  readonly live: LiveSessions;
  /** Undefined for all sessions of the client. */
  readonly sid: string | undefined;
  /** Whether the client is to be told of those that are live (src/docs/spec/sign-in.md#back-channel-logout). */
  readonly notifies: boolean;
}

/** A notice to a client that a session has ended. Times are milliseconds since the epoch. */
export interface LogoutNotice {
  readonly sid: string;
  readonly clientId: string;
  readonly sub: Bytes32;
  /** Attempts that have begun. */
  readonly attempts: number;
}

/** Notices that clients have not received. The end of a session writes them; every write is durable when it resolves. */
export interface LogoutNoticeStore {
  /**
   * Begins an attempt for notices that are due: at most one for each client, and none for a client with an attempt under
   * way, over all nodes. After `leaseEnd` a notice is due again, so that it outlives the node that was sending it.
   */
  take(now: number, leaseEnd: number, limit: number): Promise<LogoutNotice[]>;
  /** Erases a notice: it was received, or no attempt follows. */
  remove(sid: string): Promise<void>;
  /**
   * Ends an attempt that failed, unless another one has begun since. Other notices of the client wait, too, so that a
   * receiver that is down takes no more than one attempt at a time.
   */
  failed(notice: LogoutNotice, nextAt: number): Promise<void>;
}
