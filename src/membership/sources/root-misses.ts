import { LRUCache } from 'lru-cache';
import { toHex } from '../../semaphore/hex.ts';
import type { RootRow, RootStore } from '../../storage/roots.ts';
import type { Bytes32, Environment, Tree } from '../../storage/values.ts';

/** Outcome of the query for an unknown root; `refused` if too many queries are pending. */
export type MissResult = 'found' | 'unknown' | 'timeout' | 'refused';

/** Looks for a root in the source of a tree. */
export interface RootSeeker {
  readonly id: string;
  lookFor(root: Bytes32): Promise<void>;
}

/** Options of `createRootMisses`. */
export interface RootMissesOptions {
  readonly seekers: ReadonlyMap<string, RootSeeker>;
  readonly roots: Pick<RootStore, 'find'>;
  readonly waitMs: number;
  readonly maxWaiting: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly onResult: (sourceId: string, result: MissResult) => void;
}

/** The last resort for a valid proof over an unknown root: a query of its source (spec/roots.md#misses). */
export interface RootMisses {
  /** Whether a tree has a source that can be queried. */
  has(environment: Environment, tree: Tree): boolean;
  /** Queries the source of a tree; waits for a bounded time. */
  find(environment: Environment, tree: Tree, root: Bytes32): Promise<RootRow | undefined>;
}

const UNKNOWN_MS = 2000;
const MAX_UNKNOWN = 10_000;

/** Returns the key of a tree among the sources. */
export function treeKey(environment: Environment, tree: Tree): string {
  return `${environment}/${tree}`;
}

/** Creates the query that runs on a miss. */
export function createRootMisses(options: RootMissesOptions): RootMisses {
  const { seekers, roots, waitMs, maxWaiting, now, onResult } = options;
  /** Roots that stayed unknown, with the time until which they are not queried again. */
  const unknown = new LRUCache<string, number>({ maxSize: MAX_UNKNOWN, sizeCalculation: () => 1 });
  let waiting = 0;

  async function seek(seeker: RootSeeker, root: Bytes32): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<false>((resolve) => {
      timer = setTimeout(resolve, waitMs, false);
    });
    waiting++;
    try {
      return await Promise.race([seeker.lookFor(root).then(() => true), timeout]);
    } finally {
      waiting--;
      clearTimeout(timer);
    }
  }

  return {
    has: (environment, tree) => waitMs > 0 && seekers.has(treeKey(environment, tree)),
    async find(environment, tree, root) {
      const seeker = seekers.get(treeKey(environment, tree));
      if (seeker === undefined || waitMs === 0) return undefined;
      const key = `${treeKey(environment, tree)}/${toHex(root)}`;
      if ((unknown.get(key) ?? 0) > now()) return undefined;
      if (waiting >= maxWaiting) {
        onResult(seeker.id, 'refused');
        return undefined;
      }
      const isAnswered = await seek(seeker, root);
      const row = await roots.find(environment, tree, root);
      onResult(seeker.id, row !== undefined ? 'found' : isAnswered ? 'unknown' : 'timeout');
      if (row === undefined && isAnswered) unknown.set(key, now() + UNKNOWN_MS);
      return row;
    },
  };
}
