import type { Clients } from '../../apps/clients.ts';
import { decodeUtf8 } from '../../bytes.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Log } from '../../observability/log/log.ts';
import type { Metrics } from '../../observability/metrics/metrics.ts';
import type { AppRow } from '../../storage/apps/apps.ts';
import type { Parameters } from '../parameters.ts';

/** Credentials of a request, with their place in it. */
export type Credentials =
  | { readonly place: 'nowhere' }
  /** An Authorization header that is not Basic, or cannot be decoded. */
  | { readonly place: 'unreadable_header' }
  | {
      readonly place: 'header' | 'body';
      /** As sent; empty if the body contains only a secret. */
      readonly clientId: string;
      /** Undefined if none was sent; an empty secret counts as none. */
      readonly secret: string | undefined;
    };

const BASIC = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i;
const BASE64_GROUP = 4;
/** The id of an app, a dot, and a secret of it. */
const APP_TOKEN = /^([^\s.]+)\.(\S+)$/;
/** An app token has 98 characters at most. */
const MAX_TOKEN_CHARACTERS = 128;

/**
 * Reads the credentials of a client (spec/sign-in.md#client-authentication, RFC 6749 section 2.3).
 *
 * @param authorization - The Authorization header, if there is one.
 * @throws ServiceError `client.two_methods`, `client.id_differs`
 */
function readCredentials(authorization: string | undefined, parameters: Parameters): Credentials {
  const clientId = parameters.get('client_id');
  const secret = parameters.get('client_secret');
  if (authorization !== undefined) {
    const basic = decodeBasic(authorization);
    if (basic === undefined) return { place: 'unreadable_header' };
    if (secret !== undefined)
      throw new ServiceError('client.two_methods', undefined, { path: 'client_secret' });
    if (clientId !== undefined && clientId !== basic.clientId) {
      throw new ServiceError('client.id_differs', undefined, { path: 'client_id' });
    }
    return { place: 'header', ...basic };
  }
  if (clientId === undefined && secret === undefined) return { place: 'nowhere' };
  return { place: 'body', clientId: clientId ?? '', secret };
}

/**
 * Reads the credentials of an app from a bearer token: its id, a dot, and a secret of it
 * (spec/verification.md#token-of-an-app, RFC 6750 section 2.1).
 *
 * @param authorization - The Authorization header, if there is one.
 */
function readTokenCredentials(authorization = ''): Credentials {
  const token = tokenOf(authorization, 'bearer');
  if (token === '') return { place: 'nowhere' };
  if (token.length > MAX_TOKEN_CHARACTERS) return { place: 'unreadable_header' };
  const [, clientId, secret] = APP_TOKEN.exec(token) ?? [];
  if (clientId === undefined) return { place: 'unreadable_header' };
  return { place: 'header', clientId, secret };
}

/**
 * Returns the token of an Authorization header with a scheme, which may be in any case; empty if there is none.
 *
 * @param scheme - In lower case.
 */
export function tokenOf(authorization: string, scheme: 'bearer' | 'dpop'): string {
  const start = `${scheme} `;
  const hasScheme = authorization.slice(0, start.length).toLowerCase() === start;
  return hasScheme ? authorization.slice(start.length).trim() : '';
}

function decodeBasic(header: string): { clientId: string; secret: string | undefined } | undefined {
  const [, encoded = ''] = BASIC.exec(header) ?? [];
  if (encoded === '' || encoded.length % BASE64_GROUP !== 0) return undefined;
  try {
    const text = decodeUtf8(Buffer.from(encoded, 'base64'));
    const colon = text.indexOf(':');
    if (colon < 0) return undefined;
    return {
      clientId: decodeForm(text.slice(0, colon)),
      secret: decodeForm(text.slice(colon + 1)) || undefined,
    };
  } catch {
    return undefined;
  }
}

/**
 * Decodes one half, which is form-encoded (RFC 6749 section 2.3.1). Ids and secrets of this service are equal in
 * encoded form.
 */
function decodeForm(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

/** Facts for the response to a request, also to a refused one; set as soon as they are known. */
export interface AnswerFacts {
  /** Registered client that sent the request, for the log and for CORS. */
  client: string | undefined;
  /** Returns the nonce for the next proof of the client (RFC 9449 section 8.2); undefined if the client needs none. */
  nonce: (() => string) | undefined;
}

/** A request to an endpoint where apps authenticate by a bearer token. */
export interface TokenCall {
  /** The Authorization header, if there is one. */
  readonly authorization: string | undefined;
  /** Client address as text; failures are counted per address. */
  readonly address: string;
  readonly requestId: string;
}

/** The DPoP header of a request: a proof of possession (RFC 9449 section 4.1). */
export interface ProofHeader {
  /** If absent, there is none; several lines are joined by commas (RFC 9110 section 5.3). */
  readonly proof?: string;
}

/** Limits of one call, which are those of its address until its client has authenticated. */
export interface CallerLimits {
  /**
   * Called before credentials are checked.
   *
   * @param clientId - As sent; empty if there is none.
   * @throws ServiceError `http.rate_limited` if no more credentials of the address are checked
   */
  beforeCheck(clientId: string): Promise<void>;
  /**
   * Counts the call as one of a client that has authenticated, and no longer as one of its address.
   *
   * @throws ServiceError `http.rate_limited` beyond the limit of the client
   */
  authenticated(clientId: string): Promise<void>;
  /** Called for any other caller. @throws ServiceError `http.rate_limited` if its address is over its limit */
  refuseStranger(): void;
}

/** A request to an endpoint where clients authenticate. */
export interface ClientCall extends TokenCall, ProofHeader {
  readonly facts: AnswerFacts;
  readonly parameters: Parameters;
  readonly limits: CallerLimits;
}

/**
 * Decision of the rate limit on one more failure of an address and a client; see `RateDecision` of the HTTP adapter.
 */
export interface FailureDecision {
  readonly isAllowed: boolean;
  readonly retryAfterSeconds: number;
  readonly isFirstRefusal: boolean;
}

/** Dependencies of `createClientAuthentication`. */
export interface ClientAuthenticationParts {
  readonly clients: Pick<Clients, 'find' | 'checkSecret'>;
  /** Used as the realm of challenges. */
  readonly baseUrl: string;
  /**
   * Counts failures per address and client (`rateLimits.clientAuthFailures`); if absent, they are not
   * limited.
   */
  readonly countFailure?: (address: string, clientId: string) => FailureDecision;
  readonly metrics: Pick<Metrics, 'clientAuthFailuresTotal'>;
  readonly log: Pick<Log, 'warn'>;
}

/** Client authentication (spec/sign-in.md#client-authentication). */
export interface ClientAuthentication {
  /**
   * Returns the client that sent a request. An unknown client, a disabled client and a wrong secret get the same
   * refusal and the same work.
   *
   * @param accepted - Whether a public client is accepted, which identifies but does not authenticate itself.
   * @throws ServiceError `client.no_credentials`, `client.invalid_credentials`, `client.too_many_failures`,
   *   `client.two_methods`, `client.id_differs`, `http.rate_limited`
   */
  authenticate(call: ClientCall, accepted: 'any_client' | 'confidential_clients'): Promise<AppRow>;
  /**
   * Returns the app whose bearer token a request has (spec/verification.md#token-of-an-app).
   *
   * @throws ServiceError `client.no_credentials`, `client.invalid_credentials`, `client.too_many_failures`
   */
  authenticateToken(call: TokenCall): Promise<AppRow>;
}

/** Label of the metric and `reason` of the log line; a bounded set. */
type Reason =
  | 'no_credentials'
  | 'unreadable_header'
  | 'unknown_client'
  | 'disabled_client'
  | 'public_client'
  | 'missing_secret'
  | 'wrong_secret';

interface Failure {
  readonly reason: Reason;
  /** Id of a registered client; otherwise absent, so that unverified text does not reach the log. */
  readonly clientId?: string;
  readonly hasChallenge: boolean;
}

/** Creates the client authentication over the registry. */
export function createClientAuthentication(parts: ClientAuthenticationParts): ClientAuthentication {
  const { clients } = parts;

  async function check(
    credentials: Credentials,
    accepted: 'any_client' | 'confidential_clients',
  ): Promise<AppRow | Failure> {
    if (credentials.place === 'nowhere') return { reason: 'no_credentials', hasChallenge: true };
    if (credentials.place === 'unreadable_header') return { reason: 'unreadable_header', hasChallenge: true };
    const { clientId, secret } = credentials;
    const client = await clients.find(clientId);
    const isRight = await clients.checkSecret(clientId, secret ?? '');
    const reason = reasonAgainst(client, secret, isRight, accepted);
    if (client !== undefined && reason === undefined) return client;
    return {
      reason: reason ?? 'unknown_client',
      // Only then, since openid-client 6 reports the challenge alone and drops the body.
      hasChallenge: credentials.place === 'header',
      ...(client === undefined ? {} : { clientId: client.appId }),
    };
  }

  /** @param challenge - Value of `WWW-Authenticate`, if the failure has one. */
  async function refuse(
    { reason, clientId, hasChallenge }: Failure,
    call: TokenCall,
    challenge: string,
  ): Promise<never> {
    parts.metrics.clientAuthFailuresTotal.inc({ reason });
    const decision = parts.countFailure?.(call.address, clientId ?? '');
    const who = clientId === undefined ? {} : { clientId };
    if (decision?.isAllowed === false) {
      const { retryAfterSeconds, isFirstRefusal } = decision;
      throw new ServiceError('client.too_many_failures', undefined, {
        retryAfterSeconds,
        isFirstRefusal,
        ...who,
      });
    }
    parts.log.warn('a client failed to authenticate', {
      event: 'client.auth_failed',
      requestId: call.requestId,
      reason,
      ...who,
    });
    const code = reason === 'no_credentials' ? 'client.no_credentials' : 'client.invalid_credentials';
    throw new ServiceError(code, undefined, { ...(hasChallenge ? { challenge } : {}), ...who });
  }

  return {
    async authenticate(call, accepted) {
      const { limits } = call;
      const credentials = readCredentials(call.authorization, call.parameters);
      await limits.beforeCheck('clientId' in credentials ? credentials.clientId : '');
      const outcome = await check(credentials, accepted);
      // A public client has shown nothing that a stranger does not know.
      const isStranger = 'reason' in outcome || outcome.client.tokenEndpointAuthMethod === 'none';
      if (isStranger) limits.refuseStranger();
      else await limits.authenticated(outcome.appId);
      return 'reason' in outcome ? refuse(outcome, call, basicChallenge(parts.baseUrl)) : outcome;
    },
    async authenticateToken(call) {
      const outcome = await check(readTokenCredentials(call.authorization), 'confidential_clients');
      if (!('reason' in outcome)) return outcome;
      const challengeOf = outcome.reason === 'no_credentials' ? bearerChallenge : invalidTokenChallenge;
      return refuse(outcome, call, challengeOf(parts.baseUrl));
    },
  };
}

function reasonAgainst(
  client: AppRow | undefined,
  secret: string | undefined,
  isRight: boolean,
  accepted: 'any_client' | 'confidential_clients',
): Reason | undefined {
  if (client === undefined) return 'unknown_client';
  if (client.status !== 'active') return 'disabled_client';
  if (client.client.tokenEndpointAuthMethod === 'none') {
    return accepted === 'any_client' && secret === undefined ? undefined : 'public_client';
  }
  if (secret === undefined) return 'missing_secret';
  return isRight ? undefined : 'wrong_secret';
}

/**
 * Returns the `WWW-Authenticate` header for a client that must authenticate
 * (spec/sign-in.md#client-authentication, RFC 7617).
 */
export function basicChallenge(baseUrl: string): string {
  return `Basic realm="${baseUrl}", charset="UTF-8"`;
}

/**
 * Returns the `WWW-Authenticate` header for a request without a token: it has no error, as
 * RFC 6750 section 3.1 requires.
 */
export function bearerChallenge(baseUrl: string): string {
  return `Bearer realm="${baseUrl}"`;
}

/**
 * Returns the `WWW-Authenticate` header for a token that is not active (spec/sign-in.md#interface-codes,
 * invalid_token).
 */
export function invalidTokenChallenge(baseUrl: string): string {
  const error = 'error="invalid_token", error_description="Token is invalid or expired."';
  return `${bearerChallenge(baseUrl)}, ${error}`;
}
