import { pointOf } from '../../../src/storage/drivers/driver.ts';
import type { PendingBounds } from '../../../src/storage/signin/pending.ts';
import type { SpentProof } from '../../../src/storage/signin/proofs.ts';
import type {
  CompletionRefusal,
  TransactionRow,
  TransactionState,
} from '../../../src/storage/signin/transactions.ts';
import { bridgeSender, bytes32 } from './rows.ts';
import { ACCEPTED, attemptMessage, attemptOf, newTransaction, pendingBounds, START } from './signin-rows.ts';
import { driver, store } from './subject.ts';

/** An answer of a wallet. */
export const ANSWER: { readonly iv: string; readonly payload: string } = {
  iv: 'aXYy',
  payload: 'YW5zd2Vy',
};
/** Bounds that no test reaches. */
export const BOUNDS: PendingBounds = pendingBounds(1000);
/** Failure code of an attempt. */
export const FAILURE = 'invalid_proof';

/** State transitions of the sign-in `txn`. */
export interface SigninTransitions {
  find(now?: number): Promise<TransactionRow | undefined>;
  /** Returns id and kind of each row on the bridge. */
  bridgeRows(): Promise<string[]>;
  begin(): Promise<string>;
  answerOnBridge(now?: number): Promise<string>;
  retry(from: number, now?: number, bridgeId?: string): Promise<string>;
  complete(attempt?: number, spent?: SpentProof, now?: number): Promise<'completed' | CompletionRefusal>;
  /** Begins the sign-in and brings it into a state. */
  bringTo(state: TransactionState): Promise<void>;
}

/** Creates the transitions on a store. */
export function signinTransitions(): SigninTransitions {
  const transitions: SigninTransitions = {
    find: (now = START) => store.transactions.find('txn', now),
    bridgeRows: async () => {
      const sql = 'select id, kind from bridge_messages order by id, kind';
      return (await driver.read(pointOf(sql))).map((row) => row.join(' '));
    },
    begin: () => store.transactions.begin(newTransaction('txn'), attemptMessage('bridge-txn'), BOUNDS),
    answerOnBridge: (now = START + 1000) => store.bridge.answer('bridge-txn', ANSWER, bridgeSender(), now),
    retry: (from, now = START + 2000, bridgeId = 'bridge-second') => {
      const change = { attempt: from + 1, signal: 'siwi:second', aesKey: bytes32(3), bridgeId };
      const next = attemptOf('txn', change);
      return store.transactions.retry('txn', from, next, attemptMessage(bridgeId), now);
    },
    complete: (attempt = 1, spent = undefined, now = START + 5000) =>
      store.transactions.complete('txn', attempt, ACCEPTED, { spent }, now),
    bringTo: async (state) => {
      const { transactions } = store;
      await transitions.begin();
      if (state === 'waiting') return;
      if (state === 'cancelled') {
        await transactions.cancel('txn');
        return;
      }
      await transitions.answerOnBridge();
      await transactions.takeAnswer('txn', 1, START + 1000);
      if (state === 'failed') await transactions.fail('txn', 1, FAILURE);
      if (state === 'refused') await transactions.refuse('txn', 1, 'access_denied');
      if (state === 'completed' || state === 'consumed') await transitions.complete();
      if (state === 'consumed') await store.answers.consume('txn', {});
    },
  };
  return transitions;
}
