import { ServiceError } from '../errors/service-error.ts';
import type { DevelopmentTree } from '../pages.ts';
import { bytes, columns, integer, named, optional, type RowOf, selected, text } from './columns.ts';
import type { Driver, SqlValue } from './drivers/driver.ts';
import { putRoot, type RootRow } from './roots.ts';
import { guard, list, point, pointByLength, rowsTemplate, write } from './sql.ts';
import { allOrNothing } from './transaction.ts';
import type { Bytes32 } from './values.ts';

/** Position of a node: level 0 contains the leaves, the last level the root. */
export interface TreePosition {
  readonly level: number;
  readonly index: number;
}

const NODE = columns({ level: integer, index: named('idx', integer), hash: bytes });
/** A node of a development tree; an absent node is the empty node of its level. */
export type TreeNode = RowOf<typeof NODE>;

const PERSON = columns({
  personId: text,
  trapdoor: bytes,
  nullifier: bytes,
  commitment: bytes,
  createdAt: integer,
});
/**
 * A person of the development profile with secrets: anyone who reads the store can prove as this person. Times are
 * milliseconds since the epoch.
 */
export type PersonRow = RowOf<typeof PERSON>;

const LAST_LEAF = columns({ index: selected('max(idx)', optional(integer)) });
const LEAF = columns({ index: NODE.members.index });

const lastLeaf = point(
  LAST_LEAF,
  `select ${LAST_LEAF.list()} from development_nodes where tree = $1 and level = 0`,
);
const leafByHash = point(
  LEAF,
  `select ${LEAF.list()} from development_nodes where tree = $1 and level = 0 and hash = $2`,
);
/** Every term names the tree, so that each is one lookup in the primary key. */
const nodesAt = pointByLength(NODE, (length) => {
  const terms = Array.from(
    { length },
    (_, index) => `(tree = $1 and level = $${2 * index + 2} and idx = $${2 * index + 3})`,
  );
  return `select ${NODE.list()} from development_nodes where ${terms.join(' or ')}`;
});
/** Fails if the index or the hash is taken. */
const insertLeaf = guard(
  'insert into development_nodes (tree, level, idx, hash) values ($1,0,$2,$3) on conflict do nothing returning idx',
);
const putNodes = rowsTemplate(
  4,
  (list) =>
    `insert into development_nodes (tree, level, idx, hash) values ${list} on conflict (tree, level, idx) do update set hash = excluded.hash`,
);
const insertPerson = write(
  `insert into development_persons (${PERSON.list()}) values (${PERSON.slots()}) on conflict (person_id) do nothing`,
);
const personById = point(PERSON, `select ${PERSON.list()} from development_persons where person_id = $1`);
const allPersons = list(
  PERSON,
  `select ${PERSON.list()} from development_persons order by created_at desc, person_id`,
);

/** Trees and persons of the development profile (spec/verification.md#development-trees). Empty in production. */
export type DevelopmentStore = ReturnType<typeof createDevelopmentStore>;

/** Creates the store of the development profile's trees and persons over a driver. */
export function createDevelopmentStore(driver: Driver) {
  return {
    /** Returns the number of leaves, which is the index of the next one. */
    async leafCount(tree: DevelopmentTree): Promise<number> {
      const [row] = await driver.read(lastLeaf(tree));
      return (row?.index ?? -1) + 1;
    },
    findLeaf: async (tree: DevelopmentTree, commitment: Bytes32): Promise<number | undefined> =>
      (await driver.read(leafByHash(tree, commitment)))[0]?.index,
    /** Returns the nodes that exist at these positions, from one snapshot. */
    async nodes(tree: DevelopmentTree, positions: readonly TreePosition[]): Promise<TreeNode[]> {
      if (positions.length === 0) return [];
      const places = positions.flatMap(({ level, index }): SqlValue[] => [level, index]);
      return driver.read(nodesAt(positions.length)(tree, ...places));
    },
    /**
     * Appends a leaf with the nodes of its path and makes the root current in the registry, all in one transaction.
     *
     * @param path - The nodes from the leaf to the root.
     * @returns False, with nothing written, if the index or the commitment is already taken.
     */
    async append(
      tree: DevelopmentTree,
      [leaf, ...above]: readonly TreeNode[],
      root: RootRow,
    ): Promise<boolean> {
      if (leaf === undefined) throw new ServiceError('store.invalid_value', 'a path begins with its leaf');
      const nodes = putNodes(above.map((node) => [tree, ...NODE.values(node)]));
      return await allOrNothing(driver, [
        insertLeaf(tree, leaf.index, leaf.hash),
        ...nodes,
        ...putRoot(root),
      ]);
    },
    /** Adds a person; a stored person with this commitment is unchanged. */
    async putPerson(person: PersonRow): Promise<void> {
      await driver.write([insertPerson(...PERSON.values(person))]);
    },
    findPerson: async (personId: string): Promise<PersonRow | undefined> =>
      (await driver.read(personById(personId)))[0],
    /** Lists persons, the latest first. */
    listPersons: (): Promise<PersonRow[]> => driver.scan(allPersons()),
  };
}
