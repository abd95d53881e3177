/**
 * One sign-in from the accepted request to its response: the state machine of
 * spec/sign-in.md#transaction-states over the store, the proof checks (spec/sign-in.md#proof-checks), and the
 * wallet bridge (spec/sign-in.md#wallet-bridge), own or external.
 */
import { forgetKnown, viewKnownPerson } from '../known/known-person.ts';
import { savePasskey, usePasskey } from '../known/use-passkey.ts';
import { createAdvance } from './advance.ts';
import { beginSignIn, openTransaction } from './begin-sign-in.ts';
import { finishSignIn } from './finish-sign-in.ts';
import { cancelSignIn, retryAsStranger, retryOtherwise, retrySignIn } from './next-attempt.ts';
import type { TransactionParts, Transactions, TransactionsOptions } from './types.ts';
import { offeredChoices, viewOf } from './view.ts';
import { createExternalBridge, createOwnBridge, type WalletBridge } from './wallet-bridge.ts';

/** Creates the sign-ins over the store, the engine and the configured bridge. */
export function createTransactions(options: TransactionsOptions): Transactions {
  const parts: TransactionParts = { ...options, bridge: bridgeOf(options) };
  const advance = createAdvance(parts);
  return {
    begin: (client, request, address, known, pushed) =>
      beginSignIn(client, request, address, known, pushed, parts),
    open: (txn, cookie) => openTransaction(txn, cookie, parts),
    async poll(transaction, address) {
      const advanced = await advance(transaction, address);
      return viewOf(advanced, await parts.clients.find(transaction.row.clientId), parts);
    },
    retry: (transaction) => retrySignIn(transaction, parts),
    retryOtherwise: (transaction, way) => retryOtherwise(transaction, way, parts),
    cancel: (transaction) => cancelSignIn(transaction, parts),
    usePasskey: (transaction, sent) => usePasskey(transaction, sent, parts),
    savePasskey: (transaction, sent) => savePasskey(transaction, sent, parts),
    viewKnown: (transaction) => viewKnownPerson(transaction, parts),
    forgetKnown: (transaction, id) => forgetKnown(transaction, id, parts),
    forgetBrowser: (transaction) => retryAsStranger(transaction, parts),
    async agree(transaction, choices) {
      const offered = offeredChoices(transaction, parts);
      await parts.store.transactions.agree(
        transaction.row.txn,
        choices.filter((choice) => offered.includes(choice)),
      );
    },
    finish: (transaction, cookies) => finishSignIn(transaction, cookies, parts),
  };
}

function bridgeOf({ config, store, bridgeIds, now }: TransactionsOptions): WalletBridge {
  const { bridge: settings, baseUrl } = config;
  const { url, bodyLimitBytes } = settings;
  const { transactions, bridge } = store;
  return url === `${baseUrl}/bridge`
    ? createOwnBridge({ url, bridge, transactions, bridgeIds, now })
    : createExternalBridge({ url, bodyLimitBytes, transactions, now });
}
