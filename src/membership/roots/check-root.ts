import type { RootRow, RootStore } from '../../storage/index.ts';

/** Result of the age rule for a known root. */
export interface RootCheck {
  readonly isAccepted: boolean;
  /** Whole seconds by which the rule judges; 0 for a time in the future. */
  readonly ageSeconds: number;
}

/**
 * Applies the age rule (spec/verification.md#root-age): a current root is accepted at any age, a
 * superseded one while `now − receivedAt` is at most `maxAgeSeconds`. The time of supersession does not matter.
 *
 * @param now - Milliseconds since the epoch.
 * @returns The age since the root was received.
 */
export function checkRoot(root: RootRow, maxAgeSeconds: number, now: number): RootCheck {
  const ageMs = Math.max(0, now - root.receivedAt);
  const isAccepted = root.supersededAt === null || ageMs <= maxAgeSeconds * 1000;
  return { isAccepted, ageSeconds: Math.floor(ageMs / 1000) };
}

/**
 * Applies the age rule of World ID 4.0 (spec/worldid4.md#state): a current root is accepted at any age, a superseded one
 * while `now − supersededAt` is at most `windowSeconds`. The time at which it was received does not matter.
 *
 * @param now - Milliseconds since the epoch.
 * @param knownUntil - Until when the source of a current root knows that it is current, in milliseconds since the epoch: a
 *   removed authenticator must not count longer here than on the chain. Undefined for the root of an operator.
 * @returns The age since the root was superseded; 0 for a current one.
 */
export function checkAccountRoot(
  { supersededAt }: RootRow,
  windowSeconds: number,
  now: number,
  knownUntil?: number,
): RootCheck {
  const endsAt = supersededAt ?? knownUntil ?? now;
  const isAccepted = now - endsAt <= windowSeconds * 1000;
  return { isAccepted, ageSeconds: Math.floor(Math.max(0, now - (supersededAt ?? now)) / 1000) };
}

/** Age of the current root of one tree. */
export interface RootAge {
  readonly environment: string;
  readonly tree: string;
  readonly source: string;
  readonly ageSeconds: number;
}

/** Returns the age of the current root of each tree, for `roots_current_age_seconds`. */
export async function currentRootAges(
  roots: Pick<RootStore, 'listCurrent'>,
  now: number,
): Promise<RootAge[]> {
  const rows = await roots.listCurrent();
  return rows.map(({ environment, tree, source, receivedAt }) => ({
    environment,
    tree,
    source,
    ageSeconds: Math.max(0, now - receivedAt) / 1000,
  }));
}
