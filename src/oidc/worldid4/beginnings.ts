import { randomBytes } from 'node:crypto';
import type { PeopleStore } from '../../storage/signin/people.ts';
import { BEGINNING, pointerHashOf } from '../transaction/plan-sign-in.ts';

const CODE_BYTES = 32;

/** Life of a permission to begin anew, in seconds: default and bounds. */
export const BEGINNING_SECONDS = { default: 86_400, minimum: 60, maximum: 2_592_000 } as const;

/** A permission to begin anew (spec/sign-in.md#new-beginnings). */
export interface Beginning {
  /** The `login_hint` with which the app sends the person. Shown once. */
  readonly loginHint: string;
  /** Number of the action that the person is asked to prove. */
  readonly number: number;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Permits one person to begin anew with a client. @param now - Milliseconds since the epoch. */
export async function allowBeginning(
  people: Pick<PeopleStore, 'addBeginning'>,
  clientId: string,
  now: number,
  ttlSeconds: number = BEGINNING_SECONDS.default,
): Promise<Beginning> {
  const loginHint = `${BEGINNING}${randomBytes(CODE_BYTES).toString('base64url')}`;
  const expiresAt = now + ttlSeconds * 1000;
  for (;;) {
    // Another permission can take the number at the same time.
    const number = await people.addBeginning(clientId, pointerHashOf(loginHint), now, expiresAt);
    if (number !== undefined) return { loginHint, number, expiresAt };
  }
}
