import { isEqual } from '../../bytes.ts';
import type { Bytes32, Environment, RootRow, RootStore, Tree } from '../../storage/index.ts';
import { createReadThroughCache } from '../../storage/stores/read-through-cache.ts';

const MAX_CACHED_ROOTS = 50_000;
const MAX_ROOT_READS = 16;

/** A statement that is true but for its root, which is not known. */
export interface MissedStatement {
  /** Proof and public inputs, as the engine takes them. */
  readonly bytes: Uint8Array;
  /** Age up to which a root is accepted. */
  readonly maxAgeSeconds: number;
}

/**
 * Asks the source of a tree for a root that the store does not know.
 *
 * @returns The row, or undefined if the source does not know it either, or does not answer in time.
 * @throws ServiceError `store.unreachable`, and no other
 */
export type RootRefresh = (root: Bytes32, statement: MissedStatement) => Promise<RootRow | undefined>;

/** Merkle roots against which proofs may be made (spec/verification.md#root-lookup). */
export interface RootRegistry {
  /**
   * Looks up a root of a tree, in memory if it was read within the cache time, else in the store.
   *
   * @returns The row, or undefined if it is unknown.
   * @throws ServiceError `store.unreachable`
   */
  find(environment: Environment, tree: Tree, root: Bytes32): Promise<RootRow | undefined>;
  /**
   * Returns how to ask the source of a tree, which is only done for a proof that is valid but for its root; undefined
   * for a tree without a source. Absent if no tree has one.
   */
  readonly refreshOf?: (environment: Environment, tree: Tree) => RootRefresh | undefined;
  /**
   * Returns until when a source is known to have had the same current root, in milliseconds since the epoch; undefined for
   * roots that operators keep current. Absent if no tree has a source.
   */
  readonly knownUntil?: (source: string) => number | undefined;
}

/** Creates the registry over a store. A miss reads the store once; concurrent misses of one root share that read. */
export function createRootRegistry(
  roots: Pick<RootStore, 'find'>,
  cacheMs: number,
  now: () => number,
  sources: Pick<RootRegistry, 'refreshOf' | 'knownUntil'> = {},
): RootRegistry {
  const cache = createReadThroughCache<RootRow>({
    read: (key) => {
      const [environment, tree, root] = key.split('/') as [Environment, Tree, string];
      return roots.find(environment, tree, Uint8Array.from(Buffer.from(root, 'hex')));
    },
    maxAgeMs: cacheMs,
    maxEntries: MAX_CACHED_ROOTS,
    maxReads: MAX_ROOT_READS,
    now,
  });

  // Nearly all proofs are against the current root, whose cache key need not be built each time.
  let last: LastRoot | undefined;

  function keyOf(environment: Environment, tree: Tree, root: Bytes32): string {
    if (last?.environment === environment && last.tree === tree && isEqual(last.root, root)) return last.key;
    const hex = Buffer.from(root.buffer, root.byteOffset, root.byteLength).toString('hex');
    const key = `${environment}/${tree}/${hex}`;
    last = { environment, tree, root: new Uint8Array(root), key };
    return key;
  }

  return {
    ...sources,
    find: (environment, tree, root) => cache.get(keyOf(environment, tree, root)),
  };
}

interface LastRoot {
  readonly environment: Environment;
  readonly tree: Tree;
  readonly root: Bytes32;
  readonly key: string;
}
