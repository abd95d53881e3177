import { RESPONSE_TYPES, type ResponseType } from '../../config/apps/fields.ts';
import { hasShortScheme } from '../../config/apps/redirect-uri.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { AppRow } from '../../storage/apps/apps.ts';
import type { ReadIdTokenHint } from '../id-token-hints.ts';
import { hasWord, OFFLINE_ACCESS, type Parameters, wordsOf } from '../parameters.ts';
import type { AuthorizationRequest, ResponseMode } from '../types.ts';
import type { IdentifiedClient } from './identify-client.ts';

/**
 * The six response types, keyed by their sorted words (spec/sign-in.md#response-types); `token` alone is not supported.
 */
const TYPES: ReadonlyMap<string, ResponseType> = new Map(
  RESPONSE_TYPES.map((type) => [sortedWords(type), type]),
);

/**
 * Reads the response type (spec/sign-in.md#checks-answered-to-the-app, response-type): the words of
 * `response_type` as a set, case-sensitively.
 *
 * @throws ServiceError `signin.parameter_required`, `authorize.response_type_unsupported`,
 *   `authorize.response_type_not_registered`, `dpop.front_channel`
 */
export function readResponseType(
  parameters: Parameters,
  { client: { client }, redirectUri }: IdentifiedClient,
): ResponseType {
  const path = 'response_type';
  const text = parameters.get(path);
  if (text === undefined) throw new ServiceError('signin.parameter_required', undefined, { path });
  const type = TYPES.get(sortedWords(text));
  if (type === undefined) throw new ServiceError('authorize.response_type_unsupported', undefined, { path });
  // PKCE protects a code from another app that claims the scheme; nothing protects a token.
  const isRegistered =
    client.responseTypes.includes(type) && (type === 'code' || !hasShortScheme(redirectUri));
  if (!isRegistered) {
    throw new ServiceError('authorize.response_type_not_registered', undefined, { path });
  }
  // The front channel has no proof of possession, so the token would not be bound to a key.
  if (client.dpopBoundAccessTokens && hasWord(type, 'token')) {
    throw new ServiceError('dpop.front_channel', undefined, { path });
  }
  return type;
}

function sortedWords(text: string): string {
  return [...new Set(wordsOf(text))].sort().join(' ');
}

const MODES: readonly ResponseMode[] = ['query', 'fragment', 'form_post'];

/**
 * Reads the response mode (spec/sign-in.md#checks-answered-to-the-app, response-mode): the requested one, or
 * the default of the type. `query` is allowed only for `code`, since queries end up in logs and in the
 * Referer header.
 *
 * @throws ServiceError `authorize.response_mode_invalid`
 */
export function readResponseMode(parameters: Parameters, type: ResponseType): ResponseMode {
  const path = 'response_mode';
  const text = parameters.get(path);
  if (text === undefined) return defaultMode(type);
  const mode = MODES.find((known) => known === text);
  if (mode === undefined) {
    const message = 'response_mode: expected query, fragment or form_post.';
    throw new ServiceError('authorize.response_mode_invalid', message, { path });
  }
  if (mode === 'query' && type !== 'code') {
    const message = 'response_mode: query is for response_type code only.';
    throw new ServiceError('authorize.response_mode_invalid', message, { path });
  }
  return mode;
}

/**
 * Returns the response mode of an error whose request could not be read completely
 * (spec/sign-in.md#mode-of-an-error-response): the requested mode if it is valid and allowed for the type,
 * otherwise the default of the type.
 *
 * @param fallback - The requested mode if the parameters have none.
 */
export function modeOfError(parameters: Parameters, fallback?: string): ResponseMode {
  const requested = parameters.get('response_mode') ?? fallback;
  if (requested === 'fragment' || requested === 'form_post') return requested;
  // `query` is allowed only where it is the default mode
  return defaultMode(parameters.get('response_type'));
}

function defaultMode(type: string | undefined): ResponseMode {
  return hasWord(type, 'id_token') || hasWord(type, 'token') ? 'fragment' : 'query';
}

const KNOWN_SCOPES: ReadonlySet<string> = new Set(['openid', 'email', 'profile']);

/**
 * Reads the granted scopes (spec/sign-in.md#checks-answered-to-the-app, scope): the known ones, once each, in the order
 * of the request. `offline_access` is known only if the client may have refresh tokens and requests a code (OpenID
 * Connect Core 11).
 *
 * @throws ServiceError `signin.parameter_required`, `authorize.scope_without_openid`
 */
export function readScope(
  parameters: Parameters,
  responseType: ResponseType,
  { client }: AppRow,
): readonly string[] {
  const path = 'scope';
  const text = parameters.get(path);
  if (text === undefined) throw new ServiceError('signin.parameter_required', undefined, { path });
  const mayBeOffline = client.refreshTokens && hasWord(responseType, 'code');
  const isKnown = (scope: string): boolean =>
    KNOWN_SCOPES.has(scope) || (scope === OFFLINE_ACCESS && mayBeOffline);
  const granted = [...new Set(wordsOf(text))].filter(isKnown);
  if (!granted.includes('openid')) {
    throw new ServiceError('authorize.scope_without_openid', undefined, { path });
  }
  return granted;
}

/** Returns a request or grant without the scope `offline_access`. */
export function withoutOfflineAccess<T extends Pick<AuthorizationRequest, 'scope'>>(request: T): T {
  return { ...request, scope: request.scope.filter((word) => word !== OFFLINE_ACCESS) };
}

const CHALLENGE = 'code_challenge';
const CHALLENGE_METHOD = 'code_challenge_method';
// base64url of 32 bytes, the only form that S256 produces (RFC 7636 section 4.2)
const S256_CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/**
 * Reads the S256 challenge (spec/sign-in.md#checks-answered-to-the-app, code-challenge); undefined if none
 * was sent or if the response type has no code to bind it to.
 *
 * @throws ServiceError `authorize.challenge_missing`, `authorize.challenge_unsupported`,
 *   `authorize.challenge_required`
 */
export function readCodeChallenge(
  parameters: Parameters,
  type: ResponseType,
  { client }: AppRow,
): string | undefined {
  const challenge = parameters.get(CHALLENGE);
  const method = parameters.get(CHALLENGE_METHOD);
  if (challenge === undefined && method !== undefined) {
    throw new ServiceError('authorize.challenge_missing', undefined, { path: CHALLENGE });
  }
  if (challenge !== undefined && !S256_CHALLENGE.test(challenge)) {
    throw new ServiceError('authorize.challenge_unsupported', undefined, { path: CHALLENGE });
  }
  if (challenge !== undefined && method !== 'S256') {
    throw new ServiceError('authorize.challenge_unsupported', undefined, { path: CHALLENGE_METHOD });
  }
  if (!hasWord(type, 'code')) return undefined;
  const { requirePkce, tokenEndpointAuthMethod, allowShortScheme } = client;
  const isRequired = requirePkce || tokenEndpointAuthMethod === 'none' || allowShortScheme;
  if (challenge === undefined && isRequired) {
    throw new ServiceError('authorize.challenge_required', undefined, { path: CHALLENGE });
  }
  return challenge;
}

const DPOP_JKT = 'dpop_jkt';
// base64url of 32 bytes (RFC 7638 section 3 with SHA-256)
const THUMBPRINT = /^[A-Za-z0-9_-]{43}$/;

/**
 * Reads the key that must redeem the code (spec/sign-in.md#checks-answered-to-the-app, dpop-jkt; RFC 9449
 * section 10); undefined if none was sent or if the response type has no code to bind to it.
 *
 * @throws ServiceError `dpop.jkt_malformed`
 */
export function readDpopJkt(parameters: Parameters, type: ResponseType): string | undefined {
  const jkt = parameters.get(DPOP_JKT);
  if (jkt === undefined) return undefined;
  if (!THUMBPRINT.test(jkt)) throw new ServiceError('dpop.jkt_malformed', undefined, { path: DPOP_JKT });
  return hasWord(type, 'code') ? jkt : undefined;
}

/**
 * Reads the nonce (spec/sign-in.md#checks-answered-to-the-app, nonce). It is required if the response
 * contains an ID token, or if the client uses the nonce as the signal.
 *
 * @throws ServiceError `signin.parameter_required`
 */
export function readNonce(
  parameters: Parameters,
  type: ResponseType,
  { client }: AppRow,
): string | undefined {
  const nonce = parameters.get('nonce');
  if (nonce === undefined && (hasWord(type, 'id_token') || client.signalIsNonce)) {
    throw new ServiceError('signin.parameter_required', undefined, { path: 'nonce' });
  }
  return nonce;
}

/** Required freshness of the proof. */
export interface Freshness {
  /** `prompt=none`: no interaction with the person is allowed. */
  readonly isSilent: boolean;
  /** Any other prompt: a fresh proof is required. */
  readonly requiresFreshProof: boolean;
  /** Maximum age of the proof in seconds; absent if any age is accepted. */
  readonly maxAgeSeconds?: number;
}

/** Longer values mean no limit: no session lives that long. */
const MAX_AGE_DIGITS = 10;

/**
 * Reads `max_age` and `prompt` (spec/sign-in.md#checks-answered-to-the-app, freshness). Every value of `prompt` except
 * `none` requires a fresh proof.
 *
 * @throws ServiceError `authorize.max_age_invalid`, `authorize.prompt_invalid`
 */
export function readFreshness(parameters: Parameters): Freshness {
  const maxAge = parameters.get('max_age');
  if (maxAge !== undefined && !/^\d+$/.test(maxAge)) {
    throw new ServiceError('authorize.max_age_invalid', undefined, { path: 'max_age' });
  }
  const prompts = new Set(wordsOf(parameters.get('prompt')));
  const isSilent = prompts.has('none');
  if (isSilent && prompts.size > 1) {
    throw new ServiceError('authorize.prompt_invalid', undefined, { path: 'prompt' });
  }
  const isBounded = maxAge !== undefined && maxAge.replace(/^0+/, '').length <= MAX_AGE_DIGITS;
  return {
    isSilent,
    requiresFreshProof: prompts.size > 0 && !isSilent,
    ...(isBounded ? { maxAgeSeconds: Number(maxAge) } : {}),
  };
}

const LOGIN_HINT = /^(?:0x[0-9a-f]{64}|beginning_[A-Za-z0-9_-]{43})$/;

/**
 * Reads the `login_hint` (spec/sign-in.md#hints): a `sub` or a permission to begin anew. Any other hint is ignored, so that
 * nothing of another kind is stored.
 */
export function readLoginHint(parameters: Parameters): string | undefined {
  const hint = parameters.get('login_hint');
  return hint !== undefined && LOGIN_HINT.test(hint) ? hint : undefined;
}

/**
 * Reads the expected person (spec/sign-in.md#hints): the `sub` of the `id_token_hint`.
 *
 * @returns Undefined if there is no hint.
 * @throws ServiceError `authorize.hint_invalid` for anything but an ID token of this service for the client,
 *   `store.unreachable`
 */
export async function readHintedSub(
  parameters: Parameters,
  clientId: string,
  readHint: ReadIdTokenHint,
): Promise<string | undefined> {
  const path = 'id_token_hint';
  const text = parameters.get(path);
  if (text === undefined) return undefined;
  const hint = await readHint(text);
  if (hint?.clientId !== clientId) throw new ServiceError('authorize.hint_invalid', undefined, { path });
  return hint.sub;
}
