import type { Config } from '../../config/settings/types.ts';
import type { SigningKeyRow, SigningKeyStore } from '../../storage/index.ts';
import { generateKey, type NewKeyParts } from './generate-key.ts';

/** The settings of a rotation. */
export type RotationConfig = Pick<
  Config['keys'],
  'rotationPeriodSeconds' | 'publishLeadSeconds' | 'retireAfterSeconds'
>;

/** What a change of the keys is made with. */
export interface KeyOperator extends NewKeyParts {
  readonly store: SigningKeyStore;
  readonly config: RotationConfig;
}

/** The two keys that a rotation moves. */
export interface KeyPair {
  readonly active: SigningKeyRow;
  readonly next: SigningKeyRow;
}

/** The active and the next key of published rows; undefined when one is not there. */
export function pairOf(rows: readonly SigningKeyRow[]): KeyPair | undefined {
  const active = rows.find(({ state }) => state === 'active');
  const next = rows.find(({ state }) => state === 'next');
  return active === undefined || next === undefined ? undefined : { active, next };
}

/** When `next` will have been published long enough to sign, in milliseconds since the epoch. */
export function leadEndsAt(next: SigningKeyRow, { publishLeadSeconds }: RotationConfig): number {
  return next.createdAt + publishLeadSeconds * 1000;
}

/**
 * When the active key is to be replaced: it has its age and the next one its lead. An age counts from the day a key
 * began to sign.
 *
 * @returns Milliseconds since the epoch; undefined when rotation is off or a key is missing.
 */
export function rotationDueAt(rows: readonly SigningKeyRow[], config: RotationConfig): number | undefined {
  const pair = pairOf(rows);
  if (config.rotationPeriodSeconds === 0 || pair === undefined) return undefined;
  const { activatedAt, createdAt } = pair.active;
  const agedAt = (activatedAt ?? createdAt) + config.rotationPeriodSeconds * 1000;
  return Math.max(agedAt, leadEndsAt(pair.next, config));
}

/**
 * Rotates now: active → retired, next → active, a new next.
 *
 * @returns The key that is next afterwards; undefined when another process was faster, and nothing changed.
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
