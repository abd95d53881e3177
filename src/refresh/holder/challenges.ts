import { createHash, randomBytes } from 'node:crypto';
import type { Config } from '../../config/settings/types.ts';
import { toHex } from '../../semaphore/index.ts';
import type { Bytes32, RefreshGuardStore } from '../../storage/index.ts';

const CHALLENGE_BYTES = 32;

/** A challenge as it is given away. */
export interface Challenge {
  /** `0x` and 64 hex digits. */
  readonly challenge: string;
  /** Unix seconds. */
  readonly expiresAt: number;
}

/** What challenges are made with. */
export interface ChallengesParts {
  readonly guards: Pick<RefreshGuardStore, 'addChallenge'>;
  readonly config: Pick<Config, 'refresh'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The challenges of freshness mode (spec/refresh.md#freshness-mode). */
export interface Challenges {
  /**
   * Makes a challenge that any node takes until its end, once.
   *
   * @throws ServiceError `store.unreachable`
   */
  issue(): Promise<Challenge>;
}

/** Challenges of this service. Whether freshness mode is on is for the caller to ask. */
export function createChallenges({ guards, config, now }: ChallengesParts): Challenges {
  return {
    async issue() {
      const bytes = randomBytes(CHALLENGE_BYTES);
      const expiresAt = now() + config.refresh.challengeTtlSeconds * 1000;
      await guards.addChallenge(challengeHash(bytes), expiresAt);
      // Rounded down: a wallet is never told of a second that the challenge does not have.
      return { challenge: toHex(bytes), expiresAt: Math.floor(expiresAt / 1000) };
    },
  };
}

/** What the store has of a challenge: its SHA-256, since who reads the store must not be able to answer it. */
export function challengeHash(challenge: Uint8Array): Bytes32 {
  return createHash('sha256').update(challenge).digest();
}

/**
 * The challenge inside the pre-image of an external nullifier, `text` and then 32 bytes.
 *
 * @returns undefined for a pre-image of another form.
 */
export function challengeIn(preImage: Uint8Array, text: string): Uint8Array | undefined {
  const expected = Buffer.from(text, 'utf8');
  if (preImage.length !== expected.length + CHALLENGE_BYTES) return undefined;
  return expected.equals(preImage.subarray(0, expected.length))
    ? preImage.subarray(expected.length)
    : undefined;
}
