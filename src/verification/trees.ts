import type { Environment, Tree } from '../storage/index.ts';

/** Kinds of credential a 3.0 proof can be for, each with the Merkle tree that holds it. */
export const TREE_OF = {
  orb: 'orb',
  secure_document: 'secure_document',
  document: 'document',
  device: 'device',
  face: 'face',
  selfie: 'face',
} as const satisfies Record<string, Tree>;

/** An `identifier` of a response item. */
export type Identifier = keyof typeof TREE_OF;

/** All identifiers, in the order of the messages that list them. */
export const IDENTIFIERS = Object.keys(TREE_OF) as readonly Identifier[];

/** The environments of a request, in the order of the messages that list them. */
export const ENVIRONMENTS = ['production', 'staging'] as const satisfies readonly Environment[];

/** All trees, each once. */
export const TREES: readonly Tree[] = [...new Set<Tree>(Object.values(TREE_OF))];

/** Whether a text names a tree. */
export function isTree(text: unknown): text is Tree {
  return TREES.some((tree) => tree === text);
}

/** Whether a text names an environment. */
export function isEnvironment(text: unknown): text is Environment {
  return ENVIRONMENTS.some((environment) => environment === text);
}
