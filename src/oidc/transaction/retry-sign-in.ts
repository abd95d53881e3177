import { isNonceSignal, newAttempt } from './new-attempt.ts';
import type { TransactionParts } from './parts.ts';
import type { OpenTransaction } from './types.ts';

/**
 * Begins another attempt of a sign-in that is waiting or has failed; at the limit of attempts, cancels the
 * sign-in. Does nothing in any other state or if another request was faster.
 *
 * @throws ServiceError `store.unreachable`
 */
export async function retrySignIn(transaction: OpenTransaction, parts: TransactionParts): Promise<void> {
  const { row, request } = transaction;
  if (row.state !== 'waiting' && row.state !== 'failed') return;
  const { config, store, clients, bridge, metrics, now } = parts;
  if (row.attempt >= config.signin.maxAttempts) return await cancelSignIn(transaction, parts);
  const client = await clients.find(row.clientId);
  const at = now();
  const { attempt, message } = await newAttempt(
    {
      attempt: row.attempt + 1,
      request,
      clientName: client?.name ?? row.clientId,
      isNonceSignal: isNonceSignal(transaction),
      windowEndsAt: Math.min(at + config.signin.proofWindowSeconds * 1000, row.expiresAt),
    },
    bridge,
  );
  const outcome = await store.transactions.retry(row.txn, row.attempt, attempt, message, at);
  if (outcome === 'stored') metrics.signinTransactionsTotal.inc({ result: 'retried' });
}

/**
 * Cancels a sign-in that is waiting or has failed, because the person leaves; does nothing in any other
 * state.
 *
 * @throws ServiceError `store.unreachable`
 */
export async function cancelSignIn(
  { row }: OpenTransaction,
  { store, metrics }: Pick<TransactionParts, 'store' | 'metrics'>,
): Promise<void> {
  const isCancelled = await store.transactions.cancel(row.txn);
  if (isCancelled) metrics.signinTransactionsTotal.inc({ result: 'cancelled' });
}
