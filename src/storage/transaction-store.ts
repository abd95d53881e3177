import type { Driver } from './drivers/driver.ts';
import { allOrNothing, guarded, type Step } from './guarded.ts';
import { dropBridgeAnswer, putBridgeRow, requestRow, withinBridgeLimits } from './statements/bridge.ts';
import { insertCode, insertSpent } from './statements/grants.ts';
import {
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
  withinPending,
} from './statements/transactions.ts';
import type { AttemptMessage, TransactionStore } from './store-signin.ts';

/**
 * Sign-ins over a driver. Every arrow first updates the row of the sign-in and then the bridge, so that two of them
 * wait for each other and never form a ring.
 */
export function createTransactionStore(driver: Driver): TransactionStore {
  return {
    begin: (row, message, maxPending) =>
      guarded(
        driver,
        [
          [insertTransaction(row)],
          [withinPending(maxPending, row.createdAt), 'full'],
          ...messageSteps(message, row.createdAt),
        ],
        'stored',
      ),
    find: async (txn, now) => {
      const [row] = await driver.read(transactionById(txn, now));
      return row === undefined ? undefined : toTransactionRow(row);
    },
    takeAnswer: async (txn, attempt, now) => {
      // A page asks every two seconds, nearly always in vain: that must not wait for the writer.
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
    consume: (txn, code) =>
      allOrNothing(driver, [
        consumeTransaction(txn, code !== undefined),
        ...(code === undefined ? [] : [insertCode(code)]),
      ]),
  };
}

/** Puts the request of an attempt on the own bridge. Its id is random: whatever lies under it is not meant. */
function messageSteps(attempt: AttemptMessage | undefined, now: number): Step<'bridge_full'>[] {
  if (attempt === undefined) return [];
  const { bridgeId, message, limits } = attempt;
  return [
    [putBridgeRow(requestRow(bridgeId, message, 'initialized', now))],
    [dropBridgeAnswer(bridgeId)],
    [withinBridgeLimits(limits, now), 'bridge_full'],
  ];
}
