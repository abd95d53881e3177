import { OPEN_POLICY } from '../../config/apps/policy.ts';
import type { AppRow } from '../../storage/apps/apps.ts';
import type { FoundPerson } from '../../storage/signin/people.ts';
import type { CompletionRefusal, FirstProof } from '../../storage/signin/transactions.ts';
import { isAcceptable, type Plan, planFor } from '../worldid4/plan.ts';
import { isNonceSignal, newAttempt, type PlacedAttempt } from './attempts.ts';
import { planSignIn, policyOf } from './plan-sign-in.ts';
import type { OpenTransaction, TransactionParts, Way } from './types.ts';

/** Time before the end of a window from which a request that no wallet has taken is replaced. */
const RENEW_BEFORE_MS = 30_000;
/** Shortest rest of a sign-in for which another request is made without the person. */
const LEAST_REST_MS = 60_000;
/** Largest number of attempts that the service begins by itself in one sign-in. */
const MAX_RENEWALS = 20;

/**
 * Begins another attempt of a waiting or failed sign-in, which asks for the same; cancels the sign-in at the limit of
 * attempts. Does nothing in any other state or if another request was faster.
 *
 * @throws ServiceError `store.unreachable`
 */
export function retrySignIn(transaction: OpenTransaction, parts: TransactionParts): Promise<void> {
  return retryWith(transaction, transaction.ask, parts);
}

/**
 * Like `retrySignIn`, and asks for something else: for another person than the one whom a pointer names, or for the other
 * version of World ID.
 */
export async function retryOtherwise(
  transaction: OpenTransaction,
  way: Way,
  parts: TransactionParts,
): Promise<void> {
  const { row, request, ask } = transaction;
  const client = await parts.clients.find(row.clientId);
  if (!client) return;
  if (way === '3.0') {
    const policy = policyOf(client, request, parts.worldId4);
    if (policy.code !== undefined || policy.levels.length === 0) return;
    return await retryWith(transaction, undefined, parts);
  }
  // A passkey named somebody of its own, who is not one of the people of the browser.
  const isNext = way === 'other' && ask?.kind === 'prove' && ask.by !== 'passkey';
  const skipped = (ask?.skipped ?? 0) + (isNext ? 1 : 0);
  const recognition = { client, request, knownHash: row.knownHash, at: parts.now() };
  const plan = await planSignIn(recognition, skipped, parts.worldId4);
  if (plan !== undefined) await retryWith(transaction, plan, parts);
}

/**
 * Like `retrySignIn`, and before forgets everybody whom the client recognises on the browser. That needs no proof: it tells
 * nothing, and anyone at the browser can delete its cookie.
 */
export async function retryAsStranger(transaction: OpenTransaction, parts: TransactionParts): Promise<void> {
  const { row, request } = transaction;
  const client = await parts.clients.find(row.clientId);
  const { worldId4 } = parts;
  if (!client || worldId4 === undefined) return;
  // Whoever signs in now is recognised again, by another cookie.
  if (row.knownHash !== null) await worldId4.people.forgetBrowser(row.clientId, row.knownHash);
  const plan = await planSignIn({ client, request, knownHash: null, at: parts.now() }, 0, worldId4);
  if (plan !== undefined) await retryWith(transaction, plan, parts);
}

/** Like `retrySignIn`, and asks for the session of a person whom a passkey names; false if it is of no use. */
export async function retryAs(
  transaction: OpenTransaction,
  person: FoundPerson,
  parts: TransactionParts,
): Promise<boolean> {
  const { row, request } = transaction;
  const client = await parts.clients.find(row.clientId);
  const { worldId4 } = parts;
  if (!client || worldId4 === undefined || !isAcceptable(person, client)) return false;
  const policy = policyOf(client, request, worldId4);
  if (policy.code !== undefined) return false;
  const people = [{ ...person, by: 'passkey' }] as const;
  const input = { client, policy, people, skipped: 0, beginning: 1, form: worldId4.sessionForm };
  const plan = planFor(input);
  if (plan === undefined) return false;
  await retryWith(transaction, plan, parts);
  return true;
}

async function retryWith(
  transaction: OpenTransaction,
  plan: Plan | undefined,
  parts: TransactionParts,
): Promise<void> {
  const { row, ask } = transaction;
  if (row.state !== 'waiting' && row.state !== 'failed') return;
  const isLinking = row.accepted !== null;
  // To a proof of one version only one of the other is added.
  if (isLinking && (plan === undefined) !== (ask === undefined)) return;
  if (attemptsLeft(transaction, parts) <= 0) return await cancelSignIn(transaction, parts);
  const at = parts.now();
  const asked = isLinking && plan !== undefined ? { ...plan, takes3: false } : plan;
  const { attempt, message } = await attemptAfter(transaction, { plan: asked, isOwn: false }, at, parts);
  const outcome = await parts.store.transactions.retry(row.txn, row.attempt, attempt, message, at);
  if (outcome === 'stored') parts.metrics.signinTransactionsTotal.inc({ result: 'retried' });
}

/** Returns how many attempts the person can still begin; those that the service began by itself do not count. */
export function attemptsLeft({ row }: OpenTransaction, { config }: Pick<TransactionParts, 'config'>): number {
  return config.signin.maxAttempts - row.attempt + row.renewals;
}

/**
 * Begins another attempt of an answered sign-in without the person, such as the second step of a pair.
 *
 * @param plan - Undefined to ask for World ID 3.0 alone.
 * @param first - What the attempt showed, if the person adds something to it.
 */
export async function proceedWith(
  transaction: OpenTransaction,
  plan: Plan | undefined,
  parts: TransactionParts,
  first?: FirstProof,
): Promise<'stored' | CompletionRefusal> {
  const { row } = transaction;
  const at = parts.now();
  const { attempt, message } = await attemptAfter(transaction, { plan, isOwn: true }, at, parts);
  return await parts.store.transactions.proceed(row.txn, row.attempt, attempt, message, at, first);
}

/**
 * Replaces a request of World ID 4.0 whose window ends: before its end while no wallet has taken it, or afterwards, since
 * the wallet proves the same for ten minutes (spec/sign-in.md#world-id-40).
 *
 * @param isUntaken - Whether the bridge reports that no wallet has taken the request.
 * @returns Whether there is another attempt now.
 */
export async function renewIfDue(
  transaction: OpenTransaction,
  isUntaken: boolean,
  parts: TransactionParts,
): Promise<boolean> {
  const { row, ask } = transaction;
  const at = parts.now();
  if (ask === undefined || row.state !== 'waiting' || row.renewals >= MAX_RENEWALS) return false;
  const isOver = at > row.windowEndsAt;
  if (!isOver && !(isUntaken && at > row.windowEndsAt - RENEW_BEFORE_MS)) return false;
  if (row.expiresAt - at < LEAST_REST_MS) return false;
  const { attempt, message } = await attemptAfter(transaction, { plan: ask, isOwn: true }, at, parts);
  const { transactions } = parts.store;
  await transactions.retry(row.txn, row.attempt, attempt, message, at, isUntaken && message !== undefined);
  return true;
}

/** @param isOwn - Whether the service begins it by itself. */
async function attemptAfter(
  transaction: OpenTransaction,
  { plan, isOwn }: { readonly plan: Plan | undefined; readonly isOwn: boolean },
  at: number,
  parts: TransactionParts,
): Promise<PlacedAttempt> {
  const { row, request, ask } = transaction;
  const client = await parts.clients.find(row.clientId);
  return await newAttempt(
    {
      txn: row.txn,
      attempt: row.attempt + 1,
      request,
      client: client ?? removedClient(row.clientId),
      // The second step of a pair has a signal of its own.
      isNonceSignal:
        ask?.kind === 'pair' ? (client?.client.signalIsNonce ?? false) : isNonceSignal(transaction),
      renewals: row.renewals + (isOwn ? 1 : 0),
      plan,
      at,
      expiresAt: row.expiresAt,
    },
    parts,
  );
}

/** A removed client is refused when the sign-in ends. */
export function removedClient(appId: string): Pick<AppRow, 'appId' | 'name' | 'policy'> {
  return { appId, name: appId, policy: OPEN_POLICY };
}

/** Counts a completed sign-in. */
export function countCompleted(
  { row }: OpenTransaction,
  { metrics, onSignedIn }: Pick<TransactionParts, 'metrics' | 'onSignedIn'>,
): void {
  metrics.signinTransactionsTotal.inc({ result: 'completed' });
  onSignedIn?.(row.clientId);
}

/**
 * Cancels a waiting or failed sign-in because the person leaves, or completes it without what was to be added; does nothing
 * in any other state.
 *
 * @throws ServiceError `store.unreachable`
 */
export async function cancelSignIn(
  transaction: OpenTransaction,
  parts: Pick<TransactionParts, 'store' | 'metrics' | 'onSignedIn'>,
): Promise<void> {
  const { row } = transaction;
  if (!(await parts.store.transactions.cancel(row.txn))) return;
  if (row.accepted === null) parts.metrics.signinTransactionsTotal.inc({ result: 'cancelled' });
  else countCompleted(transaction, parts);
}
