import { ServiceError } from '../../errors/service-error.ts';
import type { EndedSignIn } from './ended-sign-in.ts';
import { pointerHashOf } from './plan-sign-in.ts';
import type { Finish, FinishCookies, TransactionParts } from './types.ts';

/**
 * Returns the authorization response of a sign-in again (spec/sign-in.md#repeated-responses): with its code while that is
 * alive, with another one in its place once it has expired unredeemed. Tokens of the front channel are signed again.
 *
 * @returns Undefined if another caller was faster, whose code is to be sent.
 * @throws ServiceError `transaction.redeemed`, `store.unreachable`
 */
export async function answerAgain(
  ended: EndedSignIn,
  cookies: FinishCookies,
  parts: TransactionParts,
): Promise<Finish | undefined> {
  const { row } = ended.transaction;
  const { txn, clientId, answers } = row;
  const { grants, answers: store } = parts.store;
  const session = await sessionAgain(ended, cookies, parts);
  const { response, code } = await ended.respond(answers, session?.sid);
  if (code !== undefined) {
    const former = await grants.find(code.codeHash, clientId, parts.now());
    const redeemed = (): ServiceError => new ServiceError('transaction.redeemed', undefined, { clientId });
    if (former !== undefined && former.usedAt !== null) throw redeemed();
    if (former === undefined) {
      const next = await ended.respond(answers + 1, session?.sid);
      if (next.code === undefined) throw new Error('expected a code in the response, as in the one before');
      const change = { txn, from: answers, former: code.codeHash, code: next.code };
      const outcome = await store.renew(change, parts.now());
      if (outcome === 'redeemed') throw redeemed();
      if (outcome === 'lost') return undefined;
      return {
        kind: 'response',
        response: next.response,
        ...session?.change,
        known: knownAgain(ended, cookies),
      };
    }
  }
  return { kind: 'response', response, ...session?.change, known: knownAgain(ended, cookies) };
}

/** Session of a repeated response. */
interface SessionAgain {
  /** Its name, while it is live. */
  readonly sid?: string;
  /** Change of the session of the browser. */
  readonly change: Pick<Extract<Finish, { readonly kind: 'response' }>, 'session'>;
}

/**
 * Returns the session that the sign-in began, if it has not ended. No other one begins, and one that the browser got later
 * stays.
 */
async function sessionAgain(
  { transaction, client, secrets, refusal, stays }: EndedSignIn,
  { session: sent }: FinishCookies,
  { sessions }: TransactionParts,
): Promise<SessionAgain | undefined> {
  if (transaction.row.accepted === null || refusal !== undefined) return undefined;
  const own = stays ? await sessions.find(client, secrets.session) : undefined;
  const named = own === undefined ? {} : { sid: own.sid };
  const isOther = sent !== undefined && sent !== secrets.session;
  if (isOther && (await sessions.find(client, sent)) !== undefined) return { ...named, change: {} };
  if (own !== undefined) return { ...named, change: { session: { cookie: secrets.session } } };
  return { change: sent === undefined ? {} : { session: 'ended' } };
}

/**
 * Returns the cookie by which the browser was to be recognised at the end of the sign-in; nothing is stored for it. One that
 * the browser got later stays.
 */
function knownAgain({ transaction, secrets }: EndedSignIn, { known }: FinishCookies): string | undefined {
  const { accepted, knownHash } = transaction.row;
  if (accepted === null || knownHash === null) return undefined;
  const cookie = known ?? secrets.known;
  return Buffer.compare(pointerHashOf(cookie), knownHash) === 0 ? cookie : undefined;
}
