/**
 * Sessions of people with an app on one browser (spec/sign-in.md#sessions): kept only if `signin.sessionSeconds` is set
 * and the person agrees on the sign-in page.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { isLocalHost } from '../addresses.ts';
import { acceptsProof } from '../apps/signin-policy.ts';
import { DEFAULT_CLIENT, namesResponseTypes } from '../config/apps/client-of.ts';
import type { Config } from '../config/settings/types.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { Metrics } from '../observability/metrics/metrics.ts';
import { toHex } from '../semaphore/hex.ts';
import type { AppRow } from '../storage/apps/apps.ts';
import type { LiveSessions, SessionRow, SessionStore } from '../storage/signin/sessions.ts';
import type { AcceptedProof, Bytes32 } from '../storage/values.ts';
import type { ReadRequest } from './authorize/read-request.ts';
import { type Freshness, withoutOfflineAccess } from './authorize/request-parameters.ts';
import type { AuthorizationResponse, Responder } from './authorize/responder.ts';
import type { AuthorizationRequest } from './types.ts';

/** A new session: its row and its cookie. */
export interface BegunSession {
  readonly row: SessionRow;
  /** Value of the cookie: 43 characters of base64url. */
  readonly cookie: string;
}

/** Sessions of sign-in. */
export interface Sessions {
  /** Whether `signin.sessionSeconds` is set. */
  readonly isOn: boolean;
  /**
   * Returns the live session of a client by its cookie; undefined if there is none.
   *
   * @throws ServiceError `store.unreachable`
   */
  find(client: AppRow, cookie: string | undefined): Promise<SessionRow | undefined>;
  /** Creates a session from an accepted proof; the caller stores its row. */
  begin(client: AppRow, accepted: AcceptedProof): BegunSession;
  /** Returns the hash of a cookie; only the hash is stored. */
  hashOf(cookie: string): Bytes32;
  /** Returns the criteria by which stored sessions of a client are live. */
  liveOf(client: AppRow): LiveSessions;
}

/** Dependencies of `createSessions`. */
export interface SessionsParts {
  readonly config: { readonly signin: Pick<Config['signin'], 'sessionSeconds'> };
  readonly store: Pick<SessionStore, 'find'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

const COOKIE_BYTES = 32;
const SID_BYTES = 16;

/** Creates the sessions over the store. */
export function createSessions({ config, store, now }: SessionsParts): Sessions {
  const lifeMs = config.signin.sessionSeconds * 1000;
  return {
    isOn: lifeMs > 0,
    async find(client, cookie) {
      if (lifeMs === 0 || cookie === undefined || client.status !== 'active') return undefined;
      const at = now();
      const row = await store.find(hashOf(cookie), client.appId, at);
      if (row === undefined || !timingSafeEqual(row.clientHash, digestOf(client))) return undefined;
      // The setting may have been lowered since.
      return row.accepted.authTime + lifeMs > at ? row : undefined;
    },
    begin(client, accepted) {
      const cookie = randomBytes(COOKIE_BYTES).toString('base64url');
      const row: SessionRow = {
        sessionHash: hashOf(cookie),
        sid: newSid(),
        clientId: client.appId,
        clientHash: digestOf(client),
        accepted,
        createdAt: now(),
        expiresAt: accepted.authTime + lifeMs,
      };
      return { row, cookie };
    },
    hashOf,
    liveOf: (client) => ({
      clientId: client.appId,
      clientHash: digestOf(client),
      provenAfter: now() - lifeMs,
    }),
  };
}

function hashOf(text: string): Bytes32 {
  return new Uint8Array(createHash('sha256').update(text).digest());
}

/**
 * Returns the SHA-256 of a client's sign-in registration. Members with default values are left out, so that a member
 * added in a later release changes no digest.
 */
function digestOf({ client }: AppRow): Bytes32 {
  const defaults = new Map<string, unknown>(Object.entries(DEFAULT_CLIENT));
  const members = Object.entries(client).filter(
    ([name, value]) => !isDeepStrictEqual(value, defaults.get(name)),
  );
  return hashOf(JSON.stringify(members.sort(([a], [b]) => (a < b ? -1 : 1))));
}

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
  readonly store: Pick<SessionStore, 'answer'>;
  readonly responder: Pick<Responder, 'success'>;
  readonly metrics: Pick<Metrics, 'signinTransactionsTotal' | 'tokenIssuedTotal'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Answers a checked request from the session of a cookie, without interaction.
 *
 * @param pushed - SHA-256 of the reference of the answered pushed request; an answer uses it up.
 * @returns Undefined if interaction is needed.
 * @throws ServiceError `authorize.login_required` or `authorize.interaction_required` if interaction is needed but
 *   excluded by `prompt=none`, `authorize.request_uri_invalid` if the pushed request was used or has expired meanwhile,
 *   `store.unreachable`
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
    if (session === undefined || !acceptsProof(client, session.accepted)) return unanswered();
    if (!answersFor(session, request, freshness, now())) return unanswered();
    if (!allowsSilentAnswer(client, request)) return unanswered('authorize.interaction_required');
    const { response, code, hasAccessToken } = await responder.success(
      // Without interaction there is no consent to offline_access; earlier consent is not kept.
      withoutOfflineAccess(request),
      session.accepted,
      session.sid,
    );
    // The code is durable before the response is sent; it is not stored if the session has ended.
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

/** Returns a random id. It does not begin with a hyphen, which a command line would take for an option. */
function newSid(): string {
  for (;;) {
    const sid = randomBytes(SID_BYTES).toString('base64url');
    if (!sid.startsWith('-')) return sid;
  }
}
