/**
 * Answers to requests from a session, without interaction (spec/sign-in.md#sessions), and to pushed requests again
 * (spec/sign-in.md#repeated-responses).
 */
import { isLocalHost } from '../addresses.ts';
import { acceptsProof } from '../apps/signin-policy.ts';
import { namesResponseTypes } from '../config/apps/client-of.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { Metrics } from '../observability/metrics/metrics.ts';
import { toHex } from '../semaphore/hex.ts';
import type { AppRow } from '../storage/apps/apps.ts';
import type { GrantStore, NewCode } from '../storage/signin/grants.ts';
import type { PushedRequestStore } from '../storage/signin/pushed-requests.ts';
import type { SessionRow, SessionStore } from '../storage/signin/sessions.ts';
import { answerSecrets } from './answer-secrets.ts';
import type { ReadRequest } from './authorize/read-request.ts';
import { type Freshness, withoutOfflineAccess } from './authorize/request-parameters.ts';
import {
  type AuthorizationResponse,
  issueCode,
  type Responder,
  type SuccessResponse,
} from './authorize/responder.ts';
import { type PushedReference, type PushUseConfig, usedPush, useEndsAt } from './pushed-requests.ts';
import type { Sessions } from './sessions.ts';
import type { AuthorizationRequest } from './types.ts';

/**
 * Whether a session answers a request without interaction (spec/sign-in.md#sessions): its proof is recent enough, its
 * level suffices, and the person is the expected one.
 *
 * @param now - Milliseconds since the epoch.
 */
function answersFor(
  { accepted }: SessionRow,
  { requiresOrb, hintedSub }: AuthorizationRequest,
  { requiresFreshProof, maxAgeSeconds }: Freshness,
  now: number,
): boolean {
  if (requiresFreshProof || (requiresOrb && accepted.level !== 'orb')) return false;
  if (hintedSub !== undefined && toHex(accepted.sub) !== hintedSub) return false;
  // In seconds, as the client computes the age from `auth_time`; an age equal to the limit is refused, since the
  // response takes time.
  const ageSeconds = Math.floor(now / 1000) - Math.floor(accepted.authTime / 1000);
  return maxAgeSeconds === undefined || ageSeconds < maxAgeSeconds;
}

/**
 * Whether a client may be answered from a session without a page. Refused for redirect URIs that any native program can
 * claim (RFC 8252 section 8.6), that is, native ones other than https. A token in the front channel is sent without
 * interaction only to a client that is explicitly registered for it.
 */
function allowsSilentAnswer(
  { client }: Pick<AppRow, 'client'>,
  { redirectUri, responseType }: Pick<AuthorizationRequest, 'redirectUri' | 'responseType'>,
): boolean {
  if (client.applicationType === 'native' && !isClaimedByHost(redirectUri)) return false;
  return responseType === 'code' || namesResponseTypes(client);
}

function isClaimedByHost(redirectUri: string): boolean {
  const { protocol, hostname } = new URL(redirectUri);
  return protocol === 'https:' && !isLocalHost(hostname);
}

/** Dependencies of `createSessionAnswers`. */
export interface SessionAnswersParts {
  readonly sessions: Pick<Sessions, 'find'>;
  readonly store: Pick<SessionStore, 'answer' | 'answerAgain'>;
  readonly pushedRequests: Pick<PushedRequestStore, 'find'>;
  readonly grants: Pick<GrantStore, 'find'>;
  readonly config: { readonly signin: PushUseConfig };
  readonly responder: Pick<Responder, 'success'>;
  readonly metrics: Pick<Metrics, 'signinTransactionsTotal' | 'tokenIssuedTotal'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Answers a checked request from the session of a cookie, without interaction.
 *
 * @param pushed - The answered pushed request. It is answered by one session only, and by that one again until it expires or
 *   the code is redeemed.
 * @returns Undefined if interaction is needed.
 * @throws ServiceError `authorize.login_required` or `authorize.interaction_required` if interaction is needed but
 *   excluded by `prompt=none`, `authorize.request_uri_used` if the pushed request was answered elsewhere or has expired
 *   meanwhile, `store.unreachable`
 */
export type AnswerFromSession = (
  client: AppRow,
  checked: ReadRequest,
  cookie: string | undefined,
  pushed: PushedReference | undefined,
) => Promise<AuthorizationResponse | undefined>;

/** Creates the answers from sessions (spec/sign-in.md#sessions). */
export function createSessionAnswers(parts: SessionAnswersParts): AnswerFromSession {
  const { sessions, responder, metrics, now } = parts;
  return async (client, { request: asked, freshness }, cookie, pushed) => {
    const unanswered = (
      code: 'authorize.login_required' | 'authorize.interaction_required' = 'authorize.login_required',
    ): undefined => {
      if (!freshness.isSilent) return undefined;
      throw new ServiceError(code, undefined, { path: 'prompt' });
    };
    const session = await sessions.find(client, cookie);
    if (cookie === undefined || session === undefined || !acceptsProof(client, session.accepted)) {
      return unanswered();
    }
    if (!answersFor(session, asked, freshness, now())) return unanswered();
    if (!allowsSilentAnswer(client, asked)) return unanswered('authorize.interaction_required');
    // Without interaction there is no consent to offline_access; earlier consent is not kept.
    const request = withoutOfflineAccess(asked);
    if (pushed !== undefined) {
      return (await answerPushed({ client, request, session, cookie, pushed }, parts)) ?? unanswered();
    }
    const success = await responder.success(request, session.accepted, { sid: session.sid });
    const { response, code } = success;
    // The code is durable before the response is sent; it is not stored if the session has ended.
    if (code !== undefined && (await parts.store.answer(session, code, now())) !== 'answered') {
      return unanswered();
    }
    countAnswer(success, metrics);
    return response;
  };
}

function countAnswer(
  { hasAccessToken }: SuccessResponse,
  metrics: Pick<Metrics, 'signinTransactionsTotal' | 'tokenIssuedTotal'>,
): void {
  metrics.signinTransactionsTotal.inc({ result: 'resumed' });
  if (hasAccessToken) metrics.tokenIssuedTotal.inc({ grant: 'implicit' });
}

interface PushAsked {
  readonly client: AppRow;
  readonly request: AuthorizationRequest;
  readonly session: SessionRow;
  /** Cookie of the session. */
  readonly cookie: string;
  readonly pushed: PushedReference;
}

/**
 * Answers a pushed request from a session, or, for the session that has answered it, again: with the same code, or with
 * another one in place of a code that has expired unredeemed.
 *
 * @returns Undefined if the session has ended.
 */
async function answerPushed(
  asked: PushAsked,
  parts: SessionAnswersParts,
): Promise<AuthorizationResponse | undefined> {
  const { client, request, session, cookie, pushed } = asked;
  const { responder, store, grants, pushedRequests, config, metrics, now } = parts;
  const { sessionHash, accepted, sid } = session;
  const { referenceHash } = pushed;
  const { appId: clientId } = client;
  const secrets = answerSecrets(cookie, Buffer.from(referenceHash).toString('base64url'));
  const use = { referenceHash, clientId, expiresAt: useEndsAt(config.signin, now()) };
  const answer = { use, sessionHash };
  // The use of a code is remembered longer than the request, which may be answered again until then.
  const kept = (code: NewCode): NewCode => ({ ...code, expiresAt: Math.max(code.expiresAt, use.expiresAt) });
  let { answers } = pushed;
  for (;;) {
    const text = secrets.code(Math.max(1, answers));
    const success = await responder.success(request, accepted, { sid, code: text });
    const { response, code } = success;
    if (answers === 0) {
      const outcome = await store.answer(session, code && kept(code), now(), answer);
      if (outcome === 'ended') return undefined;
      if (outcome === 'answered') {
        countAnswer(success, metrics);
        return response;
      }
    } else {
      if (code === undefined) return response;
      const former = await grants.find(code.codeHash, clientId, now());
      if (former !== undefined && former.usedAt !== null) throw usedPush(clientId);
      if (former !== undefined && former.codeExpiresAt > now()) return response;
      const next = issueCode(request, accepted, { sid, code: secrets.code(answers + 1) }, code.codeExpiresAt);
      const change = { from: answers, former: code.codeHash, code: kept(next.row) };
      const outcome = await store.answerAgain(answer, change, now());
      if (outcome === 'redeemed') throw usedPush(clientId);
      if (outcome === 'ended') return undefined;
    }
    // Another request of this session may have been faster, or has stored the code that is sent now.
    const found = await pushedRequests.find(referenceHash);
    if (found?.sessionHash == null || found.expiresAt <= now() || !isSame(found.sessionHash, sessionHash)) {
      throw usedPush(clientId);
    }
    answers = found.answers;
  }
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}
