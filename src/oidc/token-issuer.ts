import { createHash, randomUUID } from 'node:crypto';
import type { JWTPayload } from 'jose';
import type { Clients } from '../apps/clients.ts';
import { BINDINGS } from '../config/apps/fields.ts';
import type { Config } from '../config/settings/types.ts';
import { isObject } from '../json.ts';
import { toHex } from '../semaphore/hex.ts';
import type { AcceptedProof, Evidence4, Level } from '../storage/values.ts';
import type { SigningKeys } from './keys/signing-keys.ts';
import { placeholderAddress } from './placeholder-address.ts';
import type { Grant, Subject } from './types.ts';

/** The settings on which claims depend. */
export type ClaimsConfig = Pick<Config, 'baseUrl' | 'claims'>;

/** The subject of claims, its client, and the granted scopes. */
export interface ClaimsSubject {
  readonly clientId: string;
  /** Canonical nullifier. */
  readonly sub: string;
  readonly level: Level;
  /** Absent for a proof of World ID 3.0. */
  readonly evidence?: ShownEvidence | undefined;
  readonly scope: readonly string[];
}

/** What tokens show of a proof of World ID 4.0. */
export type ShownEvidence = Pick<Evidence4, 'credential' | 'binding'>;

/** Returns the name of the claim with the level. */
export function levelClaim({ baseUrl }: Pick<Config, 'baseUrl'>): string {
  return `${baseUrl}/v1`;
}

/**
 * Returns the value of the claim with the level (spec/sign-in.md#claims-about-the-person). A session alone does not show
 * that nobody has two.
 */
function levelValue({ level, evidence }: Pick<ClaimsSubject, 'level' | 'evidence'>): object {
  if (evidence === undefined) return { verification_level: level };
  const { credential, binding } = evidence;
  const one = { one_per_person: binding !== 'session' };
  return { verification_level: level, protocol_version: '4.0', credential, binding, ...one };
}

/** Reads what `levelValue` wrote about a proof of World ID 4.0; undefined for one of 3.0. */
export function evidenceIn(value: unknown): ShownEvidence | undefined {
  if (!isObject(value)) return undefined;
  const { credential } = value;
  const binding = BINDINGS.find((word) => word === value.binding);
  return typeof credential === 'string' && binding !== undefined ? { credential, binding } : undefined;
}

/** Returns the name of the claim of the first generation of the interface. */
export function betaClaim({ baseUrl }: Pick<Config, 'baseUrl'>): string {
  return `${baseUrl}/beta`;
}

/** Builds the claims about a person. @throws ServiceError `store.unreachable` */
export type UserClaims = (subject: ClaimsSubject) => Promise<JWTPayload & { sub: string }>;

/**
 * Creates the builder of the claims about a person, for /userinfo (spec/sign-in.md#claims-about-the-person) and ID tokens. Only subject
 * and level come from the proof; email address and names are placeholders for relying parties that require them.
 */
export function createUserClaims(config: ClaimsConfig, clients: Pick<Clients, 'find'>): UserClaims {
  const { name, givenName, familyName, beta, emailVerified } = config.claims;
  const { hostname } = new URL(config.baseUrl);
  const emailOf = async (sub: string, clientId: string): Promise<string> => {
    const form = (await clients.find(clientId))?.client.emailForm ?? 'long';
    return placeholderAddress(sub, hostname, form);
  };
  return async ({ clientId, sub, level, evidence, scope }) => {
    const likelyHuman = level === 'orb' ? 'strong' : 'weak';
    return {
      sub,
      ...(beta ? { [betaClaim(config)]: { likely_human: likelyHuman, credential_type: level } } : {}),
      [levelClaim(config)]: levelValue({ level, evidence }),
      ...(scope.includes('email')
        ? {
            email: await emailOf(sub, clientId),
            ...(emailVerified === undefined ? {} : { email_verified: emailVerified }),
          }
        : {}),
      ...(scope.includes('profile') ? { name, given_name: givenName, family_name: familyName } : {}),
    };
  };
}

/** Converts an accepted proof to the subject of tokens. */
export function subjectOf({ sub, level, authTime, evidence }: AcceptedProof): Subject {
  const subject = { sub: toHex(sub), level, authTime: Math.floor(authTime / 1000) };
  return evidence === undefined ? subject : { ...subject, evidence };
}

/** Methods of authentication of a proof of World ID 4.0 (RFC 8176): the possession of a key. */
const AMR4: readonly string[] = ['pop'];

/** A signed access token. */
export interface AccessToken {
  readonly token: string;
  /** The `expires_in` of the response. */
  readonly expiresInSeconds: number;
  /** The `token_type` of the response. */
  readonly tokenType: TokenType;
}

/** Scheme in which an access token is presented: `DPoP` for a token bound to a key (RFC 9449), otherwise `Bearer`. */
export type TokenType = 'Bearer' | 'DPoP';

/** Values in the same response as an ID token. */
export interface IssuedTogether {
  /** Hashed to `at_hash`. */
  readonly accessToken?: string;
  /** Hashed to `c_hash`. */
  readonly code?: string;
}

/** Signs ID tokens and access tokens (spec/sign-in.md#tokens). */
export interface TokenIssuer {
  /**
   * Signs an RFC 9068 access token for /userinfo, bound to the key of the grant if it has one.
   *
   * @param jti - Identifier of the token; the caller may already have stored it.
   */
  accessToken(grant: Grant, jti: string): Promise<AccessToken>;
  /** Signs an ID token, with its own identifier. */
  idToken(grant: Grant, together: IssuedTogether): Promise<string>;
}

/** Dependencies of `createTokenIssuer`. */
export interface TokenIssuerParts {
  readonly keys: Pick<SigningKeys, 'sign'>;
  readonly config: Pick<Config, 'baseUrl' | 'claims' | 'signin'>;
  readonly clients: Pick<Clients, 'find'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Creates the issuer of tokens. */
export function createTokenIssuer({ keys, config, clients, now }: TokenIssuerParts): TokenIssuer {
  const { baseUrl, signin } = config;
  const userClaims = createUserClaims(config, clients);

  /** Returns the times of a token that is signed now, in Unix seconds. */
  function lifetime(ttlSeconds: number): { iat: number; exp: number } {
    const iat = Math.floor(now() / 1000);
    return { iat, exp: iat + ttlSeconds };
  }

  return {
    async accessToken({ clientId, scope, subject, family, jkt }, jti) {
      const token = await keys.sign('at+jwt', {
        iss: baseUrl,
        sub: subject.sub,
        aud: baseUrl,
        client_id: clientId,
        scope: scope.join(' '),
        jti,
        ...(family === undefined ? {} : { family }),
        ...lifetime(signin.accessTokenTtlSeconds),
        auth_time: subject.authTime,
        acr: subject.level,
        [levelClaim(config)]: levelValue(subject),
        ...(jkt === undefined ? {} : { cnf: { jkt } }),
      });
      const tokenType = jkt === undefined ? 'Bearer' : 'DPoP';
      return { token, expiresInSeconds: signin.accessTokenTtlSeconds, tokenType };
    },
    async idToken({ clientId, scope, nonce, sid, subject }, { accessToken, code }) {
      const { sub, level, authTime, evidence } = subject;
      const claims = await userClaims({ clientId, sub, level, evidence, scope });
      return await keys.sign('JWT', {
        iss: baseUrl,
        aud: clientId,
        ...lifetime(signin.idTokenTtlSeconds),
        jti: randomUUID(),
        auth_time: authTime,
        acr: level,
        ...(evidence === undefined ? {} : { amr: AMR4 }),
        ...(nonce === undefined ? {} : { nonce }),
        ...(sid === undefined ? {} : { sid }),
        ...(accessToken === undefined ? {} : { at_hash: halfHash(accessToken) }),
        ...(code === undefined ? {} : { c_hash: halfHash(code) }),
        scope: scope.join(' '),
        ...claims,
      });
    },
  };
}

/**
 * Computes `at_hash` of an access token or `c_hash` of a code for RS256 (OpenID Connect Core 3.1.3.6,
 * 3.3.2.11).
 *
 * @param text - ASCII.
 * @returns base64url of the first 16 bytes of its SHA-256.
 */
export function halfHash(text: string): string {
  return createHash('sha256').update(text, 'ascii').digest().subarray(0, 16).toString('base64url');
}
