import type { AuditedChange, AuditWriter } from '../audit/audit-log.ts';
import { shortDigest } from '../audit/audit-writer.ts';
import { addMessage, BRIDGE_LIFE_MS, requestRow, UNCHARGED } from '../bridge/messages.ts';
import {
  bytes,
  columns,
  converted,
  integer,
  json,
  NO_COLUMNS,
  named,
  optional,
  type RowOf,
  text,
  word,
} from '../columns.ts';
import type { Driver } from '../drivers/driver.ts';
import { eachOf, guard, point, write } from '../sql.ts';
import { allOrNothing, guarded, refusalOf, type Step } from '../transaction.ts';
import type { AcceptedProof, BridgeMessage, Bytes32 } from '../values.ts';
import { type PendingBounds, type PendingRefusal, pendingSignIn, pendingSteps } from './pending.ts';
import { type LinkedSubs, linkStatements, type SeenPerson, seenSteps, takeBeginning } from './people.ts';
import { ACCEPTED, insertSpent, type SpentProof } from './proofs.ts';
import { pushedIsOpen } from './pushed-requests.ts';

/** Choices of a person on the sign-in page (spec/sign-in.md#choices). */
export const CHOICES = ['stay', 'offline', 'known', 'link'] as const;

/** A choice of the sign-in page. */
export type Choice = (typeof CHOICES)[number];

const ATTEMPT = columns({
  /** 1 for the first. */
  attempt: integer,
  /** Text whose hash the proof must carry; stored as JSON, since a client's nonce may contain U+0000. */
  signal: json<string>(),
  /** Null once the attempt has ended. */
  aesKey: optional(bytes),
  /** Id of the request on the bridge; null when an external bridge could not be reached. */
  bridgeId: optional(text),
  /** Milliseconds since the epoch until which an answer counts. */
  windowEndsAt: integer,
  /** What it asks of World ID 4.0, as JSON text; null if it asks for World ID 3.0 alone. */
  ask: optional(text),
  /** Number of attempts so far that the service began by itself. */
  renewals: converted(
    optional(integer),
    (stored) => stored ?? 0,
    (renewals) => renewals,
  ),
});
/** Data of one attempt at a proof. */
export interface Attempt extends RowOf<typeof ATTEMPT> {
  readonly aesKey: Bytes32;
}

/** A request on this service's bridge, stored with its attempt under a new random id. */
export interface AttemptMessage {
  readonly bridgeId: string;
  readonly message: BridgeMessage;
}

const STORED = columns({
  txn: text,
  clientId: text,
  /** The checked authorization request as JSON text, so that every character of it survives. */
  request: text,
  /** SHA-256 of the value of the transaction's cookie. */
  cookieHash: bytes,
  /** SHA-256 of the cookie by which the browser is to be recognised; null without one. */
  knownHash: optional(bytes),
  /** SHA-256 of the reference of the pushed request that it began with; null without one. */
  pushedHash: optional(bytes),
  ...ATTEMPT.members,
  createdAt: integer,
  expiresAt: integer,
});
const ANSWER = columns({ iv: named('answer_iv', text), payload: named('answer_payload', text) });
/** Words of another release are left out. */
const AGREED = converted(
  optional(text),
  (stored): readonly Choice[] => CHOICES.filter((choice) => stored?.split(' ').includes(choice)),
  (choices) => (choices.length === 0 ? null : choices.join(' ')),
);
const TRANSACTION = columns({
  ...STORED.members,
  /** State of a sign-in (spec/sign-in.md#transaction-states). */
  state: word(['waiting', 'answered', 'failed', 'completed', 'refused', 'cancelled', 'consumed']),
  /** Ciphertext of the wallet's answer in state `answered`, otherwise null. */
  answer: ANSWER.together(),
  /** Choices to which the person has agreed on the page. */
  agreed: AGREED,
  /** Error code to show in state `failed`, `refused` or `cancelled`. */
  code: optional(text),
  /** How it ended, in state `consumed`; null in all others, and if an earlier release ended it. */
  ended: optional(word(['completed', 'refused', 'cancelled', 'redeemed'])),
  /** Number of codes that it has issued, at least 1 in state `consumed`; 0 in all others. */
  answers: converted(
    optional(integer),
    (stored) => stored ?? 0,
    (answers) => answers,
  ),
  /** Set in state `completed`, until the code is redeemed, and while the other version of World ID is added; otherwise null. */
  accepted: ACCEPTED.together(),
});
/** A sign-in. Times are milliseconds since the epoch. */
export type TransactionRow = RowOf<typeof TRANSACTION>;
/** State of a sign-in. */
export type TransactionState = TransactionRow['state'];

/** What the end of a sign-in records besides its proof. */
export interface SignInEffects {
  readonly spent?: SpentProof | undefined;
  /** The person with the session of World ID 4.0 that was proven. */
  readonly person?: SeenPerson | undefined;
  /** The permission to begin anew that is used up. */
  readonly beginning?: { readonly clientId: string; readonly number: number } | undefined;
  /** Whether the session is added to a person who was known, which is recorded in the audit log. */
  readonly isAdded?: boolean;
}

/** What was accepted before a person adds the other version of World ID, with what it showed. */
export interface FirstProof {
  readonly accepted: AcceptedProof;
  readonly effects: SignInEffects;
}

/** Why a sign-in was not completed: another caller was faster, something was used before, or the session is of another. */
export type CompletionRefusal = 'lost' | 'spent' | 'other_person';

/** A new sign-in, in state `waiting`. */
export interface NewTransaction extends Omit<RowOf<typeof STORED>, keyof Attempt> {
  readonly first: Attempt;
}

const ERASE_ATTEMPT = 'aes_key = null, answer_iv = null, answer_payload = null';
// An answer has a fixed lifetime, so its time of arrival follows from its expiry.
const ANSWER_IN_TIME = `kind = 'response' and m.expires_at > $3 and m.expires_at <= t.window_ends_at + ${BRIDGE_LIFE_MS}`;
const IS_WAITING = "t.txn = $1 and t.state = 'waiting' and t.attempt = $2 and t.expires_at > $3";
/** Rows of the current attempt on this service's bridge, without later messages of strangers. */
const OF_ATTEMPT = `id = (select bridge_id from signin_transactions where txn = $1) and ${UNCHARGED}`;
const answerColumn = (column: string): string =>
  `(select m.${column} from bridge_messages m where m.id = t.bridge_id and m.${ANSWER_IN_TIME})`;

const insertTransaction = write(
  `insert into signin_transactions (state, ${STORED.list()}) values ('waiting', ${STORED.slots()})`,
);
const transactionById = point(
  TRANSACTION,
  `select ${TRANSACTION.list()} from signin_transactions where txn = $1 and expires_at > $2`,
);
/** Selects one row if an answer to this attempt waits on this service's bridge and came in time. */
const waitingAnswer = point(
  NO_COLUMNS,
  `select 1 from signin_transactions t join bridge_messages m on m.id = t.bridge_id where ${IS_WAITING} and ${ANSWER_IN_TIME}`,
);
/** waiting → answered, with the answer of `waitingAnswer`; fails without one. */
const takeWaitingAnswer = guard(
  `update signin_transactions as t set state = 'answered', answer_iv = ${answerColumn('iv')}, answer_payload = ${answerColumn('payload')} where ${IS_WAITING} and exists ${answerColumn('iv')} returning 1`,
);
/** waiting → answered; fails in another state or after the window. */
const putAnswer = guard(
  "update signin_transactions set state = 'answered', answer_iv = $3, answer_payload = $4 where txn = $1 and state = 'waiting' and attempt = $2 and window_ends_at >= $5 and expires_at > $5 returning 1",
);
/** answered → completed. */
const completeTransaction = guard(
  `update signin_transactions set state = 'completed', sub = $3, level = $4, auth_time = $5, evidence = $6, ${ERASE_ATTEMPT} where txn = $1 and state = 'answered' and attempt = $2 and expires_at > $7 returning 1`,
);
/** answered → completed, with what was accepted before. */
const completeAccepted = guard(
  `update signin_transactions set state = 'completed', ${ERASE_ATTEMPT} where txn = $1 and state = 'answered' and attempt = $2 and sub is not null and expires_at > $3 returning 1`,
);
/** Writes what was accepted for an attempt that has just begun; fails if something was accepted before. */
const putAccepted = guard(
  "update signin_transactions set sub = $3, level = $4, auth_time = $5, evidence = $6 where txn = $1 and state = 'waiting' and attempt = $2 and sub is null returning 1",
);
/** answered → failed or refused. */
const endAttempt = guard(
  `update signin_transactions set state = $3, code = $4, ${ERASE_ATTEMPT} where txn = $1 and state = 'answered' and attempt = $2 returning 1`,
);
/** waiting, failed or answered → waiting; changes only the number of the attempt, `putAttempt` follows. */
const beginNext = eachOf(['retry', 'answered'], (from) =>
  guard(
    `update signin_transactions set state = 'waiting', attempt = $3 where txn = $1 and state ${from === 'retry' ? "in ('waiting', 'failed')" : "= 'answered'"} and attempt = $2 and expires_at > $4 returning 1`,
  ),
);
const putAttempt = write(
  'update signin_transactions set attempt = $2, signal = $3, aes_key = $4, bridge_id = $5, window_ends_at = $6, ask = $7, renewals = $8, code = null, answer_iv = null, answer_payload = null where txn = $1',
);
/** Fails once the response was delivered. */
const putAgreed = guard(
  "update signin_transactions set agreed = $2 where txn = $1 and state <> 'consumed' returning 1",
);
const forgetBrowser = write(
  "update signin_transactions set known_hash = null where txn = $1 and state <> 'consumed'",
);
/** waiting, failed → cancelled, or completed if something was accepted. */
const cancelTransaction = guard(
  `update signin_transactions set state = case when sub is null then 'cancelled' else 'completed' end, ${ERASE_ATTEMPT} where txn = $1 and state in ('waiting', 'failed') returning 1`,
);
/** Removes the rows of the current attempt from this service's bridge. */
const dropBridgeRows = write(`delete from bridge_messages where ${OF_ATTEMPT}`);
/** Removes the current attempt's request from this service's bridge; fails if a wallet has taken it. */
const dropUntakenRequest = guard(
  `delete from bridge_messages where ${OF_ATTEMPT} and kind = 'request' and status = 'initialized' returning 1`,
);
/** Removes the current attempt's answer from the bridge; fails if there is none. */
const dropWaitingAnswer = guard(
  `delete from bridge_messages where ${OF_ATTEMPT} and kind = 'response' returning 1`,
);

/**
 * Sign-ins as a state machine: each change of state (spec/sign-in.md#transaction-states) is one conditional
 * update, made only from the states named and, if an attempt is given, only while that attempt is the current
 * one. False means that another caller, in this or another process, was faster; the row then has the state
 * which that caller wrote. Every write is durable when it resolves.
 */
export type TransactionStore = ReturnType<typeof createTransactionStore>;

/**
 * Creates the store of sign-ins over a driver. Every transition updates the row of the sign-in before the
 * bridge, so that two of them wait for each other and cannot deadlock. Counts come last when a sign-in
 * begins, since no other caller knows its row yet, and first when its code is redeemed. `AnswerStore` ends sign-ins.
 */
export function createTransactionStore(driver: Driver, audit: AuditWriter) {
  const end = (txn: string, attempt: number, state: TransactionState, code: string): Promise<boolean> =>
    allOrNothing(driver, [endAttempt(txn, attempt, state, code), dropBridgeRows(txn)]);
  const begin = (
    from: keyof typeof beginNext,
    txn: string,
    attempt: number,
    next: Attempt,
    message: AttemptMessage | undefined,
    now: number,
    { isUntaken = false, first }: { readonly isUntaken?: boolean; readonly first?: FirstProof | undefined },
  ): Promise<'stored' | CompletionRefusal> => {
    const steps: Step<CompletionRefusal>[] = [
      [beginNext[from](txn, attempt, next.attempt, now), 'lost'],
      ...(isUntaken ? ([[dropUntakenRequest(txn), 'lost']] as const) : []),
      [dropBridgeRows(txn)],
      [putAttempt(txn, ...ATTEMPT.values(next))],
      ...messageSteps(message, now),
    ];
    if (first === undefined) return guarded(driver, steps, 'stored');
    const { accepted, effects } = first;
    steps.push([putAccepted(txn, next.attempt, ...ACCEPTED.values(accepted)), 'lost']);
    steps.push(...effectSteps(effects, now));
    return audited(steps, additionOf(effects), 'stored');
  };
  const audited = async <Done extends string>(
    steps: readonly Step<CompletionRefusal>[],
    change: AuditedChange | undefined,
    done: Done,
  ): Promise<Done | CompletionRefusal> => {
    if (change === undefined) return await guarded(driver, steps, done);
    const statements = steps.map(([statement]) => statement);
    const outcome = await audit.write(statements, change);
    return outcome.ok ? done : refusalOf(steps, outcome.guard);
  };
  return {
    /**
     * Adds a sign-in; puts `message` on this service's bridge in the same transaction. `push_used`: its pushed request was
     * answered before or has expired.
     */
    begin(
      row: NewTransaction,
      message: AttemptMessage | undefined,
      bounds: PendingBounds,
    ): Promise<'stored' | PendingRefusal | 'push_used'> {
      const { first, clientId, createdAt, pushedHash } = row;
      const steps: Step<PendingRefusal | 'push_used'>[] =
        pushedHash === null ? [] : [[pushedIsOpen(pushedHash, createdAt), 'push_used']];
      steps.push([insertTransaction(...STORED.values({ ...row, ...first }))]);
      steps.push(...messageSteps(message, createdAt));
      const entry = pendingSignIn({ ...row, signal: first.signal });
      steps.push(...pendingSteps(entry, clientId, bounds, createdAt));
      return guarded(driver, steps, 'stored');
    },
    /** Looks up a sign-in that has not expired, consumed or not. */
    find: async (txn: string, now: number): Promise<TransactionRow | undefined> =>
      (await driver.read(transactionById(txn, now)))[0],
    /**
     * waiting → answered: moves the answer from this service's bridge into the row. Only an answer that reached
     * the bridge before the end of the attempt's window counts.
     *
     * @returns Whether there was an answer and it was taken.
     */
    async takeAnswer(txn: string, attempt: number, now: number): Promise<boolean> {
      // A page polls every two seconds, mostly before there is an answer: a poll must not wait for the
      // writer.
      const waiting = await driver.read(waitingAnswer(txn, attempt, now));
      if (waiting.length === 0) return false;
      return allOrNothing(driver, [takeWaitingAnswer(txn, attempt, now), dropWaitingAnswer(txn)]);
    },
    /** waiting → answered, with the answer from an external bridge, while the window is open. */
    storeAnswer: (txn: string, attempt: number, message: BridgeMessage, now: number): Promise<boolean> =>
      allOrNothing(driver, [putAnswer(txn, attempt, ...ANSWER.values(message), now)]),
    /** answered → completed; erases AES key and ciphertext, and records `effects` in the same transaction. */
    async complete(
      txn: string,
      attempt: number,
      accepted: AcceptedProof,
      effects: SignInEffects,
      now: number,
    ): Promise<'completed' | CompletionRefusal> {
      const steps: Step<CompletionRefusal>[] = [
        [completeTransaction(txn, attempt, ...ACCEPTED.values(accepted), now), 'lost'],
        ...effectSteps(effects, now),
        [dropBridgeRows(txn)],
      ];
      return await audited(steps, additionOf(effects), 'completed');
    },
    /** answered → completed with what was accepted before; the sub of the last proof is one with it from now on. */
    async completeLink(
      txn: string,
      attempt: number,
      linked: LinkedSubs,
      effects: SignInEffects,
      now: number,
    ): Promise<'completed' | CompletionRefusal> {
      const { clientId, added, sub } = linked;
      const isSame = Buffer.compare(added, sub) === 0;
      const links = isSame ? [] : linkStatements(linked);
      const steps: Step<CompletionRefusal>[] = [
        [completeAccepted(txn, attempt, now), 'lost'],
        ...effectSteps(effects, now),
        ...links.map((statement) => [statement, 'other_person'] as const),
        [dropBridgeRows(txn)],
      ];
      const after = { person: `sub:${shortDigest(sub)}`, added: `sub:${shortDigest(added)}` };
      const change = isSame ? undefined : { action: 'person.linked', target: clientId, after };
      return await audited(steps, change, 'completed');
    },
    /**
     * answered → waiting with a new attempt, which asks for what the former one did not show; erases the old attempt's
     * answer and bridge rows.
     *
     * @param first - What the former attempt showed, if the person adds something to it.
     */
    proceed: (
      txn: string,
      from: number,
      next: Attempt,
      message: AttemptMessage | undefined,
      now: number,
      first?: FirstProof,
    ): Promise<'stored' | CompletionRefusal> => begin('answered', txn, from, next, message, now, { first }),
    /** answered → failed; erases the attempt's secrets and bridge rows. */
    fail: (txn: string, attempt: number, code: string): Promise<boolean> => end(txn, attempt, 'failed', code),
    /** answered → refused; erases the attempt's secrets and bridge rows. */
    refuse: (txn: string, attempt: number, code: string): Promise<boolean> =>
      end(txn, attempt, 'refused', code),
    /**
     * waiting, failed → waiting with a new attempt; erases the old attempt's bridge rows.
     *
     * @param isUntaken - Whether to do so only while no wallet has taken the request from this service's bridge.
     */
    retry: (
      txn: string,
      from: number,
      next: Attempt,
      message: AttemptMessage | undefined,
      now: number,
      isUntaken = false,
    ): Promise<'stored' | CompletionRefusal> => begin('retry', txn, from, next, message, now, { isUntaken }),
    /** Writes the consent of the person, in every state before the response; false in `consumed`. */
    agree: (txn: string, choices: readonly Choice[]): Promise<boolean> =>
      allOrNothing(driver, [putAgreed(txn, AGREED.format(choices))]),
    /** Forgets the cookie of the browser, which is then not recognised by this sign-in. */
    async forgetBrowser(txn: string): Promise<void> {
      await driver.write([forgetBrowser(txn)]);
    },
    /** waiting, failed → cancelled, keeping a failure's code; erases the attempt's secrets and bridge rows. */
    cancel: (txn: string): Promise<boolean> =>
      allOrNothing(driver, [cancelTransaction(txn), dropBridgeRows(txn)]),
  };
}

/** Writes what a proof showed besides its sub. */
function effectSteps({ spent, person, beginning }: SignInEffects, now: number): Step<CompletionRefusal>[] {
  const steps: Step<CompletionRefusal>[] = [];
  if (spent !== undefined) steps.push([insertSpent(spent, now), 'spent']);
  if (beginning !== undefined)
    steps.push([takeBeginning(beginning.clientId, beginning.number, now), 'spent']);
  if (person !== undefined) steps.push(...seenSteps(person));
  return steps;
}

/** Returns the change to record in the audit log, if the session is added to a person who was known. */
function additionOf({ person, isAdded = false }: SignInEffects): AuditedChange | undefined {
  if (person === undefined || !isAdded) return undefined;
  const { clientId, sub, sessionId } = person.session;
  const after = { person: `sub:${shortDigest(sub)}`, session: shortDigest(sessionId) };
  return { action: 'person.session_added', target: clientId, after };
}

/** Puts the request of an attempt on this service's bridge, where a stored sign-in always has room. */
function messageSteps(attempt: AttemptMessage | undefined, now: number): Step<never>[] {
  if (attempt === undefined) return [];
  return [[addMessage(requestRow(attempt.bridgeId, attempt.message, 'initialized', now))]];
}
