import type { JWTPayload } from 'jose';
import type { Config } from '../../config/settings/types.ts';
import { toHex } from '../../semaphore/index.ts';
import type { AcceptedProof, Level } from '../../storage/index.ts';
import type { Subject } from '../types.ts';

/** The settings that claims depend on. */
export type ClaimsConfig = Pick<Config, 'baseUrl' | 'claims'>;

/** The person that claims are about, and what was granted. */
export interface ClaimsSubject {
  /** Canonical nullifier. */
  readonly sub: string;
  readonly level: Level;
  readonly scope: readonly string[];
}

/** Returns the name of the claim that holds the level. */
export function levelClaim({ baseUrl }: Pick<Config, 'baseUrl'>): string {
  return `${baseUrl}/v1`;
}

/** Returns the name of the claim of the first generation of the interface. */
export function betaClaim({ baseUrl }: Pick<Config, 'baseUrl'>): string {
  return `${baseUrl}/beta`;
}

/**
 * Builds the claims about a person, for /userinfo (spec/sign-in.md#claims-about-the-person) and ID tokens.
 * Only the subject and level are facts, from the proof: the email address and names are placeholders for
 * relying parties that require them.
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

/** Converts an accepted proof to the subject of tokens. */
export function subjectOf({ sub, level, authTime }: AcceptedProof): Subject {
  return { sub: toHex(sub), level, authTime: Math.floor(authTime / 1000) };
}
