import type { Environment, Tree } from '../../storage/values.ts';

/** An `identifier` of a response item: the kind of credential that a 3.0 proof is for. */
export type Identifier = 'orb' | 'secure_document' | 'document' | 'device' | 'face' | 'selfie';

/** The Merkle tree that holds the credentials of an identifier. */
export const TREE_OF: Readonly<Record<Identifier, Tree>> = {
  orb: 'orb',
  secure_document: 'secure_document',
  document: 'document',
  device: 'device',
  face: 'face',
  selfie: 'face',
};

/** All identifiers, in the order of the messages that list them. */
export const IDENTIFIERS = Object.keys(TREE_OF) as readonly Identifier[];

/** The environments of a request, in the order of the messages that list them. */
export const ENVIRONMENTS: readonly Environment[] = ['production', 'staging'];

/** The tree of World ID 4.0, which no identifier of 3.0 uses. */
export const ACCOUNT_TREE: Tree = 'account';

/** All trees, each once. */
export const TREES: readonly Tree[] = [...new Set<Tree>(Object.values(TREE_OF)), ACCOUNT_TREE];

/** Whether a text names a tree. */
export function isTree(text: unknown): text is Tree {
  return TREES.some((tree) => tree === text);
}

/** Whether a text names an environment. */
export function isEnvironment(text: unknown): text is Environment {
  return ENVIRONMENTS.some((environment) => environment === text);
}
