import { type CryptoKey, decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from 'jose';
import type { Config } from '../config/settings/types.ts';
import type { AppRow } from '../storage/apps/apps.ts';
import type { GrantStore } from '../storage/signin/grants.ts';
import type { Store } from '../storage/store.ts';
import type { Level } from '../storage/values.ts';
import { createKeySet } from './keys/key-set.ts';
import { ALGORITHM } from './keys/sealed-keys.ts';
import type { SigningKeys } from './keys/signing-keys.ts';

/** Claims of an access token that this service issued. */
export interface AccessTokenClaims {
  readonly sub: string;
  readonly clientId: string;
  readonly scope: readonly string[];
  readonly jti: string;
  /** Unix seconds. */
  readonly iat: number;
  /** Unix seconds. */
  readonly exp: number;
  /** Unix seconds. */
  readonly authTime: number;
  readonly level: Level;
  /** Family of refresh tokens; absent without one. */
  readonly family?: string;
  /** Thumbprint of the key that it is bound to; absent for a bearer token (RFC 9449 section 6.1). */
  readonly jkt?: string;
}

/** Why a token is not valid, for operators; callers of the endpoints do not learn it. */
export type InactiveReason =
  /** Not a compact JWS with the header and claims of this service, or too large. */
  | 'malformed'
  /** Its header names another type, such as that of an ID token, or another algorithm. */
  | 'not_an_access_token'
  /** Its key is not published, or no longer. */
  | 'unknown_key'
  | 'bad_signature'
  /** Issuer or audience is another address. */
  | 'other_issuer'
  | 'expired'
  | 'client_unknown'
  | 'client_disabled'
  | 'revoked';

/** Result of an examination; it has claims if the signature is valid. */
export type TokenVerdict =
  | { readonly isActive: true; readonly claims: AccessTokenClaims }
  | {
      readonly isActive: false;
      readonly reason: InactiveReason;
      readonly claims: AccessTokenClaims | undefined;
    };

/** Validates access tokens (spec/sign-in.md#access-token-validity). */
export interface AccessTokens {
  /**
   * Returns the claims of a valid token, or undefined for anything else, however malformed.
   *
   * @throws ServiceError `store.unreachable`, `store.failed`
   */
  validate(token: string): Promise<AccessTokenClaims | undefined>;
  /** Validates a token and returns the reason if it is not valid; throws as `validate`. */
  examine(token: string): Promise<TokenVerdict>;
}

/** Dependencies of `createAccessTokens`. */
export interface AccessTokensParts {
  readonly keys: Pick<SigningKeys, 'verificationKey'>;
  readonly clients: { find(clientId: string): Promise<Pick<AppRow, 'status'> | undefined> };
  readonly grants: Pick<GrantStore, 'isRevoked'>;
  readonly baseUrl: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Tokens of this service have about 1.2 kB; this bounds the work of decoding foreign input. */
const MAX_CHARACTERS = 8192;
const TYPE = 'at+jwt';

/** Creates the validator of access tokens. */
export function createAccessTokens(parts: AccessTokensParts): AccessTokens {
  async function examine(token: string): Promise<TokenVerdict> {
    const kid = kidOf(token);
    if (typeof kid !== 'string') return inactive(kid.reason);
    const key = await parts.keys.verificationKey(kid);
    if (key === undefined) return inactive('unknown_key');
    const verified = await verify(token, key, parts);
    if (verified.claims === undefined || verified.reason !== undefined) {
      return inactive(verified.reason ?? 'malformed', verified.claims);
    }
    const { claims } = verified;
    const client = await parts.clients.find(claims.clientId);
    if (client === undefined) return inactive('client_unknown', claims);
    if (client.status !== 'active') return inactive('client_disabled', claims);
    if (await parts.grants.isRevoked(claims.jti, parts.now(), claims.family))
      return inactive('revoked', claims);
    return { isActive: true, claims };
  }

  return {
    examine,
    async validate(token) {
      const verdict = await examine(token);
      return verdict.isActive ? verdict.claims : undefined;
    },
  };
}

function inactive(reason: InactiveReason, claims?: AccessTokenClaims): TokenVerdict {
  return { isActive: false, reason, claims };
}

/** Returns the kid of a token whose header is that of an access token, or why it is not. */
function kidOf(token: string): string | { readonly reason: InactiveReason } {
  if (token.length > MAX_CHARACTERS) return { reason: 'malformed' };
  try {
    const { typ, alg, kid } = decodeProtectedHeader(token);
    if (typ !== TYPE || alg !== ALGORITHM) return { reason: 'not_an_access_token' };
    return typeof kid === 'string' ? kid : { reason: 'unknown_key' };
  } catch {
    // no token of this service fails to decode
    return { reason: 'malformed' };
  }
}

interface Verified {
  readonly claims: AccessTokenClaims | undefined;
  readonly reason?: InactiveReason;
}

async function verify(token: string, key: CryptoKey, { baseUrl, now }: AccessTokensParts): Promise<Verified> {
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: [ALGORITHM],
      typ: TYPE,
      issuer: baseUrl,
      audience: baseUrl,
      currentDate: new Date(now()),
    });
    return { claims: claimsOf(payload) };
  } catch (error) {
    if (error instanceof errors.JWTExpired) return { claims: claimsOf(error.payload), reason: 'expired' };
    if (error instanceof errors.JWTClaimValidationFailed) {
      return { claims: undefined, reason: CLAIM_REASONS[error.claim] ?? 'malformed' };
    }
    if (error instanceof errors.JWSSignatureVerificationFailed) {
      return { claims: undefined, reason: 'bad_signature' };
    }
    if (error instanceof errors.JOSEError) return { claims: undefined, reason: 'malformed' };
    throw error;
  }
}

const CLAIM_REASONS: Readonly<Record<string, InactiveReason>> = { iss: 'other_issuer', aud: 'other_issuer' };

/**
 * Returns the claims if all are present: a payload with a valid signature may still come from another
 * release.
 */
function claimsOf(payload: JWTPayload): AccessTokenClaims | undefined {
  const { sub, client_id: clientId, scope, jti, iat, exp, auth_time: authTime, acr, family, cnf } = payload;
  const areTexts = [sub, clientId, scope, jti].every((value) => typeof value === 'string');
  const areTimes = [iat, exp, authTime].every((value) => Number.isSafeInteger(value));
  if (!areTexts || !areTimes || (acr !== 'orb' && acr !== 'device')) return undefined;
  if (family !== undefined && typeof family !== 'string') return undefined;
  const jkt = cnf === undefined ? undefined : keyOf(cnf);
  if (cnf !== undefined && jkt === undefined) return undefined;
  const claims = { sub, clientId, jti, iat, exp, authTime, level: acr } as Omit<AccessTokenClaims, 'scope'>;
  return {
    ...claims,
    scope: (scope as string).split(' ').filter((word) => word !== ''),
    ...(family === undefined ? {} : { family }),
    ...(jkt === undefined ? {} : { jkt }),
  };
}

/** Returns the thumbprint of a confirmation claim; undefined for a confirmation that this release does not know. */
function keyOf(cnf: unknown): string | undefined {
  const isRight = typeof cnf === 'object' && cnf !== null && 'jkt' in cnf && typeof cnf.jkt === 'string';
  return isRight ? (cnf.jkt as string) : undefined;
}

/** Longest lifetime of an access token, the upper bound of `signin.accessTokenTtlSeconds`. */
export const MAX_ACCESS_TOKEN_LIFETIME_MS = 86_400_000;

/** Checks a token as /userinfo does; the verdict has the reason. */
export function examineToken(
  token: string,
  { baseUrl }: Pick<Config, 'baseUrl'>,
  { apps, grants, signingKeys }: Pick<Store, 'apps' | 'grants' | 'signingKeys'>,
  now: () => number,
): Promise<TokenVerdict> {
  const keys = createKeySet({ store: signingKeys, use: 'signin', cacheMs: 0, now });
  const clients = { find: (clientId: string) => apps.findByAppId(clientId) };
  return createAccessTokens({ keys, clients, grants, baseUrl, now }).examine(token);
}
