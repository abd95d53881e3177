/** Maximum depth of the tree of a verifying key. */
export const MAX_TREE_DEPTH = 64;

const WORD_BYTES = 32;

/** Hashes consecutive pairs of elements, each with circomlib's Poseidon. */
export type HashPairs = (pairs: Uint8Array) => Uint8Array;

/**
 * Trees with one leaf, at index 0, and otherwise empty (spec/credential.md#authentication-proof). Field elements are 32
 * bytes, big-endian.
 */
export class OneLeafTree {
  /** Root of the empty tree by depth, computed on demand; the empty leaf is 0. */
  readonly #empty: Uint8Array[] = [new Uint8Array(WORD_BYTES)];

  /**
   * Computes the root of the tree of this depth for each of the leaves.
   *
   * @param leaves - k × 32 bytes, like the roots.
   * @param hashPairs - Its errors propagate.
   */
  roots(leaves: Uint8Array, depth: number, hashPairs: HashPairs): Uint8Array {
    let nodes = leaves;
    for (let level = 0; level < depth; level++) {
      const pairs = new Uint8Array(2 * nodes.length);
      const empty = this.#emptyNode(level, hashPairs);
      for (let at = 0; at < nodes.length; at += WORD_BYTES) {
        pairs.set(nodes.subarray(at, at + WORD_BYTES), 2 * at);
        pairs.set(empty, 2 * at + WORD_BYTES);
      }
      nodes = hashPairs(pairs);
    }
    return nodes;
  }

  #emptyNode(level: number, hashPairs: HashPairs): Uint8Array {
    const known = this.#empty[level];
    if (known !== undefined) return known;
    const below = this.#emptyNode(level - 1, hashPairs);
    const pair = new Uint8Array(2 * WORD_BYTES);
    pair.set(below);
    pair.set(below, WORD_BYTES);
    const node = hashPairs(pair);
    this.#empty[level] = node;
    return node;
  }
}
