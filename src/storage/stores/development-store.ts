import { ServiceError } from '../../errors/index.ts';
import type { Driver } from '../drivers/driver.ts';
import type { DevelopmentStore } from '../model/store-development.ts';
import {
  allPersons,
  insertLeaf,
  insertPerson,
  lastLeaf,
  leafByHash,
  nodesAt,
  personById,
  putNodes,
  toLeafIndex,
  toPersonRow,
  toTreeNode,
} from '../statements/development.ts';
import { putRoot } from '../statements/roots.ts';
import { allOrNothing } from './guarded.ts';

/** Creates the store of the development profile's trees and persons over a driver. */
export function createDevelopmentStore(driver: Driver): DevelopmentStore {
  return {
    leafCount: async (tree) => {
      const [row] = await driver.read(lastLeaf(tree));
      return (toLeafIndex(row) ?? -1) + 1;
    },
    findLeaf: async (tree, commitment) => {
      const [row] = await driver.read(leafByHash(tree, commitment));
      return toLeafIndex(row);
    },
    nodes: async (tree, positions) =>
      positions.length === 0 ? [] : (await driver.read(nodesAt(tree, positions))).map(toTreeNode),
    append: async (tree, [leaf, ...above], root) => {
      if (leaf === undefined) throw new ServiceError('store.invalid_value', 'a path begins with its leaf');
      const guard = { ...insertLeaf(tree, leaf), isGuard: true };
      const statements = [guard, ...putNodes(tree, above), ...putRoot(root)];
      return await allOrNothing(driver, statements);
    },
    putPerson: async (person) => {
      await driver.write([insertPerson(person)]);
    },
    findPerson: async (personId) => {
      const [row] = await driver.read(personById(personId));
      return row === undefined ? undefined : toPersonRow(row);
    },
    listPersons: async () => (await driver.read(allPersons())).map(toPersonRow),
  };
}
