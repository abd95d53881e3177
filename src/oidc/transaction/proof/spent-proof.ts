import { createHash } from 'node:crypto';
import type { Bytes32, SpentProof } from '../../../storage/index.ts';

/** 30 days (spec/sign-in.md#spent-proofs). */
const SPENT_FOR_MS = 30 * 86_400_000;

/**
 * The record that keeps a proof over an RP's own nonce from completing a second sign-in
 * (spec/sign-in.md#spent-proofs). It does not depend on the bytes of the proof, which can be changed without
 * making it false.
 *
 * @param now - Milliseconds since the epoch.
 */
export function spentProof(clientId: string, sub: Bytes32, signalHash: Bytes32, now: number): SpentProof {
  const hash = createHash('sha256').update(clientId).update('\0').update(sub).update(signalHash).digest();
  return { hash: Uint8Array.from(hash), expiresAt: now + SPENT_FOR_MS };
}
