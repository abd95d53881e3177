/**
 * Signing keys of sign-in (spec/sign-in.md#signing-keys): states, rotation and removal over the store,
 * private parts sealed under the master key, and the published key set.
 */
import type { Config } from '../../config/settings/types.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type {
  KeyUse,
  SigningKeyRow,
  SigningKeyState,
  SigningKeyStore,
} from '../../storage/signin/signing-keys.ts';
import { generateKey, type NewKeyParts } from './sealed-keys.ts';

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

/** The two keys whose states a rotation changes. */
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

/** Returns the end of the lead time of `next`, in milliseconds since the epoch: from then on it may sign. */
export function leadEndsAt(next: SigningKeyRow, { publishLeadSeconds }: RotationConfig): number {
  return next.createdAt + publishLeadSeconds * 1000;
}

/**
 * Returns the time of the next rotation: the active key has signed for the rotation period, and the next key has been
 * published for its lead time.
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

/** Age of a published key, and end of its state. */
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

/** Result of `prepareKeys`. */
export interface PreparedKeys {
  /** Whether this process generated the first two keys. */
  readonly isFirstStart: boolean;
  /**
   * Kids whose private part was unsealed or sealed under the former master key, and is now sealed under the present
   * one.
   */
  readonly resealed: readonly string[];
}

/**
 * Prepares the keys in the store (spec/sign-in.md#key-states). The first start generates a key that is active
 * immediately, since nobody can have cached an older set, and a next key; later starts seal the private parts
 * under the present master key.
 *
 * @throws ServiceError `signing_key.cannot_open` for a key that signs or will sign
 */
export async function prepareKeys(operator: KeyOperator): Promise<PreparedKeys> {
  const { store, now } = operator;
  const rows = await store.list('signin', now());
  const isFirstStart = rows.length === 0 && (await generateFirstKeys(operator));
  const resealed: string[] = [];
  for (const row of rows) if (await reseal(row, operator)) resealed.push(row.kid);
  return { isFirstStart, resealed };
}

async function generateFirstKeys(operator: KeyOperator): Promise<boolean> {
  const [first, next] = await Promise.all([generateKey(operator), generateKey(operator)]);
  return operator.store.initialise({ ...first, state: 'active', activatedAt: first.createdAt }, next);
}

/**
 * Seals a private part under the present master key.
 *
 * @returns False if it already was, or if another process was faster.
 */
async function reseal(row: SigningKeyRow, { sealer, store }: KeyOperator): Promise<boolean> {
  try {
    const { jwk, isUnderCurrentKey } = await sealer.open(row);
    return !isUnderCurrentKey && (await store.reseal(row.kid, row.privateJwk, await sealer.seal(jwk)));
  } catch (error) {
    // A retired key does not sign, so its private part may be lost.
    if (
      row.state === 'retired' &&
      error instanceof ServiceError &&
      error.code === 'signing_key.cannot_open'
    ) {
      return false;
    }
    throw error;
  }
}

/** Dependencies of `createRotationTimer`. */
export interface RotationTimerParts {
  rotateIfDue(): Promise<void>;
  /** Returns the milliseconds until a rotation is due, or undefined if none is planned. */
  dueInMs(): Promise<number | undefined>;
  onFailed(error: unknown): void;
}

/** Timer that performs due rotations until it is stopped. */
export interface RotationTimer {
  start(): void;
  /** Resolves when a check in progress has ended. */
  stop(): Promise<void>;
}

/** Maximum time between checks, since another process may rotate or remove a key. */
const MAX_WAIT_MS = 60_000;
/**
 * Minimum time between checks, so that a rotation that fails, or that another process performs now, is not
 * retried in a tight loop.
 */
const MIN_WAIT_MS = 1000;

/** Creates the timer; it does not keep the process alive. */
export function createRotationTimer({ rotateIfDue, dueInMs, onFailed }: RotationTimerParts): RotationTimer {
  let timer: NodeJS.Timeout | undefined;
  let isRunning = false;
  let check: Promise<void> = Promise.resolve();

  async function run(): Promise<void> {
    let waitMs = MAX_WAIT_MS;
    try {
      await rotateIfDue();
      const dueMs = await dueInMs();
      if (dueMs !== undefined) waitMs = Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, dueMs));
    } catch (error) {
      onFailed(error);
    }
    if (isRunning) plan(waitMs);
  }

  function plan(waitMs: number): void {
    timer = setTimeout(() => {
      check = run();
    }, waitMs).unref();
  }

  return {
    start() {
      if (isRunning) return;
      isRunning = true;
      check = run();
    },
    async stop() {
      isRunning = false;
      clearTimeout(timer);
      await check;
    },
  };
}
