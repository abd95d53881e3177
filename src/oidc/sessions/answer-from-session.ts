import { acceptsLevel } from '../../apps/index.ts';
import { ServiceError } from '../../errors/index.ts';
import type { Metrics } from '../../observability/index.ts';
import type { AppRow, Bytes32, SessionStore } from '../../storage/index.ts';
import {
  type AuthorizationResponse,
  type ReadRequest,
  type Responder,
  withoutOfflineAccess,
} from '../authorize/index.ts';
import { answersFor, mayBeSilent } from './answers-for.ts';
import type { Sessions } from './sessions.ts';

/** Dependencies of `createSessionAnswers`. */
export interface SessionAnswersParts {
  readonly sessions: Pick<Sessions, 'find'>;
  readonly store: Pick<SessionStore, 'answer'>;
  readonly responder: Pick<Responder, 'success'>;
  readonly metrics: Pick<Metrics, 'signinTransactionsTotal' | 'tokenIssuedTotal'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Answers a checked request from the session that a cookie names, without asking the person.
 *
 * @param pushed - SHA-256 of the reference of the pushed request that is answered; an answer uses it up.
 * @returns Undefined if the person must be asked.
 * @throws ServiceError `authorize.login_required` or `authorize.interaction_required` if the person must be asked and
 *   must not be (`prompt=none`),
 *   `authorize.request_uri_invalid` if the pushed request was used or has expired meanwhile, `store.unreachable`
 */
export type AnswerFromSession = (
  client: AppRow,
  checked: ReadRequest,
  cookie: string | undefined,
  pushed: Bytes32 | undefined,
) => Promise<AuthorizationResponse | undefined>;

/** Creates the answers from sessions (spec/sign-in.md#sessions). */
export function createSessionAnswers(parts: SessionAnswersParts): AnswerFromSession {
  const { sessions, store, responder, metrics, now } = parts;
  return async (client, { request, freshness }, cookie, pushed) => {
    const unanswered = (
      code: 'authorize.login_required' | 'authorize.interaction_required' = 'authorize.login_required',
    ): undefined => {
      if (!freshness.isSilent) return undefined;
      throw new ServiceError(code, undefined, { path: 'prompt' });
    };
    const session = await sessions.find(client, cookie);
    if (session === undefined || !acceptsLevel(client, session.accepted.level)) return unanswered();
    if (!answersFor(session, request, freshness, now())) return unanswered();
    if (!mayBeSilent(client, request)) return unanswered('authorize.interaction_required');
    const { response, code, hasAccessToken } = await responder.success(
      // The person is not asked, and what was agreed to before is not kept.
      withoutOfflineAccess(request),
      session.accepted,
      session.sid,
    );
    // The code is durable before the response leaves, and is not stored once the session has ended.
    if (code !== undefined || pushed !== undefined) {
      const outcome = await store.answer(session, code, now(), pushed);
      if (outcome === 'push_used') {
        const details = { path: 'request_uri', clientId: client.appId };
        throw new ServiceError('authorize.request_uri_invalid', undefined, details);
      }
      if (outcome === 'ended') return unanswered();
    }
    metrics.signinTransactionsTotal.inc({ result: 'resumed' });
    if (hasAccessToken) metrics.tokenIssuedTotal.inc({ grant: 'implicit' });
    return response;
  };
}
