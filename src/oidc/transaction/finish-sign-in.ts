import { ServiceError } from '../../errors/service-error.ts';
import { checkCanSignIn, checkRedirectTarget } from '../authorize/identify-client.ts';
import { keepRecognised } from '../known/keep-recognised.ts';
import { usedPush, useEndsAt } from '../pushed-requests.ts';
import { answerAgain } from './answer-again.ts';
import { reread } from './begin-sign-in.ts';
import { type EndedSignIn, endedSignIn } from './ended-sign-in.ts';
import { pointerHashOf } from './plan-sign-in.ts';
import type { Finish, FinishCookies, OpenTransaction, TransactionParts } from './types.ts';

/**
 * Ends a sign-in and returns its authorization response; returns it again to the browser of the sign-in until the code is
 * redeemed (spec/sign-in.md#repeated-responses). The code is stored in the store transaction that ends the sign-in, so that
 * of several concurrent callers one ends it.
 *
 * @throws ServiceError `transaction.redeemed`, `transaction.not_found`, `authorize.client_unknown`,
 *   `authorize.sign_in_not_enabled`, `authorize.redirect_uri_unknown`, `authorize.request_uri_used`, `store.unreachable`
 */
export async function finishSignIn(
  transaction: OpenTransaction,
  cookies: FinishCookies,
  parts: TransactionParts,
): Promise<Finish> {
  const { row, request, isAnswered } = transaction;
  if (row.state !== 'completed' && row.state !== 'refused' && row.state !== 'cancelled') {
    return { kind: 'pending' };
  }
  const client = await parts.clients.find(row.clientId);
  if (!client) throw new ServiceError('authorize.client_unknown', undefined, { path: 'client_id' });
  checkCanSignIn(client);
  checkRedirectTarget(client, request.redirectUri);
  const ended = endedSignIn(transaction, client, parts);
  const finish = isAnswered
    ? await answerAgain(ended, cookies, parts)
    : await answerFirst(ended, cookies, parts);
  // Another request of the browser was faster, whose response it gets, too.
  return finish ?? (await finishSignIn(await reread(transaction, parts), cookies, parts));
}

/** Ends a sign-in; returns undefined if another caller has done so. */
async function answerFirst(
  { transaction, client, secrets, refusal, stays, respond }: EndedSignIn,
  { session: formerSession, known }: FinishCookies,
  parts: TransactionParts,
): Promise<Finish | undefined> {
  const { row } = transaction;
  const { sessions, config, store, now } = parts;
  const accepted = refusal === undefined ? row.accepted : null;
  const begun = accepted !== null && stays ? sessions.begin(client, accepted, secrets) : undefined;
  const { response, code, hasAccessToken } = await respond(1, begun?.row.sid);
  const former = accepted && formerSession !== undefined ? sessions.hashOf(formerSession) : undefined;
  const kept =
    accepted === null ? undefined : await keepRecognised({ ...row, accepted }, known ?? secrets.known, parts);
  const { pushedHash: referenceHash, clientId } = row;
  const outcome = await store.answers.consume(row.txn, {
    code,
    session: { former, begun: begun?.row },
    knownHash: kept === undefined ? null : pointerHashOf(kept),
    refusal,
    pushed:
      referenceHash === null
        ? undefined
        : { referenceHash, clientId, expiresAt: useEndsAt(config.signin, now()) },
  });
  if (outcome === 'push_used') throw usedPush(clientId);
  if (outcome === 'lost') return undefined;
  if (hasAccessToken) parts.metrics.tokenIssuedTotal.inc({ grant: 'implicit' });
  const answer = { kind: 'response', response, known: kept } as const;
  if (begun !== undefined) return { ...answer, session: { cookie: begun.cookie } };
  return { ...answer, ...(former === undefined ? {} : { session: 'ended' }) };
}
