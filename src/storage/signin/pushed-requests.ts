import { bytes, columns, converted, integer, NO_COLUMNS, optional, type RowOf, text } from '../columns.ts';
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
const FOUND = columns({
  ...PUSHED.members,
  /** SHA-256 of the cookie of the session that answered it; null while none has. */
  sessionHash: optional(bytes),
  /** Number of codes of these answers. */
  answers: converted(
    optional(integer),
    (stored) => stored ?? 0,
    (answers) => answers,
  ),
});
/** An authorization request that a client has pushed (spec/sign-in.md#pushed-requests). */
export type PushedRequestRow = RowOf<typeof PUSHED>;
/** A pushed request as it is found by its reference. */
export type FoundPush = RowOf<typeof FOUND>;

const USE = columns({
  referenceHash: bytes,
  clientId: text,
  /** Milliseconds since the epoch; every sign-in that began with the reference is over then. */
  expiresAt: integer,
});
/** Use of a pushed request: a response to it was issued. */
export type PushedUse = RowOf<typeof USE>;

/** The session that answers a pushed request. */
export interface PushAnswer {
  readonly use: PushedUse;
  /** SHA-256 of the cookie of the session. */
  readonly sessionHash: Bytes32;
}

const insertPushed = write(`insert into pushed_requests (${PUSHED.list()}) values (${PUSHED.slots()})`);
const pushedByHash = point(FOUND, `select ${FOUND.list()} from pushed_requests where reference_hash = $1`);
const openPush = guard(
  'select 1 from pushed_requests where reference_hash = $1 and expires_at > $2 and session_hash is null',
);
const insertUse = guard(
  `insert into pushed_uses (${USE.list()}) values (${USE.slots()}) on conflict (reference_hash) do nothing returning 1`,
);
const useOfReference = point(
  NO_COLUMNS,
  'select 1 from pushed_uses where reference_hash = $1 and client_id = $2 and expires_at > $3',
);
const deletePushed = write('delete from pushed_requests where reference_hash = $1');
const answerPushed = guard(
  'update pushed_requests set session_hash = $2, answers = 1 where reference_hash = $1 and session_hash is null and expires_at > $3 returning 1',
);
/** Counts another code; fails if another caller did, or once the request has expired. */
const countAnswer = guard(
  'update pushed_requests set answers = answers + 1 where reference_hash = $1 and session_hash = $2 and answers = $3 and expires_at > $4 returning 1',
);

/** A guard that fails unless a pushed request can begin a sign-in: it is known, has not expired, and was not answered. */
export function pushedIsOpen(referenceHash: Bytes32, now: number): Statement {
  return openPush(referenceHash, now);
}

/** Records the one response to a pushed request, which a sign-in gives, and removes the request. */
export function usePushedRequest(use: PushedUse): Step<'push_used'>[] {
  return [[insertUse(...USE.values(use)), 'push_used'], [deletePushed(use.referenceHash)]];
}

/** Records the one response to a pushed request, which a session gives; the request stays, to be answered again. */
export function answerFromSession({ use, sessionHash }: PushAnswer, now: number): Step<'push_used'>[] {
  return [
    [insertUse(...USE.values(use)), 'push_used'],
    [answerPushed(use.referenceHash, sessionHash, now), 'push_used'],
  ];
}

/** A guard that counts another code of a session for a pushed request; `from` is the number of the former one. */
export function answerPushAgain({ use, sessionHash }: PushAnswer, from: number, now: number): Statement {
  return countAnswer(use.referenceHash, sessionHash, from, now);
}

/** Pushed requests. Their responses are recorded by `AnswerStore` and `SessionStore`. */
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
    /** Looks up a request, expired or not; undefined once a sign-in has answered it. */
    find: async (referenceHash: Bytes32): Promise<FoundPush | undefined> =>
      (await driver.read(pushedByHash(referenceHash)))[0],
    /** Whether a request of a client was answered. */
    isUsed: async (referenceHash: Bytes32, clientId: string, now: number): Promise<boolean> =>
      (await driver.read(useOfReference(referenceHash, clientId, now))).length > 0,
  };
}
