import type { Config } from '../../config/settings/types.ts';
import type { SigningKeyRow, SigningKeyStore } from '../../storage/index.ts';
import { generateKey, type NewKeyParts } from './generate-key.ts';

/** The settings of a rotation. */
export type RotationConfig = Pick<
  Config['keys'],
  'rotationPeriodSeconds' | 'publishLeadSeconds' | 'retireAfterSeconds'
>;

/** Dependencies of a change of the keys. */
export interface KeyOperator extends NewKeyParts {
  readonly store: SigningKeyStore;
  readonly config: RotationConfig;
}

/** The two keys whose state a rotation changes. */
export interface KeyPair {
  readonly active: SigningKeyRow;
  readonly next: SigningKeyRow;
}

/** Returns the active and the next key of published rows, or undefined if one is missing. */
export function pairOf(rows: readonly SigningKeyRow[]): KeyPair | undefined {
  const active = rows.find(({ state }) => state === 'active');
  const next = rows.find(({ state }) => state === 'next');
  return active === undefined || next === undefined ? undefined : { active, next };
}

/** Returns when `next` will have been published long enough to sign, in milliseconds since the epoch. */
export function leadEndsAt(next: SigningKeyRow, { publishLeadSeconds }: RotationConfig): number {
  return next.createdAt + publishLeadSeconds * 1000;
}

/**
 * Returns when the active key is to be replaced: when it has signed for the rotation period and the next key
 * has been published for its lead.
 *
 * @returns Milliseconds since the epoch; undefined if rotation is off or a key is missing.
 */
export function rotationDueAt(rows: readonly SigningKeyRow[], config: RotationConfig): number | undefined {
  const pair = pairOf(rows);
  if (config.rotationPeriodSeconds === 0 || pair === undefined) return undefined;
  const { activatedAt, createdAt } = pair.active;
  const agedAt = (activatedAt ?? createdAt) + config.rotationPeriodSeconds * 1000;
  return Math.max(agedAt, leadEndsAt(pair.next, config));
}

/**
 * Rotates now: active → retired, next → active, and generates a new next key.
 *
 * @returns The new next key; undefined if another process was faster and nothing changed.
 */
export async function rotate(
  { active, next }: KeyPair,
  operator: KeyOperator,
): Promise<SigningKeyRow | undefined> {
  const newNext = await generateKey(operator);
  const at = newNext.createdAt;
  const isDone = await operator.store.rotate({
    use: active.use,
    activeKid: active.kid,
    nextKid: next.kid,
    newNext,
    at,
    retiredUntil: at + operator.config.retireAfterSeconds * 1000,
  });
  return isDone ? newNext : undefined;
}
