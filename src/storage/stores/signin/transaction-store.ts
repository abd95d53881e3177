import type { Driver, Statement } from '../../drivers/driver.ts';
import type { SessionRow } from '../../model/store-sessions.ts';
import type { AttemptMessage, NewCode, TransactionStore } from '../../model/store-signin.ts';
import { addMessage, requestRow } from '../../statements/signin/bridge.ts';
import { codeExists, insertCode, insertSpent } from '../../statements/signin/grants.ts';
import { usePushedRequest } from '../../statements/signin/pushed-requests.ts';
import { sessionExists, sessionStatements } from '../../statements/signin/sessions.ts';
import { subtractSignIn, usageOfSignIn } from '../../statements/signin/signin-usage.ts';
import {
  agreeTo,
  beginRetry,
  cancelTransaction,
  completeTransaction,
  consumeTransaction,
  dropBridgeRows,
  dropWaitingAnswer,
  endAttempt,
  insertTransaction,
  putAnswer,
  putAttempt,
  takeWaitingAnswer,
  toTransactionRow,
  transactionById,
  waitingAnswer,
} from '../../statements/signin/transactions.ts';
import { allOrNothing, guarded, type Step, settled } from '../../transaction.ts';
import { type PendingRefusal, pendingSteps } from './pending-steps.ts';

/**
 * Creates the store of sign-ins over a driver. Every transition updates the row of the sign-in before the
 * bridge, so that two of them wait for each other and cannot deadlock. Counts come last when a sign-in
 * begins, since no other caller knows its row yet, and first when it is consumed.
 */
export function createTransactionStore(driver: Driver): TransactionStore {
  return {
    begin: (row, message, bounds, pushed) => {
      const { clientId, createdAt } = row;
      const steps: Step<PendingRefusal | 'push_used'>[] =
        pushed === undefined ? [] : [[usePushedRequest(pushed, createdAt), 'push_used']];
      steps.push([insertTransaction(row)], ...messageSteps(message, createdAt));
      steps.push(...pendingSteps(usageOfSignIn(row), clientId, bounds, createdAt));
      return guarded(driver, steps, 'stored');
    },
    find: async (txn, now) => {
      const [row] = await driver.read(transactionById(txn, now));
      return row === undefined ? undefined : toTransactionRow(row);
    },
    takeAnswer: async (txn, attempt, now) => {
      // A page polls every two seconds, mostly before there is an answer: a poll must not wait for the
      // writer.
      const waiting = await driver.read(waitingAnswer(txn, attempt, now));
      if (waiting.length === 0) return false;
      return allOrNothing(driver, [takeWaitingAnswer(txn, attempt, now), dropWaitingAnswer(txn)]);
    },
    storeAnswer: (txn, attempt, message, now) =>
      allOrNothing(driver, [putAnswer(txn, attempt, message, now)]),
    complete: (txn, attempt, accepted, spent, now) => {
      const steps: Step<'lost' | 'spent'>[] = [[completeTransaction(txn, attempt, accepted, now), 'lost']];
      if (spent !== undefined) steps.push([insertSpent(spent, now), 'spent']);
      steps.push([dropBridgeRows(txn)]);
      return guarded(driver, steps, 'completed');
    },
    fail: (txn, attempt, code) =>
      allOrNothing(driver, [endAttempt(txn, attempt, 'failed', code), dropBridgeRows(txn)]),
    refuse: (txn, attempt, code) =>
      allOrNothing(driver, [endAttempt(txn, attempt, 'refused', code), dropBridgeRows(txn)]),
    retry: (txn, from, next, message, now) =>
      guarded(
        driver,
        [
          [beginRetry(txn, from, next.attempt, now), 'lost'],
          [dropBridgeRows(txn)],
          [putAttempt(txn, next)],
          ...messageSteps(message, now),
        ],
        'stored',
      ),
    cancel: (txn) => allOrNothing(driver, [cancelTransaction(txn), dropBridgeRows(txn)]),
    agree: (txn, choices) => allOrNothing(driver, [agreeTo(txn, choices)]),
    consume: (txn, code, session) => {
      const isSuccess = code !== undefined || session?.begun !== undefined;
      const steps = [
        subtractSignIn(txn, true),
        subtractSignIn(txn, false),
        consumeTransaction(txn, isSuccess),
        ...(code === undefined ? [] : [insertCode(code)]),
        ...(session === undefined ? [] : sessionStatements(session)),
      ];
      const write = (): Promise<boolean> => allOrNothing(driver, steps);
      const own = ownRow(code, session?.begun);
      return own === undefined ? write() : settled(driver, { write, done: true, own });
    },
  };
}

/** Selects a row that only this end of a sign-in writes, if there is one. */
function ownRow(code: NewCode | undefined, begun: SessionRow | undefined): Statement | undefined {
  if (code !== undefined) return codeExists(code.codeHash);
  return begun === undefined ? undefined : sessionExists(begun.sid);
}

/** Puts the request of an attempt on this service's bridge, where a stored sign-in always has room. */
function messageSteps(attempt: AttemptMessage | undefined, now: number): Step<never>[] {
  if (attempt === undefined) return [];
  return [[addMessage(requestRow(attempt.bridgeId, attempt.message, 'initialized', now))]];
}
