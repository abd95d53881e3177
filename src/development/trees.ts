import { ServiceError } from '../errors/service-error.ts';
import type { DevelopmentTree } from '../pages.ts';
import type { Poseidon } from '../semaphore/hashes.ts';
import { emptyNodes, type InclusionProof, pathBit, pathNodes, TREE_DEPTH } from '../semaphore/merkle-tree.ts';
import { isBelowScalarOrder } from '../semaphore/words.ts';
import type { TreePosition } from '../storage/development.ts';
import type { RootRow } from '../storage/roots.ts';
import type { Store } from '../storage/store.ts';

/** Id of the verifying key for proofs against these trees. */
export const DEVELOPMENT_KEY = 'dev-depth30';
/** Source of these roots in the registry. */
const SOURCE = 'development';
const MAX_LEAVES = 2 ** TREE_DEPTH;

/** Position of a commitment in a tree. */
export interface EnrolledLeaf {
  readonly tree: DevelopmentTree;
  /** Index among the leaves, 0 for the first. */
  readonly index: number;
  /** Current root of the tree, 32 bytes. */
  readonly root: Uint8Array;
}

/**
 * The trees of the environment `staging` that the development profile maintains itself
 * (spec/verification.md#development-trees).
 */
export interface DevelopmentTrees {
  /**
   * Appends a commitment and makes the new root current in the registry, in one transaction. A commitment that is
   * already in the tree keeps its index; the root of the tree becomes current again if a root of an operator had
   * replaced it.
   *
   * @param commitment - 32 bytes, big-endian.
   * @throws ServiceError `development.invalid_commitment`, `development.tree_full`, `store.unreachable`
   */
  enroll(tree: DevelopmentTree, commitment: Uint8Array): Promise<EnrolledLeaf>;
  /** Computes the inclusion proof of a commitment; undefined if it is not in the tree. */
  inclusionProof(tree: DevelopmentTree, commitment: Uint8Array): Promise<InclusionProof | undefined>;
}

/** Dependencies of the development trees. */
export interface DevelopmentTreesParts {
  readonly store: Pick<Store, 'development' | 'roots'>;
  /** For example `engine.poseidon`. */
  readonly poseidon: Poseidon;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Creates the trees over a store; several processes may use one store concurrently. */
export function createDevelopmentTrees({ store, poseidon, now }: DevelopmentTreesParts): DevelopmentTrees {
  const { development } = store;
  let empty: Promise<Uint8Array[]> | undefined;
  /** Enrolments of this process run one after another, so that they do not compete for one index. */
  let last: Promise<unknown> = Promise.resolve();

  /** Returns the siblings on the path of a leaf, read in one statement. */
  async function siblingsOf(tree: DevelopmentTree, index: number): Promise<Uint8Array[]> {
    empty ??= emptyNodes(poseidon).catch((error: unknown) => {
      empty = undefined;
      throw error;
    });
    const siblings = (await empty).slice(0, TREE_DEPTH);
    const positions = siblings.map((_, level) => siblingPosition(index, level));
    for (const { level, hash } of await development.nodes(tree, positions)) siblings[level] = hash;
    return siblings;
  }

  async function inclusionAt(
    tree: DevelopmentTree,
    leaf: Uint8Array,
    index: number,
  ): Promise<InclusionProof & { readonly path: readonly Uint8Array[] }> {
    const siblings = await siblingsOf(tree, index);
    const path = await pathNodes(leaf, index, siblings, poseidon);
    return {
      root: path.at(-1) as Uint8Array,
      index,
      siblings,
      pathIndices: siblings.map((_, level) => pathBit(index, level)),
      path,
    };
  }

  async function enrollOnce(tree: DevelopmentTree, commitment: Uint8Array): Promise<EnrolledLeaf> {
    for (;;) {
      const known = await development.findLeaf(tree, commitment);
      if (known !== undefined) {
        const { root } = await inclusionAt(tree, commitment, known);
        // A newer root of this tree comes from another process and must be kept.
        const current = (await store.roots.listCurrent()).find(
          (row) => row.environment === 'staging' && row.tree === tree,
        );
        if (current?.source !== SOURCE) await store.roots.put([rootRow(tree, root, now())]);
        return { tree, index: known, root };
      }
      const index = await development.leafCount(tree);
      if (index >= MAX_LEAVES) {
        throw new ServiceError('development.tree_full', `tree ${tree} has ${index} leaves of ${MAX_LEAVES}`);
      }
      const { root, path } = await inclusionAt(tree, commitment, index);
      const nodes = path.map((hash, level) => ({ level, index: Math.floor(index / 2 ** level), hash }));
      // False if another process was faster: the nodes read above are then stale.
      if (await development.append(tree, nodes, rootRow(tree, root, now()))) return { tree, index, root };
    }
  }

  return {
    enroll: (tree, commitment) => {
      const enrolled = last.then(() => enrollOnce(tree, checkCommitment(commitment)));
      last = enrolled.catch(() => undefined);
      return enrolled;
    },
    inclusionProof: async (tree, commitment) => {
      const found = await development.findLeaf(tree, commitment);
      if (found === undefined) return undefined;
      const { path: _, ...proof } = await inclusionAt(tree, commitment, found);
      return proof;
    },
  };
}

function rootRow(tree: DevelopmentTree, root: Uint8Array, receivedAt: number): RootRow {
  return {
    environment: 'staging',
    tree,
    root,
    receivedAt,
    supersededAt: null,
    source: SOURCE,
    keyId: DEVELOPMENT_KEY,
  };
}

function siblingPosition(index: number, level: number): TreePosition {
  const own = Math.floor(index / 2 ** level);
  return { level, index: own % 2 === 0 ? own + 1 : own - 1 };
}

/** Refuses 0, the empty leaf, and numbers of r or more, which would be a second encoding of a commitment. */
function checkCommitment(commitment: Uint8Array): Uint8Array {
  const isWord = commitment.length === 32 && isBelowScalarOrder(commitment);
  if (!isWord || commitment.every((byte) => byte === 0)) {
    throw new ServiceError(
      'development.invalid_commitment',
      'commitment: expected 32 bytes of a number above 0 and below the scalar order r',
      { path: 'commitment' },
    );
  }
  return commitment;
}
