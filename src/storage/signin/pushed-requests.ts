import { bytes, columns, integer, type RowOf, text } from '../columns.ts';
import type { Driver, Statement } from '../drivers/driver.ts';
import { guard, point, write } from '../sql.ts';
import { guarded, type Step } from '../transaction.ts';
import type { Bytes32, UsedProof } from '../values.ts';
import { type PendingBounds, type PendingRefusal, pendingSteps } from './pending.ts';
import { insertUsedProof } from './proofs.ts';

/** Bytes that every pushed request is charged with in addition to its parameters: the rest of its row and indexes. */
const PUSHED_REQUEST_BYTES = 512;

const PUSHED = columns({
  /** SHA-256 of the reference. */
  referenceHash: bytes,
  clientId: text,
  /** Known parameters of the request as a form, ASCII; credentials are never among them. */
  parameters: text,
  /** Milliseconds since the epoch. */
  expiresAt: integer,
});
/** An authorization request that a client has pushed (spec/sign-in.md#pushed-requests). */
export type PushedRequestRow = RowOf<typeof PUSHED>;

const insertPushed = write(`insert into pushed_requests (${PUSHED.list()}) values (${PUSHED.slots()})`);
const pushedByHash = point(
  PUSHED,
  `select ${PUSHED.list()} from pushed_requests where reference_hash = $1 and expires_at > $2`,
);
const deletePushed = guard(
  'delete from pushed_requests where reference_hash = $1 and expires_at > $2 returning 1',
);

/** Removes a pushed request; a guard that fails if it is unknown, used or expired. */
export function usePushedRequest(referenceHash: Bytes32, now: number): Statement {
  return deletePushed(referenceHash, now);
}

/** Pushed requests. `TransactionStore.begin` removes the one that a sign-in begins with. */
export type PushedRequestStore = ReturnType<typeof createPushedRequestStore>;

/** Creates the store of pushed requests over a driver. */
export function createPushedRequestStore(driver: Driver) {
  return {
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
    ): Promise<'stored' | PendingRefusal | 'proof_used'> {
      const { referenceHash, clientId, parameters, expiresAt } = row;
      const bytes = Buffer.byteLength(parameters) + PUSHED_REQUEST_BYTES;
      const steps: Step<PendingRefusal | 'proof_used'>[] = [
        [insertPushed(...PUSHED.values(row))],
        ...pendingSteps({ seed: referenceHash[0] ?? 0, bytes, expiresAt }, clientId, bounds, now),
      ];
      if (proof !== undefined) steps.push([insertUsedProof(proof), 'proof_used']);
      return guarded(driver, steps, 'stored');
    },
    /** Looks up a request that has neither been used nor expired. */
    find: async (referenceHash: Bytes32, now: number): Promise<PushedRequestRow | undefined> =>
      (await driver.read(pushedByHash(referenceHash, now)))[0],
  };
}
