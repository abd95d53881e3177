import { type KeyConfig, masterKeyOf, previousMasterKeyOf } from '../../apps/secrets/master-key.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { SigningKeyRow, SigningKeyStore } from '../../storage/signin/signing-keys.ts';
import { isoTime } from '../../text.ts';
import { type KeyOperator, type KeyPair, leadEndsAt, pairOf, rotate } from './rotation.ts';
import { createSealer, generateKey } from './sealed-keys.ts';

/**
 * Creates the dependencies of key changes, for the service and the commands.
 *
 * @param now - Milliseconds since the epoch.
 * @throws ServiceError `config.invalid` in production without a master key
 */
export function createKeyOperator(store: SigningKeyStore, config: KeyConfig, now: () => number): KeyOperator {
  return {
    store,
    config: config.keys,
    sealer: createSealer(masterKeyOf(config), previousMasterKeyOf(config)),
    isDevelopment: config.profile !== 'production',
    now,
  };
}

/** Result of a manual change. */
export interface KeyChange {
  /** The key that signs now. */
  readonly activeKid: string;
  /** The key that signs after the next rotation. */
  readonly nextKid: string;
  /**
   * Whether a key signs before its lead time is over: verifiers with a cached key set may refuse its tokens for a
   * while.
   */
  readonly isEarly: boolean;
}

/**
 * Rotates the keys at the request of an operator.
 *
 * @param isForced - Rotates even if the next key is younger than its lead.
 * @throws ServiceError `signing_key.none`, `signing_key.too_young`, `signing_key.changed`
 */
export async function rotateNow(operator: KeyOperator, isForced: boolean): Promise<KeyChange> {
  const pair = await readPair(operator);
  const isEarly = isYoung(pair.next, operator);
  if (isEarly && !isForced) {
    const time = isoTime(leadEndsAt(pair.next, operator.config));
    throw new ServiceError('signing_key.too_young', `key ${pair.next.kid} may sign from ${time}`);
  }
  const newNext = await rotate(pair, operator);
  if (newNext === undefined) throw new ServiceError('signing_key.changed');
  return { activeKid: pair.next.kid, nextKid: newNext.kid, isEarly };
}

/**
 * Removes a key from the set immediately, in any state, which invalidates its tokens. An active key is replaced by the
 * next key, a next key by a new one.
 *
 * @throws ServiceError `signing_key.unknown`, `signing_key.none`, `signing_key.changed`
 */
export async function removeKey(kid: string, operator: KeyOperator): Promise<KeyChange> {
  const rows = await operator.store.list('signin', operator.now());
  const row = rows.find((published) => published.kid === kid);
  if (row === undefined) throw new ServiceError('signing_key.unknown');
  const pair = pairOf(rows);
  if (pair === undefined) throw new ServiceError('signing_key.none');
  return REMOVALS[row.state](row, pair, operator);
}

type Removal = (row: SigningKeyRow, pair: KeyPair, operator: KeyOperator) => Promise<KeyChange>;

const REMOVALS: Readonly<Record<SigningKeyRow['state'], Removal>> = {
  async active(row, { next }, operator) {
    const newNext = await generateKey(operator);
    const at = newNext.createdAt;
    const change = { use: row.use, activeKid: row.kid, nextKid: next.kid, newNext, at, retiredUntil: null };
    if (!(await operator.store.rotate(change))) throw new ServiceError('signing_key.changed');
    return { activeKid: next.kid, nextKid: newNext.kid, isEarly: isYoung(next, operator) };
  },
  async next(row, { active }, operator) {
    const newNext = await generateKey(operator);
    if (!(await operator.store.replaceNext(row.kid, newNext))) throw new ServiceError('signing_key.changed');
    return { activeKid: active.kid, nextKid: newNext.kid, isEarly: false };
  },
  async retired(row, { active, next }, operator) {
    if (!(await operator.store.removeRetired(row.kid))) throw new ServiceError('signing_key.changed');
    return { activeKid: active.kid, nextKid: next.kid, isEarly: false };
  },
};

async function readPair({ store, now }: KeyOperator): Promise<KeyPair> {
  const pair = pairOf(await store.list('signin', now()));
  if (pair === undefined) throw new ServiceError('signing_key.none');
  return pair;
}

function isYoung(next: SigningKeyRow, { config, now }: KeyOperator): boolean {
  return now() < leadEndsAt(next, config);
}
