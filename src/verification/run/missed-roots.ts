import type { ErrorCode } from '../../errors/index.ts';
import type { KeyRegistry } from '../../membership/keys/key-registry.ts';
import { inputsOfTree } from '../../membership/keys/verifying-keys.ts';
import type { RootRegistry } from '../../membership/roots/root-registry.ts';
import type { Bytes32, Environment, Tree } from '../../storage/index.ts';
import { type MissedRoot, type PreparedItem, type ReadyItem, withKey } from './prepared-item.ts';
import type { ItemCodes } from './queue-items.ts';

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
 * Prepares an item whose root is unknown (spec/roots.md#misses): where its tree has a source, the proof is verified under
 * the key of the tree before the source is asked, so that a made-up root costs its sender a pairing and the source
 * nothing.
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
      // The verdict is one under the key of the tree.
      return row === undefined || (row.keyId ?? keyId) === keyId ? row : undefined;
    },
  };
  const ready: ReadyItem = { keyId, bytes, nullifier, rootAgeSeconds: undefined, missed };
  return await withKey(ready, inputsOfTree(tree), keys);
}

/** Items and their codes; entry i of both is about item i. */
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
