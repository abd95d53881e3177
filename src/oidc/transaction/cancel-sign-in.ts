import type { TransactionParts } from './parts.ts';
import type { OpenTransaction } from './types.ts';

/**
 * The person leaves a sign-in that waits or has failed; nothing happens in any other state.
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
