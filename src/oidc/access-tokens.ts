import { type CryptoKey, decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from 'jose';
import type { Config } from '../config/settings/types.ts';
import type { AppRow } from '../storage/apps/apps.ts';
import type { GrantStore } from '../storage/signin/grants.ts';
import type { Store } from '../storage/store.ts';
import type { Level } from '../storage/values.ts';
import { createKeySet } from './keys/key-set.ts';
import { ALGORITHM } from './keys/sealed-keys.ts';
import type { SigningKeys } from './keys/signing-keys.ts';
import { evidenceIn, levelClaim, type ShownEvidence } from './token-issuer.ts';

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
  /** Absent for a proof of World ID 3.0. */
  readonly evidence?: ShownEvidence;
  /** Family of refresh tokens; absent without one. */
  readonly family?: string;
  /** Thumbprint of the key to which the token is bound; absent for a bearer token (RFC 9449 section 6.1). */
  readonly jkt?: string;
}

/** Reason why a token is not valid, for operators; the endpoints do not reveal it. */
export type InactiveReason =
  /** Not a compact JWS with the header and claims of this service, or too large. */
  | 'malformed'
  /** Its header names another type, such as that of an ID token, or another algorithm. */
  | 'not_an_access_token'
  /** Its key is not, or no longer, published. */
  | 'unknown_key'
  | 'bad_signature'
  /** Its issuer or audience is another address. */
  | 'other_issuer'
  | 'expired'
  | 'client_unknown'
  | 'client_disabled'
  | 'revoked';

/** Result of `examine`; has claims if the signature is valid. */
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

/** Tokens of this service have about 1.2 kB; the limit bounds the work of decoding foreign input. */
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

/** Returns the `kid` of a token with the header of an access token, otherwise the reason of the refusal. */
function kidOf(token: string): string | { readonly reason: InactiveReason } {
  if (token.length > MAX_CHARACTERS) return { reason: 'malformed' };
  try {
    const { typ, alg, kid } = decodeProtectedHeader(token);
    if (typ !== TYPE || alg !== ALGORITHM) return { reason: 'not_an_access_token' };
    return typeof kid === 'string' ? kid : { reason: 'unknown_key' };
  } catch {
    // every token of this service decodes
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
    return { claims: claimsOf(payload, baseUrl) };
  } catch (error) {
    if (error instanceof errors.JWTExpired)
      return { claims: claimsOf(error.payload, baseUrl), reason: 'expired' };
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
function claimsOf(payload: JWTPayload, baseUrl: string): AccessTokenClaims | undefined {
  const { sub, client_id: clientId, scope, jti, iat, exp, auth_time: authTime, acr, family, cnf } = payload;
  const areTexts = [sub, clientId, scope, jti].every((value) => typeof value === 'string');
  const areTimes = [iat, exp, authTime].every((value) => Number.isSafeInteger(value));
  if (!areTexts || !areTimes || (acr !== 'orb' && acr !== 'device')) return undefined;
  if (family !== undefined && typeof family !== 'string') return undefined;
  const jkt = cnf === undefined ? undefined : keyOf(cnf);
  if (cnf !== undefined && jkt === undefined) return undefined;
  const claims = { sub, clientId, jti, iat, exp, authTime, level: acr } as Omit<AccessTokenClaims, 'scope'>;
  const evidence = evidenceIn(payload[levelClaim({ baseUrl })]);
  return {
    ...claims,
    ...(evidence === undefined ? {} : { evidence }),
    scope: (scope as string).split(' ').filter((word) => word !== ''),
    ...(family === undefined ? {} : { family }),
    ...(jkt === undefined ? {} : { jkt }),
  };
}

/** Returns the thumbprint of a confirmation claim; undefined for a kind of confirmation unknown to this release. */
function keyOf(cnf: unknown): string | undefined {
  const isRight = typeof cnf === 'object' && cnf !== null && 'jkt' in cnf && typeof cnf.jkt === 'string';
  return isRight ? (cnf.jkt as string) : undefined;
}

/** Longest lifetime of an access token, the upper bound of `signin.accessTokenTtlSeconds`. */
export const MAX_ACCESS_TOKEN_LIFETIME_MS = 86_400_000;

/** Checks a token as /userinfo does; the verdict contains the reason of a refusal. */
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
