import { createHash, randomBytes } from 'node:crypto';
import type { Config } from '../../config/settings/types.ts';
import { toHex } from '../../semaphore/hex.ts';
import type { RefreshGuardStore } from '../../storage/refresh/guards.ts';
import type { Bytes32 } from '../../storage/values.ts';

const CHALLENGE_BYTES = 32;

/** A challenge in the form sent to a wallet. */
export interface Challenge {
  /** `0x` and 64 hex digits. */
  readonly challenge: string;
  /** Unix seconds. */
  readonly expiresAt: number;
}

/** Dependencies of `createChallenges`. */
export interface ChallengesParts {
  readonly guards: Pick<RefreshGuardStore, 'addChallenge'>;
  readonly config: Pick<Config, 'refresh'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The challenges of freshness mode (spec/refresh.md#freshness-mode). */
export interface Challenges {
  /**
   * Creates a challenge; any node accepts it once until it expires.
   *
   * @throws ServiceError `store.unreachable`
   */
  issue(): Promise<Challenge>;
}

/** Creates the issuer of challenges. The caller checks that freshness mode is on. */
export function createChallenges({ guards, config, now }: ChallengesParts): Challenges {
  return {
    async issue() {
      const bytes = randomBytes(CHALLENGE_BYTES);
      const expiresAt = now() + config.refresh.challengeTtlSeconds * 1000;
      await guards.addChallenge(challengeHash(bytes), expiresAt);
      // Rounded down, so that a wallet never relies on a second that the challenge does not have.
      return { challenge: toHex(bytes), expiresAt: Math.floor(expiresAt / 1000) };
    },
  };
}

/**
 * Returns the SHA-256 of a challenge. Only the hash is stored, so that a reader of the store cannot answer the
 * challenge.
 */
export function challengeHash(challenge: Uint8Array): Bytes32 {
  return createHash('sha256').update(challenge).digest();
}

/**
 * Extracts the challenge from the pre-image of an external nullifier: `text`, then 32 bytes.
 *
 * @returns Undefined for a pre-image of another form.
 */
export function challengeIn(preImage: Uint8Array, text: string): Uint8Array | undefined {
  const expected = Buffer.from(text, 'utf8');
  if (preImage.length !== expected.length + CHALLENGE_BYTES) return undefined;
  return expected.equals(preImage.subarray(0, expected.length))
    ? preImage.subarray(expected.length)
    : undefined;
}
