import { type CryptoKey, decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from 'jose';
import type { AppRow, GrantStore, Level } from '../../storage/index.ts';
import { ALGORITHM, type SigningKeys } from '../keys/index.ts';

/** Claims of an access token of ours. */
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
}

/** Why a token is not valid, for an operator; a caller of the endpoints is not told. */
export type InactiveReason =
  /** Not a compact JWS with a header and claims of ours, or too large. */
  | 'malformed'
  /** Its header names another type, such as that of an ID token, or another algorithm. */
  | 'not_an_access_token'
  /** Its key is not published, or no more. */
  | 'unknown_key'
  | 'bad_signature'
  /** Issuer or audience is another address. */
  | 'other_issuer'
  | 'expired'
  | 'client_unknown'
  | 'client_disabled'
  | 'revoked';

/** What an examination found; claims are there once the signature has proven to be ours. */
export type TokenVerdict =
  | { readonly isActive: true; readonly claims: AccessTokenClaims }
  | {
      readonly isActive: false;
      readonly reason: InactiveReason;
      readonly claims: AccessTokenClaims | undefined;
    };

/** Judges access tokens (spec/sign-in.md#access-token-validity). */
export interface AccessTokens {
  /**
   * The claims of a valid token; undefined for anything else, however malformed.
   *
   * @throws ServiceError `store.unreachable`, `store.failed`
   */
  validate(token: string): Promise<AccessTokenClaims | undefined>;
  /** The same with the reason. */
  examine(token: string): Promise<TokenVerdict>;
}

/** What access tokens are judged with. */
export interface AccessTokensParts {
  readonly keys: Pick<SigningKeys, 'verificationKey'>;
  readonly clients: { find(clientId: string): Promise<Pick<AppRow, 'status'> | undefined> };
  readonly grants: Pick<GrantStore, 'isRevoked'>;
  readonly baseUrl: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Ours are about 1.2 kB; this bounds what a stranger can have decoded. */
const MAX_CHARACTERS = 8192;
const TYPE = 'at+jwt';

/** Makes the judge of access tokens. */
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
    if (await parts.grants.isRevoked(claims.jti, parts.now())) return inactive('revoked', claims);
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

/** The kid of what may be an access token of ours. */
function kidOf(token: string): string | { readonly reason: InactiveReason } {
  if (token.length > MAX_CHARACTERS) return { reason: 'malformed' };
  try {
    const { typ, alg, kid } = decodeProtectedHeader(token);
    if (typ !== TYPE || alg !== ALGORITHM) return { reason: 'not_an_access_token' };
    return typeof kid === 'string' ? kid : { reason: 'unknown_key' };
  } catch {
    // whatever the decoder stumbles over, it is no token of ours
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

/** Signed by us, a payload still may be that of another release: only a whole one counts. */
function claimsOf(payload: JWTPayload): AccessTokenClaims | undefined {
  const { sub, client_id: clientId, scope, jti, iat, exp, auth_time: authTime, acr } = payload;
  const areTexts = [sub, clientId, scope, jti].every((value) => typeof value === 'string');
  const areTimes = [iat, exp, authTime].every((value) => Number.isSafeInteger(value));
  if (!areTexts || !areTimes || (acr !== 'orb' && acr !== 'device')) return undefined;
  const claims = { sub, clientId, jti, iat, exp, authTime, level: acr } as Omit<AccessTokenClaims, 'scope'>;
  return { ...claims, scope: (scope as string).split(' ').filter((word) => word !== '') };
}
