import type { RootRow } from '../../storage/index.ts';

/** What the age rule says of a known root. */
export interface RootCheck {
  readonly isAccepted: boolean;
  /** Whole seconds since the root was received; a root from the future has age 0. */
  readonly ageSeconds: number;
}

/**
 * Applies the age rule (spec/verification.md#root-age): a current root is acceptable whatever its age,
 * another one while `now − receivedAt` is at most `maxAgeSeconds`. When it was superseded does not count.
 *
 * @param now - Milliseconds since the epoch.
 */
export function checkRoot(root: RootRow, maxAgeSeconds: number, now: number): RootCheck {
  const ageMs = Math.max(0, now - root.receivedAt);
  const isAccepted = root.supersededAt === null || ageMs <= maxAgeSeconds * 1000;
  return { isAccepted, ageSeconds: Math.floor(ageMs / 1000) };
}
