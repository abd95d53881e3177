import { setImmediate as nextTurn } from 'node:timers/promises';
import { isoTime } from '../../text.ts';
import type { AuditedChange, AuditWriter } from '../audit/audit-log.ts';
import { auditAll, hexText } from '../audit/audit-writer.ts';
import { countRemoved, removeInBatches } from '../batches.ts';
import type { Driver } from '../drivers/driver.ts';
import type { RootRow, RootStore } from '../model/store-roots.ts';
import { currentRoots, pruneRoots, putRoot, rootByKey, rootsPage, toRootRow } from '../statements/roots.ts';
import type { Environment, Tree } from '../values.ts';
import { ENVIRONMENTS, TREES } from '../values.ts';

/** Rows of one page of a list: reading a page takes well under a millisecond. */
const PAGE_ROWS = 100;
const PRUNE_BATCH_ROWS = 1000;

/** Creates the root registry over a driver. */
export function createRootStore(driver: Driver, audit: AuditWriter): RootStore {
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
    page: async (environment, tree, limit, after, order) =>
      (await driver.read(rootsPage(environment, tree, after, limit, order))).map(toRootRow),
    listCurrent: async () => (await driver.read(currentRoots())).map(toRootRow),
    put: async (rows) => {
      if (rows.length > 0) await auditAll(audit, rows.flatMap(putRoot), putChange(rows));
    },
    prune: async (time) => {
      const after = { received_before_ms: time };
      let isRecorded = false;
      return await removeInBatches(async (limit) => {
        const statement = pruneRoots(time, limit);
        if (isRecorded) return await countRemoved(driver, statement);
        isRecorded = true;
        const [rows = []] = await auditAll(audit, [statement], {
          ...{ action: 'roots.pruned', target: 'roots' },
          after,
        });
        return rows.length;
      }, PRUNE_BATCH_ROWS);
    },
  };
}

function putChange(rows: readonly RootRow[]): AuditedChange {
  const trees = [...new Set(rows.map(({ environment, tree }) => `${environment}/${tree}`))];
  const [row] = rows;
  const after =
    rows.length === 1 && row !== undefined
      ? {
          root: hexText(row.root),
          received_at: isoTime(row.receivedAt),
          source: row.source,
          key_id: row.keyId,
        }
      : { count: rows.length, trees };
  return { action: 'roots.added', target: trees.length === 1 ? (trees[0] ?? 'roots') : 'roots', after };
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
