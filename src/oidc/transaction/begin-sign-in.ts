import { createHash, randomBytes } from 'node:crypto';
import { ServiceError } from '../../errors/index.ts';
import type { AppRow, Bytes32 } from '../../storage/index.ts';
import type { AuthorizationRequest } from '../types.ts';
import { newAttempt } from './new-attempt.ts';
import type { TransactionParts } from './parts.ts';
import { PENDING_REFUSALS, pendingBounds, tooManyPending } from './pending-bounds.ts';
import type { BegunSignIn } from './types.ts';

const TOKEN_BYTES = 32;

/** Returns the SHA-256 of a cookie's value, which is all that is stored of it. */
export function cookieHash(cookie: string): Bytes32 {
  return Uint8Array.from(createHash('sha256').update(cookie).digest());
}

/**
 * Stores a sign-in with its first attempt.
 *
 * @param address - Address of the browser, as used for rate limits.
 * @param pushed - SHA-256 of the reference of the pushed request that it begins with.
 * @throws ServiceError `transaction.too_many`, `transaction.too_many_of_client`,
 *   `transaction.too_many_of_network`, `authorize.request_uri_invalid`, `store.unreachable`
 */
export async function beginSignIn(
  client: AppRow,
  request: AuthorizationRequest,
  address: string,
  pushed: Bytes32 | undefined,
  { config, store, bridge, metrics, addressKeys, now }: TransactionParts,
): Promise<BegunSignIn> {
  const { proofWindowSeconds, transactionTtlSeconds } = config.signin;
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
  const bounds = pendingBounds(config.signin, addressKeys(address).networkKey);
  const outcome = await store.transactions.begin(row, message, bounds, pushed);
  if (outcome === 'stored') {
    metrics.signinTransactionsTotal.inc({ result: 'begun' });
    return { txn, cookie };
  }
  if (outcome === 'push_used') {
    throw new ServiceError('authorize.request_uri_invalid', undefined, {
      path: 'request_uri',
      clientId: client.appId,
    });
  }
  metrics.signinTransactionsTotal.inc({ result: PENDING_REFUSALS[outcome].result });
  throw tooManyPending(outcome, client.appId);
}
