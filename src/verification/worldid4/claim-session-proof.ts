import { createHash, randomBytes } from 'node:crypto';
import type { UseStore } from '../../storage/uses.ts';
import type { Bytes32, Environment } from '../../storage/values.ts';

/**
 * Longest life of the nonce of a request, in milliseconds: nodes serve one that was signed for at most 30 minutes, and that
 * may begin 5 minutes ahead of their clock (spec/worldid4.md#sessions).
 */
const NONCE_LIFE_MS = 35 * 60_000;
const CLAIM_BYTES = 16;

/**
 * Records durably that a session proof was accepted.
 *
 * @param nullifier - First word of its `session_nullifier`, which no other proof has.
 * @param now - Milliseconds since the epoch.
 * @returns false if it was accepted before, at least within the life of its nonce: an old row counts until the sweep.
 */
export async function claimSessionProof(
  uses: UseStore,
  environment: Environment,
  nullifier: Bytes32,
  now: number,
): Promise<boolean> {
  return await uses.claim({
    hash: createHash('sha256').update(environment).update(nullifier).digest(),
    bound: randomBytes(CLAIM_BYTES),
    expiresAt: now + NONCE_LIFE_MS,
  });
}
