import { timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../../errors/index.ts';
import type { TransactionRow } from '../../storage/index.ts';
import type { AuthorizationRequest } from '../types.ts';
import { cookieHash } from './begin-sign-in.ts';
import type { TransactionParts } from './parts.ts';
import type { OpenRow, OpenTransaction } from './types.ts';

const TXN = /^[A-Za-z0-9_-]{43}$/;

/**
 * Opens the sign-in of a path, for the browser that has its cookie.
 *
 * @throws ServiceError `transaction.not_found`, `transaction.finished`, `store.unreachable`
 */
export async function openTransaction(
  txn: string,
  cookie: string | undefined,
  parts: Pick<TransactionParts, 'store' | 'now'>,
): Promise<OpenTransaction> {
  if (!TXN.test(txn) || cookie === undefined) throw new ServiceError('transaction.not_found');
  const row = await parts.store.transactions.find(txn, parts.now());
  const isOwner = row !== undefined && timingSafeEqual(row.cookieHash, cookieHash(cookie));
  if (!isOwner) throw new ServiceError('transaction.not_found');
  return opened(row);
}

/**
 * Reads the row of a sign-in again.
 *
 * @throws ServiceError as `openTransaction`
 */
export async function reread(
  { txn }: Pick<TransactionRow, 'txn'>,
  parts: Pick<TransactionParts, 'store' | 'now'>,
): Promise<OpenTransaction> {
  const row = await parts.store.transactions.find(txn, parts.now());
  if (!row) throw new ServiceError('transaction.not_found');
  return opened(row);
}

function isOpen(row: TransactionRow): row is OpenRow {
  return row.state !== 'consumed';
}

function opened(row: TransactionRow): OpenTransaction {
  // A finished sign-in keeps neither its request nor its language.
  if (!isOpen(row)) {
    throw new ServiceError('transaction.finished', undefined, { clientId: row.clientId });
  }
  // written by `beginSignIn` from a checked request
  return { row, request: JSON.parse(row.request) as AuthorizationRequest };
}
