import { type Poseidon, pair } from './hashes.ts';

/** Depth of the identity trees. */
export const TREE_DEPTH = 30;

/** Merkle path of a leaf. */
export interface InclusionProof {
  readonly root: Uint8Array;
  /** Position of the leaf, 0 for the first. */
  readonly index: number;
  /** One node per level, from the sibling of the leaf up. */
  readonly siblings: readonly Uint8Array[];
  /** One bit per level: 0 if the node of the path is the left child. Bit i is bit i of `index`. */
  readonly pathIndices: readonly (0 | 1)[];
}

/** Returns the roots of empty trees of depth 0 to `depth`; the empty leaf is 0. */
export async function emptyNodes(poseidon: Poseidon, depth: number = TREE_DEPTH): Promise<Uint8Array[]> {
  const nodes: Uint8Array[] = [new Uint8Array(32)];
  for (let level = 0; level < depth; level++) {
    const node = nodes[level] as Uint8Array;
    nodes.push(await poseidon(pair(node, node)));
  }
  return nodes;
}

/**
 * Returns the nodes from a leaf to the root: the leaf first, the root last.
 *
 * @param siblings - One node per level, from the sibling of the leaf up.
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

/** Returns which child the path to a leaf takes at a level: 0 left, 1 right. */
export function pathBit(index: number, level: number): 0 | 1 {
  return Math.floor(index / 2 ** level) % 2 === 1 ? 1 : 0;
}

/**
 * Returns the inclusion proof of the only leaf of a tree, at index 0, against which an authentication proof is made
 * (spec/credential.md#authentication-proof).
 */
export async function oneLeafProof(leaf: Uint8Array, poseidon: Poseidon): Promise<InclusionProof> {
  const siblings = (await emptyNodes(poseidon)).slice(0, TREE_DEPTH);
  const root = (await pathNodes(leaf, 0, siblings, poseidon)).at(-1) as Uint8Array;
  return { root, index: 0, siblings, pathIndices: siblings.map(() => 0) };
}
