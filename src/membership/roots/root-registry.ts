import { isEqual } from '../../bytes.ts';
import { createReadThroughCache } from '../../storage/read-through-cache.ts';
import type { RootRow, RootStore } from '../../storage/roots.ts';
import type { StoreChanges } from '../../storage/store-changes.ts';
import type { Bytes32, Environment, Tree } from '../../storage/values.ts';

/** Result of the age rule for a known root. */
export interface RootCheck {
  readonly isAccepted: boolean;
  /** Whole seconds to which the rule applies; 0 for a time in the future. */
  readonly ageSeconds: number;
}

/**
 * Applies the age rule (spec/verification.md#root-age): a current root is accepted at any age, a
 * superseded one while `now − receivedAt` is at most `maxAgeSeconds`. The time of supersession does not matter.
 *
 * @param now - Milliseconds since the epoch.
 * @returns The age since the root was received.
 */
export function checkRoot(root: RootRow, maxAgeSeconds: number, now: number): RootCheck {
  const ageMs = Math.max(0, now - root.receivedAt);
  const isAccepted = root.supersededAt === null || ageMs <= maxAgeSeconds * 1000;
  return { isAccepted, ageSeconds: Math.floor(ageMs / 1000) };
}

/**
 * Applies the age rule of World ID 4.0 (spec/worldid4.md#state): a current root is accepted at any age, a superseded
 * one while `now − supersededAt` is at most `windowSeconds`. The time at which it was received does not matter.
 *
 * @param now - Milliseconds since the epoch.
 * @param confirmedUntil - Time up to which the source of a current root has confirmed it as current, in milliseconds
 *   since the epoch: a removed authenticator must not be accepted longer here than on the chain. Undefined for a root
 *   that an operator added.
 * @returns The age since the root was superseded; 0 for a current one.
 */
export function checkAccountRoot(
  { supersededAt }: RootRow,
  windowSeconds: number,
  now: number,
  confirmedUntil?: number,
): RootCheck {
  const endsAt = supersededAt ?? confirmedUntil ?? now;
  const isAccepted = now - endsAt <= windowSeconds * 1000;
  return { isAccepted, ageSeconds: Math.floor(Math.max(0, now - (supersededAt ?? now)) / 1000) };
}

/** Age of the current root of one tree. */
export interface RootAge {
  readonly environment: string;
  readonly tree: string;
  readonly source: string;
  readonly ageSeconds: number;
}

/** Returns the age of the current root of each tree, for `roots_current_age_seconds`. */
export async function currentRootAges(
  roots: Pick<RootStore, 'listCurrent'>,
  now: number,
): Promise<RootAge[]> {
  const rows = await roots.listCurrent();
  return rows.map(({ environment, tree, source, receivedAt }) => ({
    environment,
    tree,
    source,
    ageSeconds: Math.max(0, now - receivedAt) / 1000,
  }));
}

const MAX_CACHED_ROOTS = 50_000;
const MAX_ROOT_READS = 16;

/** A statement that is valid except that its root is unknown. */
export interface MissedStatement {
  /** Proof and public inputs, as the engine takes them. */
  readonly bytes: Uint8Array;
  /** Age up to which a root is accepted. */
  readonly maxAgeSeconds: number;
}

/**
 * Queries the source of a tree for a root that is not in the store.
 *
 * @returns The row, or undefined if the source does not know the root either or does not answer in time.
 * @throws ServiceError `store.unreachable`; no other error
 */
export type RootRefresh = (root: Bytes32, statement: MissedStatement) => Promise<RootRow | undefined>;

/** Merkle roots against which proofs may be made (spec/verification.md#root-lookup). */
export interface RootRegistry {
  /** Returns a root of a tree that was read within the cache time; never reads the store. */
  peek(environment: Environment, tree: Tree, root: Bytes32): RootRow | undefined;
  /**
   * Looks up a root of a tree, in memory if it was read within the cache time, else in the store.
   *
   * @returns The row, or undefined if it is unknown.
   * @throws ServiceError `store.unreachable`
   */
  find(environment: Environment, tree: Tree, root: Bytes32): Promise<RootRow | undefined>;
  /**
   * Returns the query of the source of a tree, to be used only for a proof that is valid except for its root; undefined
   * for a tree without a source. Absent if no tree has a source.
   */
  readonly refreshOf?: (environment: Environment, tree: Tree) => RootRefresh | undefined;
  /**
   * Returns the time up to which the current root of a source is confirmed, in milliseconds since the epoch; undefined
   * for roots that operators maintain. Absent if no tree has a source.
   */
  readonly confirmedUntil?: (source: string) => number | undefined;
}

/** Creates the registry over a store. A miss reads the store once; concurrent misses of one root share that read. */
export function createRootRegistry(
  roots: Pick<RootStore, 'find'>,
  cacheMs: number,
  now: () => number,
  sources: Pick<RootRegistry, 'refreshOf' | 'confirmedUntil'> = {},
  changes?: Pick<StoreChanges, 'count'>,
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
    changes,
  });

  // Nearly all proofs use the current root; this spares building its cache key each time.
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
    peek: (environment, tree, root) => cache.peek(keyOf(environment, tree, root)),
    find: (environment, tree, root) => cache.get(keyOf(environment, tree, root)),
  };
}

interface LastRoot {
  readonly environment: Environment;
  readonly tree: Tree;
  readonly root: Bytes32;
  readonly key: string;
}
