import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../../errors/service-error.ts';
import type { AppRow } from '../../storage/apps/apps.ts';
import type { TransactionRow } from '../../storage/signin/transactions.ts';
import type { Bytes32 } from '../../storage/values.ts';
import { usedPush } from '../pushed-requests.ts';
import type { AuthorizationRequest } from '../types.ts';
import type { Ask } from '../worldid4/proof-request.ts';
import { newAttempt } from './attempts.ts';
import { mayLink } from './link-world-ids.ts';
import { PENDING_REFUSALS, pendingBounds, tooManyPending } from './pending-bounds.ts';
import { planSignIn, pointerHashOf } from './plan-sign-in.ts';
import type { BegunSignIn, OpenTransaction, TransactionParts } from './types.ts';

const TOKEN_BYTES = 32;

/** Returns the SHA-256 of a cookie value; only the hash is stored. */
function cookieHash(cookie: string): Bytes32 {
  return Uint8Array.from(createHash('sha256').update(cookie).digest());
}

/**
 * Stores a sign-in with its first attempt.
 *
 * @param address - Address of the browser, as used for rate limits.
 * @param known - Cookie by which the browser is recognised, if it has one.
 * @param pushed - SHA-256 of the reference of its pushed request, if it has one.
 * @throws ServiceError `transaction.too_many`, `transaction.too_many_of_client`, `transaction.too_many_of_network`,
 *   `authorize.request_uri_used`, `store.unreachable`
 */
export async function beginSignIn(
  client: AppRow,
  request: AuthorizationRequest,
  address: string,
  known: string | undefined,
  pushed: Bytes32 | undefined,
  parts: TransactionParts,
): Promise<BegunSignIn> {
  const { config, store, metrics, addressKeys, now } = parts;
  const txn = randomBytes(TOKEN_BYTES).toString('base64url');
  const cookie = randomBytes(TOKEN_BYTES).toString('base64url');
  const createdAt = now();
  const expiresAt = createdAt + config.signin.transactionTtlSeconds * 1000;
  const hash = known === undefined ? null : pointerHashOf(known);
  const recognition = { client, request, knownHash: hash, at: createdAt };
  const plan = await planSignIn(recognition, 0, parts.worldId4);
  // The browser has it before the proof, so that a sign-in that is cut off after it still recognises the person.
  const added =
    plan === undefined || known !== undefined ? undefined : randomBytes(TOKEN_BYTES).toString('base64url');
  const { attempt: first, message } = await newAttempt(
    {
      txn,
      attempt: 1,
      request,
      client,
      isNonceSignal: client.client.signalIsNonce,
      renewals: 0,
      plan,
      at: createdAt,
      expiresAt,
    },
    parts,
  );
  const row = {
    txn,
    clientId: client.appId,
    request: JSON.stringify(
      mayLink(client, request, parts.worldId4) ? { ...request, mayLink: true } : request,
    ),
    cookieHash: cookieHash(cookie),
    knownHash: added === undefined ? hash : pointerHashOf(added),
    pushedHash: pushed ?? null,
    first,
    createdAt,
    expiresAt,
  };
  const bounds = pendingBounds(config.signin, addressKeys(address).networkKey);
  const outcome = await store.transactions.begin(row, message, bounds);
  if (outcome === 'stored') {
    metrics.signinTransactionsTotal.inc({ result: 'begun' });
    return { txn, cookie, known: added };
  }
  if (outcome === 'push_used') throw usedPush(client.appId);
  metrics.signinTransactionsTotal.inc({ result: PENDING_REFUSALS[outcome].result });
  throw tooManyPending(outcome, client.appId);
}

const TXN = /^[A-Za-z0-9_-]{43}$/;

/**
 * Opens the sign-in of a path for the browser with its cookie.
 *
 * @throws ServiceError `transaction.not_found`, `transaction.redeemed`, `transaction.finished`, `store.unreachable`
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
  return opened(row, cookie);
}

/**
 * Reads the row of a sign-in again.
 *
 * @throws ServiceError as `openTransaction`
 */
export async function reread(
  { row: { txn }, cookie }: Pick<OpenTransaction, 'row' | 'cookie'>,
  parts: Pick<TransactionParts, 'store' | 'now'>,
): Promise<OpenTransaction> {
  const row = await parts.store.transactions.find(txn, parts.now());
  if (!row) throw new ServiceError('transaction.not_found');
  return opened(row, cookie);
}

function opened(row: TransactionRow, cookie: string): OpenTransaction {
  const { clientId, ended } = row;
  if (ended === 'redeemed') throw new ServiceError('transaction.redeemed', undefined, { clientId });
  const state = row.state === 'consumed' ? ended : row.state;
  // An earlier release has erased its request.
  if (state === null) throw new ServiceError('transaction.finished', undefined, { clientId });
  // Both are written by this service: the request once it was checked.
  const request = JSON.parse(row.request) as AuthorizationRequest;
  const ask = row.ask === null ? undefined : (JSON.parse(row.ask) as Ask);
  return { row: { ...row, state }, isAnswered: row.state === 'consumed', cookie, request, ask };
}
