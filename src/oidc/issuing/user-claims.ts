import type { JWTPayload } from 'jose';
import type { Config } from '../../config/settings/types.ts';
import { toHex } from '../../semaphore/index.ts';
import type { AcceptedProof, Level } from '../../storage/index.ts';
import type { Subject } from '../types.ts';

/** The settings that claims are made of. */
export type ClaimsConfig = Pick<Config, 'baseUrl' | 'claims'>;

/** Whom claims are about, and what was granted. */
export interface ClaimsSubject {
  /** Canonical nullifier. */
  readonly sub: string;
  readonly level: Level;
  readonly scope: readonly string[];
}

/** Name of the claim that holds the level. */
export function levelClaim({ baseUrl }: Pick<Config, 'baseUrl'>): string {
  return `${baseUrl}/v1`;
}

/** Name of the claim that the first generation of the interface had. */
export function betaClaim({ baseUrl }: Pick<Config, 'baseUrl'>): string {
  return `${baseUrl}/beta`;
}

/**
 * Claims about a person: the answer of /userinfo (spec/sign-in.md#claims-about-the-person), and those members
 * of an ID token. No claim is read from anything but the proof: address and names are made up for relying
 * parties that insist on them.
 */
export function userClaims(
  { sub, level, scope }: ClaimsSubject,
  config: ClaimsConfig,
): JWTPayload & { sub: string } {
  const { name, givenName, familyName, beta, emailVerified } = config.claims;
  const likelyHuman = level === 'orb' ? 'strong' : 'weak';
  return {
    sub,
    ...(beta ? { [betaClaim(config)]: { likely_human: likelyHuman, credential_type: level } } : {}),
    [levelClaim(config)]: { verification_level: level },
    ...(scope.includes('email')
      ? {
          email: `${sub}@${new URL(config.baseUrl).hostname}`,
          ...(emailVerified === undefined ? {} : { email_verified: emailVerified }),
        }
      : {}),
    ...(scope.includes('profile') ? { name, given_name: givenName, family_name: familyName } : {}),
  };
}

/** Whom an accepted proof shows, as tokens say it. */
export function subjectOf({ sub, level, authTime }: AcceptedProof): Subject {
  return { sub: toHex(sub), level, authTime: Math.floor(authTime / 1000) };
}
