import { bytes, columns, type RowOf, text } from '../columns.ts';
import type { Driver, Statement } from '../drivers/driver.ts';
import { eachOf, guard, pointByKeys } from '../sql.ts';
import { guarded, type Step, settled } from '../transaction.ts';
import type { Bytes32 } from '../values.ts';
import { codeExists, insertCode, type NewCode, replaceCode } from './grants.ts';
import { type PushedUse, usePushedRequest } from './pushed-requests.ts';
import { type SessionChange, type SessionRow, sessionExists, sessionStatements } from './sessions.ts';

/** What the end of a sign-in stores with its authorization response. */
export interface SignInEnd {
  /** Undefined if the response has none. */
  readonly code?: NewCode | undefined;
  readonly session?: SessionChange | undefined;
  /** SHA-256 of the cookie by which the browser is recognised from now on; null without one. */
  readonly knownHash?: Bytes32 | null;
  /** Error code if what was accepted is refused at the end; it is erased then. */
  readonly refusal?: string | undefined;
  /** Use of the pushed request that the sign-in began with. */
  readonly pushed?: PushedUse | undefined;
}

/** Outcome of the end of a sign-in; `lost`: another caller was faster; `push_used`: its pushed request was answered before. */
export type EndOutcome = 'consumed' | 'lost' | 'push_used';

/** A code that takes the place of one that has expired unredeemed. */
export interface NextCode {
  readonly txn: string;
  /** Number of the former code. */
  readonly from: number;
  readonly former: Bytes32;
  readonly code: NewCode;
}

/** Outcome of another code; `lost`: another caller was faster; `redeemed`: the former code was redeemed. */
export type NextOutcome = 'stored' | 'lost' | 'redeemed';

const STATES = {
  /** With a code or a session. */
  success: "state = 'completed'",
  refusal: "state = 'completed'",
  any: "state in ('completed', 'refused', 'cancelled')",
};
const CHANGES = {
  success: 'ended = state',
  refusal:
    "ended = 'refused', code = $3, sub = null, level = null, auth_time = null, evidence = null, agreed = null",
  any: 'ended = state',
};
/** completed, refused, cancelled → consumed. The request stays, so that the response can be made again. */
const consumeTransaction = eachOf(['success', 'refusal', 'any'], (end) =>
  guard(
    `update signin_transactions set state = 'consumed', answers = 1, known_hash = $2, ${CHANGES[end]} where txn = $1 and ${STATES[end]} returning 1`,
  ),
);
/** Counts another code; fails if another caller did, or once the sign-in is redeemed or over. */
const countAnswer = guard(
  "update signin_transactions set answers = answers + 1 where txn = $1 and answers = $2 and state = 'consumed' and ended = 'completed' and expires_at > $3 returning 1",
);

const BEGUN = columns({
  txn: text,
  /** State of the sign-in. */
  state: text,
  cookieHash: bytes,
});
/** Looks up the sign-ins that a browser began with a pushed request, by the hashes of its cookies. */
const begunWith = pointByKeys(
  BEGUN,
  3,
  (list) =>
    `select ${BEGUN.list()} from signin_transactions where pushed_hash = $1 and client_id = $2 and expires_at > $3 and cookie_hash in (${list}) order by created_at desc`,
);
/** A sign-in that a browser began with a pushed request. */
export type BegunWithPush = RowOf<typeof BEGUN>;

/** Ends of sign-ins, and their responses to the same browser again. Every write is durable when it resolves. */
export type AnswerStore = ReturnType<typeof createAnswerStore>;

/**
 * Creates the store of responses over a driver. The row of the sign-in is written before that of its code, in the order of
 * the redemption (`closeSignIn`).
 */
export function createAnswerStore(driver: Driver) {
  return {
    /**
     * completed, refused, cancelled → consumed; writes code, session and the use of the pushed request in the same
     * transaction. A code or a session is issued only from `completed`.
     */
    consume(
      txn: string,
      { code, session, knownHash = null, refusal, pushed }: SignInEnd,
    ): Promise<EndOutcome> {
      const isSuccess = code !== undefined || session?.begun !== undefined;
      const consumed =
        refusal === undefined
          ? consumeTransaction[isSuccess ? 'success' : 'any'](txn, knownHash)
          : consumeTransaction.refusal(txn, knownHash, refusal);
      const steps: Step<EndOutcome>[] = [[consumed, 'lost']];
      if (pushed !== undefined) steps.push(...usePushedRequest(pushed));
      if (code !== undefined) steps.push([insertCode(code)]);
      if (session !== undefined) {
        steps.push(...sessionStatements(session).map((statement): Step<never> => [statement]));
      }
      const write = (): Promise<EndOutcome> => guarded(driver, steps, 'consumed');
      const own = ownRow(code, session?.begun);
      return own === undefined ? write() : settled(driver, { write, done: 'consumed', own });
    },
    /** Stores another code, and removes the former one, which has expired. */
    renew({ txn, from, former, code }: NextCode, now: number): Promise<NextOutcome> {
      const steps: Step<NextOutcome>[] = [
        [countAnswer(txn, from, now), 'lost'],
        ...replaceCode(former, code),
      ];
      const write = (): Promise<NextOutcome> => guarded(driver, steps, 'stored');
      return settled(driver, { write, done: 'stored', own: codeExists(code.codeHash) });
    },
    /**
     * Finds the sign-in that a browser began with a pushed request: the one that has ended, or else the latest.
     *
     * @param cookieHashes - Hashes of the transaction cookies of the browser.
     */
    async begunWith(
      pushedHash: Bytes32,
      clientId: string,
      cookieHashes: readonly Bytes32[],
      now: number,
    ): Promise<string | undefined> {
      const found: BegunWithPush[] = [];
      for (const query of begunWith([pushedHash, clientId, now], cookieHashes)) {
        found.push(...(await driver.read(query)));
      }
      return (found.find(({ state }) => state === 'consumed') ?? found[0])?.txn;
    },
  };
}

/** Selects a row that only this end of a sign-in writes, if there is one. */
function ownRow(code: NewCode | undefined, begun: SessionRow | undefined): Statement | undefined {
  if (code !== undefined) return codeExists(code.codeHash);
  return begun === undefined ? undefined : sessionExists(begun.sid);
}
