import { ServiceError } from '../errors/index.ts';
import type { DevelopmentTree } from '../pages.ts';
import {
  emptyNodes,
  type InclusionProof,
  isBelowScalarOrder,
  type Poseidon,
  pathBit,
  pathNodes,
  TREE_DEPTH,
} from '../semaphore/index.ts';
import type { RootRow, Store, TreePosition } from '../storage/index.ts';

/** Verifying key of the proofs that are made against these trees. */
export const DEVELOPMENT_KEY = 'dev-depth30';
/** Where these roots come from, as the registry notes it. */
const SOURCE = 'development';
const MAX_LEAVES = 2 ** TREE_DEPTH;

/** Where a commitment stands. */
export interface EnrolledLeaf {
  readonly tree: DevelopmentTree;
  /** Position among the leaves, 0 for the first. */
  readonly index: number;
  /** Root of the tree as it is now, 32 bytes. */
  readonly root: Uint8Array;
}

/**
 * The trees of the environment `staging` that the development profile keeps itself
 * (spec/verification.md#development-trees).
 */
export interface DevelopmentTrees {
  /**
   * Appends a commitment and makes the new root current in the registry, in one transaction; one that is in the tree
   * already stays where it is; the tree's root becomes current again where an operator's had taken its place.
   *
   * @param commitment - 32 bytes, big-endian.
   * @throws ServiceError `development.invalid_commitment`, `development.tree_full`, `store.unreachable`
   */
  enroll(tree: DevelopmentTree, commitment: Uint8Array): Promise<EnrolledLeaf>;
  /** What a prover needs to know of the tree; undefined when the commitment is not in it. */
  inclusionProof(tree: DevelopmentTree, commitment: Uint8Array): Promise<InclusionProof | undefined>;
}

/** What the trees are made of. */
export interface DevelopmentTreesParts {
  readonly store: Pick<Store, 'development' | 'roots'>;
  /** `engine.poseidon`, for example. */
  readonly poseidon: Poseidon;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The trees over a store; several processes may do so at once. */
export function createDevelopmentTrees({ store, poseidon, now }: DevelopmentTreesParts): DevelopmentTrees {
  const { development } = store;
  let empty: Promise<Uint8Array[]> | undefined;
  /** Enrolments of this process one after another, so that they do not race for one index again and again. */
  let last: Promise<unknown> = Promise.resolve();

  /** The neighbours of a leaf's path, as of one moment. */
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
        // a newer root of this tree is another process's, and is to stay
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
      // false: another process was faster, so what was read of the tree is old
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

/** 0 is the empty leaf, and a number of r or more would be a second spelling of a commitment. */
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
