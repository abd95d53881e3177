/** Deepest tree that a verifying key may be for. */
export const MAX_TREE_DEPTH = 64;

const WORD_BYTES = 32;

/** Trees that hold one leaf at index 0 and are empty otherwise (credential.md section 11). Field elements are 32 bytes. */
export class OneLeafTree {
  /** The root of the empty tree of each depth that was met; the empty leaf is 0. */
  readonly #empty: Uint8Array[] = [new Uint8Array(WORD_BYTES)];

  /**
   * The root of the tree of this depth with this leaf.
   *
   * @param poseidon - circomlib's Poseidon of two elements side by side; what it throws passes through.
   */
  root(leaf: Uint8Array, depth: number, poseidon: (inputs: Uint8Array) => Uint8Array): Uint8Array {
    const inputs = new Uint8Array(2 * WORD_BYTES);
    const hash = (left: Uint8Array, right: Uint8Array): Uint8Array => {
      inputs.set(left);
      inputs.set(right, WORD_BYTES);
      return poseidon(inputs);
    };
    let node = leaf;
    for (let level = 0; level < depth; level++) node = hash(node, this.#emptyNode(level, hash));
    return node;
  }

  #emptyNode(level: number, hash: (left: Uint8Array, right: Uint8Array) => Uint8Array): Uint8Array {
    const known = this.#empty[level];
    if (known !== undefined) return known;
    const below = this.#emptyNode(level - 1, hash);
    const node = hash(below, below);
    this.#empty[level] = node;
    return node;
  }
}
