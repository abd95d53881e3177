import { createHash, randomBytes } from 'node:crypto';
import { ServiceError } from '../../errors/index.ts';
import type { AppRow, Bytes32 } from '../../storage/index.ts';
import type { AuthorizationRequest } from '../types.ts';
import { newAttempt } from './new-attempt.ts';
import type { TransactionParts } from './parts.ts';
import type { BegunSignIn } from './types.ts';

const TOKEN_BYTES = 32;

// Sign-ins end by themselves, the oldest after some minutes, so that trying at once would be in vain.
const FULL_RETRY_SECONDS = 30;

/** What is kept of a cookie's value: its SHA-256. */
export function cookieHash(cookie: string): Bytes32 {
  return Uint8Array.from(createHash('sha256').update(cookie).digest());
}

/**
 * Stores a sign-in with its first attempt.
 *
 * @throws ServiceError `transaction.too_many`, `store.unreachable`
 */
export async function beginSignIn(
  client: AppRow,
  request: AuthorizationRequest,
  { config, store, bridge, metrics, now }: TransactionParts,
): Promise<BegunSignIn> {
  const { proofWindowSeconds, transactionTtlSeconds, maxPendingTransactions } = config.signin;
  const txn = randomBytes(TOKEN_BYTES).toString('base64url');
  const cookie = randomBytes(TOKEN_BYTES).toString('base64url');
  const createdAt = now();
  const expiresAt = createdAt + transactionTtlSeconds * 1000;
  const { attempt: first, message } = await newAttempt(
    {
      attempt: 1,
      request,
      clientName: client.name,
      isNonceSignal: client.client.signalIsNonce,
      windowEndsAt: Math.min(createdAt + proofWindowSeconds * 1000, expiresAt),
    },
    bridge,
  );
  const row = {
    txn,
    clientId: client.appId,
    request: JSON.stringify(request),
    cookieHash: cookieHash(cookie),
    first,
    createdAt,
    expiresAt,
  };
  const outcome = await store.transactions.begin(row, message, maxPendingTransactions);
  const isStored = outcome === 'stored';
  metrics.signinTransactionsTotal.inc({ result: isStored ? 'begun' : 'too_many' });
  if (!isStored) throw tooMany(client.appId);
  return { txn, cookie };
}

/** The refusal of a sign-in or an attempt that there is no room for. */
export function tooMany(clientId: string): ServiceError {
  return new ServiceError('transaction.too_many', undefined, {
    clientId,
    retryAfterSeconds: FULL_RETRY_SECONDS,
  });
}
