import { type ErrorCode, isServiceError } from '../../errors/index.ts';
import type { KeyRegistry } from '../../membership/keys/key-registry.ts';
import type { RootRow } from '../../storage/index.ts';
import type { Statement } from '../request/request-base.ts';

/** A failed item, with a code whose row in the catalogue has an answer for items. */
export interface FailedItem {
  readonly code: ErrorCode;
  /** Text of the answer where the row has none. */
  readonly detail?: string;
  readonly rootAgeSeconds?: number;
  /** The limit that the root exceeds; only where that is the failure. */
  readonly maxRootAgeSeconds?: number;
  /** The internal error, for the log. */
  readonly cause?: unknown;
}

/** An item for which only the engine's verdict is missing, and its root if that is unknown. */
export interface ReadyItem extends Statement {
  /** The nullifier as it was sent. */
  readonly nullifier: string;
  readonly keyId: string;
  /** Undefined while the root is unknown. */
  readonly rootAgeSeconds: number | undefined;
  /** Absent if the root is accepted. */
  readonly missed?: MissedRoot;
}

/** An unknown root, for which the source of its tree is asked if the proof is valid otherwise. */
export interface MissedRoot {
  /** Catalogue code of the item if the root stays unknown. */
  readonly unknown: ErrorCode;
  /** @throws ServiceError `store.unreachable` */
  find(): Promise<RootRow | undefined>;
  /** Returns the failure of a root that is too old, or the age of an accepted one. */
  judge(row: RootRow): FailedItem | { readonly code?: undefined; readonly rootAgeSeconds: number };
}

/** An item after the steps that need no pairing. */
export type PreparedItem = FailedItem | ReadyItem;

/**
 * Returns an item once the engine has its key, or its failure.
 *
 * @param inputCount - Number of public inputs of its statement.
 */
export async function withKey(
  ready: ReadyItem,
  inputCount: number,
  keys: KeyRegistry,
): Promise<PreparedItem> {
  try {
    await keys.ensure(ready.keyId, inputCount);
    return ready;
  } catch (cause) {
    if (isServiceError(cause, 'store.unreachable')) throw cause;
    return withoutKey(ready, cause);
  }
}

/** Returns the failure of an item without a usable key: an unknown root is not worth an internal error. */
export function withoutKey(
  { missed, rootAgeSeconds }: Pick<ReadyItem, 'missed' | 'rootAgeSeconds'>,
  cause: unknown,
): FailedItem {
  if (missed !== undefined) return { code: missed.unknown };
  return { code: 'engine.key_unknown', cause, ...(rootAgeSeconds === undefined ? {} : { rootAgeSeconds }) };
}
