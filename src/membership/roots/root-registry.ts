import { isEqual } from '../../bytes.ts';
import type { Bytes32, Environment, RootRow, RootStore, Tree } from '../../storage/index.ts';
import { createReadThroughCache } from '../../storage/stores/read-through-cache.ts';

const MAX_CACHED_ROOTS = 50_000;
const MAX_ROOT_READS = 16;

/** Merkle roots against which proofs may be made (spec/verification.md#root-lookup). */
export interface RootRegistry {
  /**
   * Looks up a root of a tree, in memory if it was read within the cache time, else in the store.
   *
   * @returns The row, or undefined if it is unknown; a promise only if the store must be read.
   * @throws ServiceError `store.unreachable`
   */
  find(environment: Environment, tree: Tree, root: Bytes32): RootRow | Promise<RootRow | undefined>;
}

/** Creates the registry over a store. A miss reads the store once; concurrent misses of one root share that read. */
export function createRootRegistry(
  roots: Pick<RootStore, 'find'>,
  cacheMs: number,
  now: () => number,
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
    find(environment, tree, root) {
      const key = keyOf(environment, tree, root);
      return cache.peek(key) ?? cache.get(key);
    },
  };
}

interface LastRoot {
  readonly environment: Environment;
  readonly tree: Tree;
  readonly root: Bytes32;
  readonly key: string;
}
