import { toHex } from '../../semaphore/index.ts';
import type { SessionRow } from '../../storage/index.ts';
import type { Freshness } from '../authorize/index.ts';
import type { AuthorizationRequest } from '../types.ts';

/**
 * Whether a session answers a request without asking the person (spec/sign-in.md#sessions): the proof behind it is
 * fresh enough, its level suffices, and the person is the one that the client expects.
 *
 * @param now - Milliseconds since the epoch.
 */
export function answersFor(
  { accepted }: SessionRow,
  { requiresOrb, hintedSub }: AuthorizationRequest,
  { asksAgain, maxAgeSeconds }: Freshness,
  now: number,
): boolean {
  if (asksAgain || (requiresOrb && accepted.level !== 'orb')) return false;
  if (hintedSub !== undefined && toHex(accepted.sub) !== hintedSub) return false;
  // In seconds, as the client computes the age from `auth_time`, and not at the limit: the answer takes time.
  const ageSeconds = Math.floor(now / 1000) - Math.floor(accepted.authTime / 1000);
  return maxAgeSeconds === undefined || ageSeconds < maxAgeSeconds;
}
