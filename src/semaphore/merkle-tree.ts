import { type Poseidon, pair } from './hashes.ts';

/** Depth of the trees of people. */
export const TREE_DEPTH = 30;

/** Where a leaf stands in its tree. */
export interface InclusionProof {
  readonly root: Uint8Array;
  /** Position of the leaf, 0 for the first. */
  readonly index: number;
  /** One node a level, from the leaf's neighbour up. */
  readonly siblings: readonly Uint8Array[];
  /** One bit a level: 0 when the node of the path is the left child. Bit i is bit i of `index`. */
  readonly pathIndices: readonly (0 | 1)[];
}

/** The roots of empty trees of depth 0 to `depth`; the empty leaf is 0. */
export async function emptyNodes(poseidon: Poseidon, depth: number = TREE_DEPTH): Promise<Uint8Array[]> {
  const nodes: Uint8Array[] = [new Uint8Array(32)];
  for (let level = 0; level < depth; level++) {
    const node = nodes[level] as Uint8Array;
    nodes.push(await poseidon(pair(node, node)));
  }
  return nodes;
}

/**
 * The nodes from a leaf to the root: the leaf first, the root last.
 *
 * @param siblings - One node a level, from the leaf's neighbour up.
 */
export async function pathNodes(
  leaf: Uint8Array,
  index: number,
  siblings: readonly Uint8Array[],
  poseidon: Poseidon,
): Promise<Uint8Array[]> {
  const nodes = [leaf];
  for (const [level, sibling] of siblings.entries()) {
    const node = nodes[level] as Uint8Array;
    const isRight = pathBit(index, level) === 1;
    nodes.push(await poseidon(isRight ? pair(sibling, node) : pair(node, sibling)));
  }
  return nodes;
}

/** Which child the path to a leaf takes at a level: 0 left, 1 right. */
export function pathBit(index: number, level: number): 0 | 1 {
  return Math.floor(index / 2 ** level) % 2 === 1 ? 1 : 0;
}

/**
 * The inclusion proof of the only leaf of a tree, at index 0: what an authentication proof is made against
 * (spec/credential.md#authentication-proof).
 */
export async function oneLeafProof(leaf: Uint8Array, poseidon: Poseidon): Promise<InclusionProof> {
  const siblings = (await emptyNodes(poseidon)).slice(0, TREE_DEPTH);
  const root = (await pathNodes(leaf, 0, siblings, poseidon)).at(-1) as Uint8Array;
  return { root, index: 0, siblings, pathIndices: siblings.map(() => 0) };
}
