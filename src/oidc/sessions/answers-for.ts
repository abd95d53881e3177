import { isLocalHost } from '../../addresses.ts';
import { toHex } from '../../semaphore/index.ts';
import { type AppRow, namesResponseTypes, type SessionRow } from '../../storage/index.ts';
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

/**
 * Whether a client may be answered from a session without a page. The redirect URI of a native client belongs to whatever
 * program claims it (RFC 8252 section 8.6), unless it is https; and a token in the front channel is sent unseen only to
 * a client that was registered for it by name.
 */
export function mayBeSilent(
  { client }: Pick<AppRow, 'client'>,
  { redirectUri, responseType }: Pick<AuthorizationRequest, 'redirectUri' | 'responseType'>,
): boolean {
  if (client.applicationType === 'native' && !isClaimedByHost(redirectUri)) return false;
  return responseType === 'code' || namesResponseTypes(client);
}

function isClaimedByHost(redirectUri: string): boolean {
  const { protocol, hostname } = new URL(redirectUri);
  return protocol === 'https:' && !isLocalHost(hostname);
}
