import type { Driver } from '../drivers/driver.ts';
import type { NodeStore } from '../model/store.ts';
import { allNodes, deleteNode, putNode, toNodeRow } from '../statements/nodes.ts';

/** Creates the store of nodes over a driver. */
export function createNodeStore(driver: Driver): NodeStore {
  return {
    report: async (node) => {
      await driver.write(putNode(node));
    },
    list: async () => (await driver.read(allNodes())).map(toNodeRow),
    remove: async (nodeId) => {
      await driver.write(deleteNode(nodeId));
    },
    time: () => driver.time(),
  };
}
