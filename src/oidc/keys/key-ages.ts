import type { KeyUse, SigningKeyRow, SigningKeyState } from '../../storage/index.ts';
import { type RotationConfig, rotationDueAt } from './rotation.ts';

/** Age of a published key, and when its state ends. */
export interface KeyAge {
  readonly use: KeyUse;
  readonly kid: string;
  readonly state: SigningKeyState;
  /** Time in this state; at least 0. */
  readonly ageSeconds: number;
  /**
   * Time until the state ends by itself: `next` and `active` at the rotation, `retired` when the key is
   * removed. Negative if overdue, undefined if rotation is off.
   */
  readonly endsInSeconds: number | undefined;
}

/** Returns the ages of published keys, in the order of the rows. */
export function keyAges(rows: readonly SigningKeyRow[], config: RotationConfig, now: number): KeyAge[] {
  const dueAt = rotationDueAt(rows, config);
  return rows.map((row) => {
    const { use, kid, state, createdAt, activatedAt, retiredAt, expiresAt } = row;
    const since = { next: createdAt, active: activatedAt ?? createdAt, retired: retiredAt ?? createdAt }[
      state
    ];
    const endsAt = state === 'retired' ? (expiresAt ?? undefined) : dueAt;
    return {
      use,
      kid,
      state,
      ageSeconds: Math.max(0, (now - since) / 1000),
      endsInSeconds: endsAt === undefined ? undefined : (endsAt - now) / 1000,
    };
  });
}
