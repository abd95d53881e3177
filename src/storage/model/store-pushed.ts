import type { Bytes32, UsedProof } from '../values.ts';
import type { PendingBounds } from './store-signin.ts';

/** An authorization request that a client has pushed (spec/sign-in.md#pushed-requests). */
export interface PushedRequestRow {
  /** SHA-256 of the reference. */
  readonly referenceHash: Bytes32;
  readonly clientId: string;
  /** Known parameters of the request as a form, ASCII; credentials are never among them. */
  readonly parameters: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Pushed requests. `TransactionStore.begin` removes the one that a sign-in begins with. */
export interface PushedRequestStore {
  /**
   * Adds a request, durably. It counts as an open sign-in of its client and network until the end of the minute in
   * which it expires, used or not.
   *
   * @param proof - Proof of possession of the request, whose use is recorded with it or not at all.
   */
  add(
    row: PushedRequestRow,
    bounds: PendingBounds,
    now: number,
    proof?: UsedProof,
  ): Promise<'stored' | 'full' | 'client_full' | 'network_full' | 'proof_used'>;
  /** Looks up a request that has neither been used nor expired. */
  find(referenceHash: Bytes32, now: number): Promise<PushedRequestRow | undefined>;
}
