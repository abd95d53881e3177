/** A tree of people, as the development profile has them. */
export type Tree = 'orb' | 'device';

/** Every tree, the one that says most about a person first. */
export const TREES: readonly Tree[] = ['orb', 'device'];

/** What a tree is called on the page. */
export const TREE_NAMES: Readonly<Record<Tree, string>> = { orb: 'Orb', device: 'Device' };
