import type { PointerRow, WorldIdSessionRow } from '../../../src/storage/signin/people.ts';
import type { Store } from '../../../src/storage/store.ts';
import {
  ACCEPTED,
  cookiePointer,
  newTransaction,
  pendingBounds,
  START,
  worldIdSession,
} from '../../storage/support/signin-rows.ts';

const LIFE_MS = 3_600_000;

/**
 * Adds a person who proved a session of World ID 4.0, with the cookie of a browser; both last an hour.
 *
 * @param name - Makes session and browser.
 * @param person - A byte that makes the person's `sub`.
 * @param now - When the person proved, in milliseconds since the epoch.
 */
export async function addPerson(
  store: Store,
  { clientId, name, person, now }: { clientId: string; name: string; person: number; now: number },
): Promise<{ readonly session: WorldIdSessionRow; readonly pointer: PointerRow }> {
  const times = { createdAt: now, usedAt: now, expiresAt: now + LIFE_MS };
  const session = worldIdSession(name, '', { ...times, clientId, sub: new Uint8Array(32).fill(person) });
  const pointer = cookiePointer(name, session);
  // The end of a sign-in writes it.
  await store.transactions.begin(newTransaction(name), undefined, pendingBounds(100));
  await store.transactions.storeAnswer(name, 1, { iv: 'aXY=', payload: 'cA==' }, START + 1);
  const seen = { person: { session, isKnown: false, beganAt: now, pointer } };
  await store.transactions.complete(name, 1, ACCEPTED, seen, START + 1);
  return { session, pointer };
}
