import type { ErrorCode } from '../../errors/catalogue.ts';
import { isServiceError } from '../../errors/service-error.ts';
import type { KeyRegistry } from '../../membership/keys/key-registry.ts';
import { inputsOfTree } from '../../membership/keys/verifying-keys.ts';
import type { RootRegistry } from '../../membership/roots/root-registry.ts';
import type { RootRow } from '../../storage/roots.ts';
import type { Bytes32, Environment, Tree } from '../../storage/values.ts';
import type { Statement } from '../request/request-types.ts';
import type { ItemCodes } from './queue-items.ts';

/** A failed item, with a code whose row in the catalogue has an item answer. */
export interface FailedItem {
  readonly code: ErrorCode;
  /** Text of the answer where the row has none. */
  readonly detail?: string;
  readonly rootAgeSeconds?: number;
  /** The limit that the root exceeds; present only for that failure. */
  readonly maxRootAgeSeconds?: number;
  /** The internal error, for the log. */
  readonly cause?: unknown;
}

/** An item that lacks only the verdict of the engine and, if its root is unknown, the root. */
export interface ReadyItem extends Statement {
  /** The nullifier as it was sent. */
  readonly nullifier: string;
  readonly keyId: string;
  /** Undefined while the root is unknown. */
  readonly rootAgeSeconds: number | undefined;
  /** Absent if the root is accepted. */
  readonly missed?: MissedRoot;
}

/** An unknown root. The source of its tree is queried if the proof is otherwise valid. */
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

/** Returns the failure of an item without a usable key: an unknown root takes precedence over an internal error. */
export function withoutKey(
  { missed, rootAgeSeconds }: Pick<ReadyItem, 'missed' | 'rootAgeSeconds'>,
  cause: unknown,
): FailedItem {
  if (missed !== undefined) return { code: missed.unknown };
  return { code: 'engine.key_unknown', cause, ...(rootAgeSeconds === undefined ? {} : { rootAgeSeconds }) };
}

/** Whether the root of an item is unknown. */
export function isMissed(item: PreparedItem): boolean {
  return item.code === undefined && item.missed !== undefined;
}

/** An item whose root is unknown. */
export interface UnknownRoot {
  readonly environment: Environment;
  readonly tree: Tree;
  readonly root: Bytes32;
  readonly bytes: Uint8Array;
  readonly maxAgeSeconds: number;
  readonly nullifier: string;
  readonly unknown: ErrorCode;
  readonly judge: MissedRoot['judge'];
}

/**
 * Prepares an item whose root is unknown (spec/roots.md#misses): if its tree has a source, the proof is verified under
 * the key of the tree before the source is queried, so that a made-up root causes no query.
 */
export async function prepareMissed(
  item: UnknownRoot,
  { roots, keys }: { readonly roots: RootRegistry; readonly keys: KeyRegistry },
): Promise<PreparedItem> {
  const { environment, tree, root, bytes, maxAgeSeconds, nullifier, unknown, judge } = item;
  const refresh = roots.refreshOf?.(environment, tree);
  const keyId = refresh && keys.keyOf(environment, tree);
  if (refresh === undefined || keyId === undefined) return { code: unknown };
  const missed: MissedRoot = {
    unknown,
    judge,
    async find() {
      const row = await refresh(root, { bytes, maxAgeSeconds });
      // The verdict holds only under the key of the tree.
      return row === undefined || (row.keyId ?? keyId) === keyId ? row : undefined;
    },
  };
  const ready: ReadyItem = { keyId, bytes, nullifier, rootAgeSeconds: undefined, missed };
  return await withKey(ready, inputsOfTree(tree), keys);
}

/** Items and their codes; entry i of both belongs to item i. */
export interface SettledItems {
  readonly items: readonly PreparedItem[];
  readonly codes: ItemCodes;
}

/**
 * Settles the items whose roots are unknown, once the verdicts of their proofs are known.
 *
 * @throws ServiceError `store.unreachable`
 */
export async function settleMissed(items: readonly PreparedItem[], codes: ItemCodes): Promise<SettledItems> {
  const settled = await Promise.all(
    items.map(async (item, index) => {
      const code = codes[index];
      if (item.code !== undefined || item.missed === undefined) return { item, code };
      const settledItem = await settle(item, item.missed, code);
      return { item: settledItem, code: settledItem.code };
    }),
  );
  return { items: settled.map(({ item }) => item), codes: settled.map(({ code }) => code) };
}

async function settle(
  { missed: _, ...ready }: ReadyItem,
  missed: MissedRoot,
  code: ErrorCode | undefined,
): Promise<PreparedItem> {
  if (code !== undefined) return { code: isVerdict(code) ? missed.unknown : code };
  const row = await missed.find();
  if (row === undefined) return { code: missed.unknown };
  const judged = missed.judge(row);
  return judged.code === undefined ? { ...ready, rootAgeSeconds: judged.rootAgeSeconds } : judged;
}

/** Whether a code is about the proof, rather than about an engine that could not check it. */
function isVerdict(code: ErrorCode): boolean {
  return code.startsWith('proof.') || code.startsWith('input.');
}
