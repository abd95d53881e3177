import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Driver } from '../drivers/driver.ts';
import type { RootRow, RootStore } from '../model/store.ts';
import type { Environment, Tree } from '../model/values.ts';
import {
  currentRoots,
  ENVIRONMENTS,
  pruneRoots,
  putRoot,
  rootByKey,
  rootsPage,
  TREES,
  toRootRow,
} from '../statements/roots.ts';
import { countRemoved, removeInBatches } from './batches.ts';

/** Rows of one page of a list: reading a page takes well under a millisecond. */
const PAGE_ROWS = 100;
const PRUNE_BATCH_ROWS = 1000;

/** Creates the root registry over a driver. */
export function createRootStore(driver: Driver): RootStore {
  return {
    find: async (environment, tree, root) => {
      const [row] = await driver.read(rootByKey(environment, tree, root));
      return row === undefined ? undefined : toRootRow(row);
    },
    list: async (filter = {}) => {
      const rows: RootRow[] = [];
      for (const environment of ENVIRONMENTS) {
        if (filter.environment !== undefined && filter.environment !== environment) continue;
        for (const tree of TREES) {
          if (filter.tree !== undefined && filter.tree !== tree) continue;
          for await (const page of pages(driver, environment, tree)) rows.push(...page);
        }
      }
      return rows;
    },
    listCurrent: async () => (await driver.read(currentRoots())).map(toRootRow),
    put: async (rows) => {
      if (rows.length > 0) await driver.write(rows.flatMap(putRoot));
    },
    prune: (time) =>
      removeInBatches((limit) => countRemoved(driver, pruneRoots(time, limit)), PRUNE_BATCH_ROWS),
  };
}

/** Reads the rows of a tree page by page, the oldest first; lets other work run between pages. */
async function* pages(driver: Driver, environment: Environment, tree: Tree): AsyncGenerator<RootRow[]> {
  let last: RootRow | undefined;
  for (;;) {
    const page = (await driver.read(rootsPage(environment, tree, last, PAGE_ROWS))).map(toRootRow);
    yield page;
    if (page.length < PAGE_ROWS) return;
    last = page.at(-1);
    await nextTurn();
  }
}
