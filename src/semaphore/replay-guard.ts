/**
 * The replay guard of an installation of a wallet: it makes the nullifier of an action again for ten minutes, in case the
 * answer was lost, then refuses it for a year (spec/worldid4.md#wallets-of-development).
 */

import { isoTime } from '../text.ts';

/** Nullifiers that an installation has made: time of the first proof, in milliseconds since the epoch, by nullifier. */
export type MadeNullifiers = Readonly<Record<string, number>>;

/** Time in which a nullifier is made again, from its first proof. */
export const REPEAT_MS: number = 600_000;
/** Time for which the first proof is remembered. */
export const REMEMBER_MS: number = 365 * 86_400_000;

/** What a guard says to a nullifier; times are in milliseconds since the epoch. */
export interface GuardVerdict {
  /** `new`: not made in the last year; `repeatable`: made, and can be made again; `refused`: cannot be made again. */
  readonly state: 'new' | 'repeatable' | 'refused';
  /** First proof; absent if new. */
  readonly firstMadeAt?: number;
  /** End of the state; absent if new. */
  readonly until?: number;
}

/** Returns the verdict on a nullifier. @param now - Milliseconds since the epoch. */
export function judgeNullifier(made: MadeNullifiers, nullifier: string, now: number): GuardVerdict {
  const firstMadeAt = made[nullifier];
  if (firstMadeAt === undefined || now - firstMadeAt >= REMEMBER_MS) return { state: 'new' };
  if (now - firstMadeAt > REPEAT_MS) {
    return { state: 'refused', firstMadeAt, until: firstMadeAt + REMEMBER_MS };
  }
  return { state: 'repeatable', firstMadeAt, until: firstMadeAt + REPEAT_MS };
}

/**
 * Records that a proof was made. The first time stays while it is remembered; nullifiers that no longer are, are dropped.
 *
 * @param now - Milliseconds since the epoch.
 */
export function rememberNullifier(made: MadeNullifiers, nullifier: string, now: number): MadeNullifiers {
  const remembered = Object.entries(made).filter(([, firstMadeAt]) => now - firstMadeAt < REMEMBER_MS);
  return { [nullifier]: now, ...Object.fromEntries(remembered) };
}

/** Returns the reason of a refusal for the person. */
export function refusalReason({ firstMadeAt = 0, until = 0 }: GuardVerdict): string {
  const times = `on ${isoTime(firstMadeAt)}, and makes it again from ${isoTime(until)} on`;
  return `this installation of the wallet first made the nullifier ${times}; another or a new installation makes it now`;
}
