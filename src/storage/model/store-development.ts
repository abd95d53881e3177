import type { DevelopmentTree } from '../../pages.ts';
import type { RootRow } from './store-roots.ts';
import type { Bytes32 } from './values.ts';

/** Position of a node: level 0 holds the leaves, the last level the root. */
export interface TreePosition {
  readonly level: number;
  readonly index: number;
}

/** A node of a development tree; an absent node is the empty node of its level. */
export interface TreeNode extends TreePosition {
  readonly hash: Bytes32;
}

/** A person of the development profile with secrets: anyone who reads the store can prove as this person. */
export interface PersonRow {
  readonly personId: string;
  readonly trapdoor: Bytes32;
  readonly nullifier: Bytes32;
  readonly commitment: Bytes32;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/**
 * Trees and persons of the development profile (spec/verification.md#development-trees). Empty in production.
 */
export interface DevelopmentStore {
  /** Returns the number of leaves, which is the index of the next one. */
  leafCount(tree: DevelopmentTree): Promise<number>;
  findLeaf(tree: DevelopmentTree, commitment: Bytes32): Promise<number | undefined>;
  /** Returns the nodes that exist at these positions. */
  nodes(tree: DevelopmentTree, positions: readonly TreePosition[]): Promise<TreeNode[]>;
  /**
   * Appends a leaf with the nodes of its path and makes the root current in the registry, all in one transaction.
   *
   * @param path - The nodes from the leaf to the root.
   * @returns False if the index or the commitment has been taken meanwhile; nothing is then written.
   */
  append(tree: DevelopmentTree, path: readonly TreeNode[], root: RootRow): Promise<boolean>;
  /** Adds a person; a stored person with this commitment stays unchanged. */
  putPerson(person: PersonRow): Promise<void>;
  findPerson(personId: string): Promise<PersonRow | undefined>;
  /** Lists persons, the latest first. */
  listPersons(): Promise<PersonRow[]>;
}
