import { createHash, randomBytes } from 'node:crypto';
import { type ErrorCode, ServiceError } from '../../errors/index.ts';
import type { AppRow, Bytes32, PendingBounds } from '../../storage/index.ts';
import type { AuthorizationRequest } from '../types.ts';
import { newAttempt } from './new-attempt.ts';
import type { TransactionParts } from './parts.ts';
import type { BegunSignIn } from './types.ts';

const TOKEN_BYTES = 32;

// Pending sign-ins expire after some minutes, so an immediate retry would be in vain.
const FULL_RETRY_SECONDS = 30;

/** Pending sign-ins that every client may have, even if its percentage of a low limit would be less. */
const MIN_SIGN_INS_OF_CLIENT = 100;

/** Metric label and error code for a sign-in that exceeds a limit. */
const REFUSALS = {
  full: ['too_many', 'transaction.too_many'],
  client_full: ['client_full', 'transaction.too_many_of_client'],
  network_full: ['network_full', 'transaction.too_many_of_network'],
} as const satisfies Record<string, readonly [result: string, code: ErrorCode]>;

/** The codes of these refusals, which go to the relying party. */
export const TOO_MANY: readonly ErrorCode[] = Object.values(REFUSALS).map(([, code]) => code);

/** Returns the SHA-256 of a cookie's value, which is all that is stored of it. */
export function cookieHash(cookie: string): Bytes32 {
  return Uint8Array.from(createHash('sha256').update(cookie).digest());
}

/**
 * Stores a sign-in with its first attempt.
 *
 * @param address - Address of the browser, as used for rate limits.
 * @throws ServiceError `transaction.too_many`, `transaction.too_many_of_client`,
 *   `transaction.too_many_of_network`, `store.unreachable`
 */
export async function beginSignIn(
  client: AppRow,
  request: AuthorizationRequest,
  address: string,
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
  const outcome = await store.transactions.begin(row, message, bounds);
  if (outcome === 'stored') {
    metrics.signinTransactionsTotal.inc({ result: 'begun' });
    return { txn, cookie };
  }
  const [result, code] = REFUSALS[outcome];
  metrics.signinTransactionsTotal.inc({ result });
  throw new ServiceError(code, undefined, {
    clientId: client.appId,
    retryAfterSeconds: FULL_RETRY_SECONDS,
  });
}

function pendingBounds(signin: TransactionParts['config']['signin'], networkKey: string): PendingBounds {
  const {
    maxPendingTransactions: maxSignIns,
    maxPendingBytes: maxBytes,
    maxPendingPercentPerClient: percent,
    maxBegunBytesPerNetwork: networkBytes,
  } = signin;
  return {
    all: { maxSignIns, maxBytes },
    client: {
      maxSignIns: Math.max(MIN_SIGN_INS_OF_CLIENT, Math.ceil((maxSignIns * percent) / 100)),
      maxBytes: Math.ceil((maxBytes * percent) / 100),
    },
    network:
      networkBytes === 0
        ? undefined
        : { networkKey, maxSignIns: Number.MAX_SAFE_INTEGER, maxBytes: networkBytes },
  };
}
