import { proofRefusal } from '../../apps/signin-policy.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Choice, TransactionRow } from '../../storage/signin/transactions.ts';
import { checkCanSignIn, checkRedirectTarget } from '../authorize/identify-client.ts';
import { withoutOfflineAccess } from '../authorize/request-parameters.ts';
import type { SuccessResponse } from '../authorize/responder.ts';
import { keepRecognised } from '../known/keep-recognised.ts';
import { type Demanded, LEFT, type Reason, reasonOf } from './reasons.ts';
import type { Finish, FinishCookies, OpenTransaction, TransactionParts } from './types.ts';
import { offeredChoices } from './view.ts';

/**
 * Ends a sign-in and returns its authorization response, once: only one of several concurrent callers gets
 * it. The code is stored in the same store transaction that ends the sign-in.
 *
 * @throws ServiceError `transaction.finished`, `authorize.client_unknown`, `authorize.sign_in_not_enabled`,
 *   `authorize.redirect_uri_unknown`, `store.unreachable`
 */
export async function finishSignIn(
  transaction: OpenTransaction,
  { session: formerSession, known }: FinishCookies,
  parts: TransactionParts,
): Promise<Finish> {
  const { row, request } = transaction;
  if (row.state !== 'completed' && row.state !== 'refused' && row.state !== 'cancelled') {
    return { kind: 'pending' };
  }
  const client = await parts.clients.find(row.clientId);
  if (!client) throw new ServiceError('authorize.client_unknown', undefined, { path: 'client_id' });
  checkCanSignIn(client);
  checkRedirectTarget(client, request.redirectUri);
  const { sessions } = parts;
  // The policy of the client may have changed since the proof was checked.
  const refused = row.accepted ? proofRefusal(client, row.accepted) : undefined;
  const accepted = refused === undefined ? row.accepted : null;
  const begun =
    accepted && hasAgreed('stay', transaction, parts) ? sessions.begin(client, accepted) : undefined;
  const granted = hasAgreed('offline', transaction, parts) ? request : withoutOfflineAccess(request);
  const ended = { ...row, accepted, code: refused ?? row.code };
  const over = { ...transaction, row: ended, request: granted };
  const outcome = await outcomeOf(over, begun?.row.sid, parts);
  const { response, code, hasAccessToken } = outcome;
  const former = accepted && formerSession !== undefined ? sessions.hashOf(formerSession) : undefined;
  const kept = accepted === null ? undefined : await keepRecognised({ ...row, accepted }, known, parts);
  const isFirst = await parts.store.transactions.consume(row.txn, code, { former, begun: begun?.row });
  if (!isFirst) throw new ServiceError('transaction.finished', undefined, { clientId: row.clientId });
  if (hasAccessToken) parts.metrics.tokenIssuedTotal.inc({ grant: 'implicit' });
  const answer = { kind: 'response', response, known: kept } as const;
  if (begun !== undefined) return { ...answer, session: { cookie: begun.cookie } };
  return { ...answer, ...(former === undefined ? {} : { session: 'ended' }) };
}

/** Whether the person agreed to a choice that is still offered. */
function hasAgreed(choice: Choice, transaction: OpenTransaction, parts: TransactionParts): boolean {
  return transaction.row.agreed.includes(choice) && offeredChoices(transaction, parts).includes(choice);
}

async function outcomeOf(
  { row, request, ask }: OpenTransaction,
  sid: string | undefined,
  { responder }: Pick<TransactionParts, 'responder'>,
): Promise<SuccessResponse> {
  if (row.accepted) return await responder.success(request, row.accepted, sid);
  const { error, text } = reasonOfEnd(row, { requiresOrb: request.requiresOrb, ask });
  return { response: responder.refusal(request, error, text), code: undefined, hasAccessToken: false };
}

/**
 * Returns the reason of an unsuccessful end. A person who leaves after a failure denies access, with the
 * description of that failure (spec/sign-in.md#proof-checks).
 */
function reasonOfEnd({ state, code }: TransactionRow, demanded: Demanded): Omit<Reason, 'code'> {
  if (code === null) return LEFT;
  const reason = reasonOf(code, demanded);
  return state === 'cancelled' ? { ...reason, error: 'access_denied' } : reason;
}
