import type { BridgeMessage } from '../values.ts';

/** Status of the request of an id; an answered id has no status. */
export type BridgeStatus = 'initialized' | 'retrieved';

/** A waiting answer or, until there is one, the status of the request. */
export type BridgeAnswer =
  | { readonly status: BridgeStatus }
  | { readonly status: 'completed'; readonly message: BridgeMessage };

/**
 * Bounds of what strangers can store, over all nodes: in live messages, taken requests included, and in bytes of id, iv
 * and payload. A request is charged with 4096 additional bytes, the space for its answer.
 */
export interface BridgeLimits {
  readonly maxEntries: number;
  readonly maxBytes: number;
  readonly maxEntriesPerAddress: number;
  readonly maxBytesPerAddress: number;
}

/** Sender of a message, and the bounds that apply. */
export interface BridgeSender {
  /** Key of the client address whose share is charged. */
  readonly addressKey: string;
  /** Key of the address's network; networks that hold much make room for those that hold little. */
  readonly networkKey: string;
  readonly limits: BridgeLimits;
}

/** Why a message is refused: the address's share is full, or strangers have filled the bridge. */
export type BridgeRefusal = 'share_full' | 'full';

/**
 * Messages of the wallet bridge (spec/sign-in.md#wallet-bridge). Times are milliseconds since the epoch; an
 * expired row counts as absent. A write is one transaction, durable when it resolves; of concurrent callers,
 * in any process, exactly one takes a message. The messages of sign-ins, which `TransactionStore` puts here,
 * count against none of the bounds and cannot be replaced by these calls.
 */
export interface BridgeStore {
  /**
   * Stores a request with the status `initialized`; removes an old answer of the id. Returns `exists` while
   * another request waits under the id, or if the id is that of a sign-in.
   */
  createRequest(
    id: string,
    message: BridgeMessage,
    sender: BridgeSender,
    now: number,
  ): Promise<'created' | 'exists' | BridgeRefusal>;
  /**
   * Stores or overwrites a request, with the status `initialized`; a waiting answer stays. Returns `exists`
   * if the id is that of a sign-in.
   */
  putRequest(
    id: string,
    message: BridgeMessage,
    sender: BridgeSender,
    now: number,
  ): Promise<'stored' | 'exists' | BridgeRefusal>;
  /** Returns the request once: erases it, sets the status to `retrieved` and restarts the id's lifetime. */
  takeRequest(id: string, now: number): Promise<BridgeMessage | undefined>;
  /** Returns the status of an id: `initialized` while the request can be taken. */
  status(id: string, now: number): Promise<BridgeStatus | undefined>;
  /**
   * Stores the answer of an id that has a status and no answer; removes request and status. An answer of up
   * to 4096 bytes always has room. A larger one is charged to the address that its request is charged to, or
   * to its sender if the request is that of a sign-in.
   */
  answer(
    id: string,
    message: BridgeMessage,
    sender: BridgeSender,
    now: number,
  ): Promise<'stored' | 'no_status' | 'exists' | BridgeRefusal>;
  /** Stores an answer that belongs to no request. */
  createAnswer(
    id: string,
    message: BridgeMessage,
    sender: BridgeSender,
    now: number,
  ): Promise<'created' | 'exists' | BridgeRefusal>;
  /** Returns and removes a waiting answer, or returns the status; undefined if the id has neither. */
  takeAnswer(id: string, now: number): Promise<BridgeAnswer | undefined>;
  /** Returns when the oldest live message of an address ends; undefined if it has none. */
  shareEndsAt(addressKey: string, now: number): Promise<number | undefined>;
}
