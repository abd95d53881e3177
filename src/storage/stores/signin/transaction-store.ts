import type { Driver } from '../../drivers/driver.ts';
import type {
  AttemptMessage,
  NewTransaction,
  PendingBounds,
  TransactionStore,
} from '../../model/store-signin.ts';
import { addMessage, requestRow } from '../../statements/signin/bridge.ts';
import { codeExists, insertCode, insertSpent } from '../../statements/signin/grants.ts';
import {
  addSignIn,
  networkHolder,
  subtractSignIn,
  withinPending,
} from '../../statements/signin/signin-usage.ts';
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
} from '../../statements/signin/transactions.ts';
import { allOrNothing, guarded, type Step } from '../guarded.ts';
import { settled } from '../settled.ts';

/**
 * Creates the store of sign-ins over a driver. Every transition updates the row of the sign-in before the
 * bridge, so that two of them wait for each other and cannot deadlock. Counts come last when a sign-in
 * begins, since no other caller knows its row yet, and first when it is consumed.
 */
export function createTransactionStore(driver: Driver): TransactionStore {
  return {
    begin: (row, message, bounds) =>
      guarded(
        driver,
        [[insertTransaction(row)], ...messageSteps(message, row.createdAt), ...usageSteps(row, bounds)],
        'stored',
      ),
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
    consume: (txn, code) => {
      const steps = [
        subtractSignIn(txn, true),
        subtractSignIn(txn, false),
        consumeTransaction(txn, code !== undefined),
      ];
      if (code === undefined) return allOrNothing(driver, steps);
      return settled(driver, {
        write: () => allOrNothing(driver, [...steps, insertCode(code)]),
        done: true,
        own: codeExists(code.codeHash),
      });
    },
  };
}

/** Puts the request of an attempt on this service's bridge, where a stored sign-in always has room. */
function messageSteps(attempt: AttemptMessage | undefined, now: number): Step<never>[] {
  if (attempt === undefined) return [];
  return [[addMessage(requestRow(attempt.bridgeId, attempt.message, 'initialized', now))]];
}

/** Counts a new sign-in and checks the bounds; every transaction updates the counts in the same order. */
function usageSteps(
  row: NewTransaction,
  { network, client, all }: PendingBounds,
): Step<'network_full' | 'client_full' | 'full'>[] {
  const { clientId, createdAt } = row;
  const steps: Step<'network_full' | 'client_full' | 'full'>[] = [];
  if (network !== undefined) {
    const holder = networkHolder(network.networkKey);
    steps.push([addSignIn(row, holder)], [withinPending(network, createdAt, holder), 'network_full']);
  }
  steps.push([addSignIn(row, clientId)], [withinPending(client, createdAt, clientId), 'client_full']);
  steps.push([addSignIn(row)], [withinPending(all, createdAt), 'full']);
  return steps;
}
