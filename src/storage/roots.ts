import { setImmediate as nextTurn } from 'node:timers/promises';
import { isoTime } from '../text.ts';
import type { AuditedChange, AuditWriter } from './audit/audit-log.ts';
import { auditAll, hexText } from './audit/audit-writer.ts';
import { countRemoved, removeInBatches } from './batches.ts';
import { bytes, columns, integer, NO_COLUMNS, optional, type RowOf, text, word } from './columns.ts';
import type { Driver, Statement } from './drivers/driver.ts';
import { eachOf, point, returning, write } from './sql.ts';
import { type Bytes32, ENVIRONMENTS, type Environment, TREES, type Tree } from './values.ts';

/** Rows of one page of a list: reading a page takes well under a millisecond. */
const PAGE_ROWS = 100;
const PRUNE_BATCH_ROWS = 1000;

const ROOT = columns({
  environment: word(ENVIRONMENTS),
  tree: word(TREES),
  root: bytes,
  receivedAt: integer,
  supersededAt: optional(integer),
  source: text,
  /** Verifying key of this root, or null for the key of the tree. */
  keyId: optional(text),
});
/** A root of a tree. Times are milliseconds since the epoch; `supersededAt` null means current. */
export type RootRow = RowOf<typeof ROOT>;

/** Place of a root in the list of its tree. */
export type RootPlace = Pick<RootRow, 'receivedAt' | 'root'>;

const ORDERS = ['oldest', 'newest'] as const;
/** Roots of a tree that come first in a list, by the time at which they were received. */
export type RootOrder = (typeof ORDERS)[number];

const rootByKey = point(
  ROOT,
  `select ${ROOT.list()} from roots where environment = $1 and tree = $2 and root = $3`,
);
/** One row for each tree of an environment, at most. */
const currentRoots = point(
  ROOT,
  `select ${ROOT.list()} from roots where superseded_at is null order by environment, tree`,
);

const pageText = (order: RootOrder, isFirst: boolean): string => {
  const [compare, direction] = order === 'oldest' ? ['>', 'asc'] : ['<', 'desc'];
  const place = isFirst ? '' : `and (received_at, root) ${compare} ($4, $5) `;
  return `select ${ROOT.list()} from roots where environment = $1 and tree = $2 ${place}order by received_at ${direction}, root ${direction} limit $3`;
};
/** Selects the first page of a tree's roots by (received_at, root), and the page after a row. */
const firstPage = eachOf(ORDERS, (order) => point(ROOT, pageText(order, true)));
const nextPage = eachOf(ORDERS, (order) => point(ROOT, pageText(order, false)));

const UPSERT = `on conflict (environment, tree, root) do update set ${ROOT.excluded('environment', 'tree', 'root')}`;
const putPastRoot = write(`insert into roots (${ROOT.list()}) values (${ROOT.slots()}) ${UPSERT}`);
const supersedeOlder = write(
  'update roots set superseded_at = $4 where environment = $1 and tree = $2 and root <> $3 and superseded_at is null and received_at <= $4',
);
const putNewRoot = write(
  `insert into roots (${ROOT.list()}) values ($1,$2,$3,$4,(select received_at from roots where environment = $1 and tree = $2 and root <> $3 and superseded_at is null),$5,$6) ${UPSERT}`,
);
const pruneRoots = returning(
  NO_COLUMNS,
  'delete from roots where (environment, tree, root) in (select environment, tree, root from roots where superseded_at is not null and received_at < $1 limit $2) returning 1',
);

/**
 * Returns the statements that add or overwrite a root. One without a time of supersession becomes current and supersedes
 * the former root at its own time of receipt, because the index of current roots allows only one; but if the current
 * root was received later, it enters as a root that this one superseded.
 */
export function putRoot(row: RootRow): Statement[] {
  if (row.supersededAt !== null) return [putPastRoot(...ROOT.values(row))];
  const values = [row.environment, row.tree, row.root, row.receivedAt] as const;
  return [supersedeOlder(...values), putNewRoot(...values, row.source, row.keyId)];
}

/** The root registry (spec/verification.md#roots). */
export type RootStore = ReturnType<typeof createRootStore>;

/** Creates the root registry over a driver. */
export function createRootStore(driver: Driver, audit: AuditWriter) {
  return {
    async find(environment: Environment, tree: Tree, root: Bytes32): Promise<RootRow | undefined> {
      return (await driver.read(rootByKey(environment, tree, root)))[0];
    },
    /** Lists all rows, ordered by environment, tree, received_at. */
    async list(
      filter: { readonly environment?: Environment; readonly tree?: Tree } = {},
    ): Promise<RootRow[]> {
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
    /**
     * Lists one page of the roots of a tree.
     *
     * @param after - Only roots after this one, in the order of the list.
     * @param order - Which roots come first; the oldest if absent.
     */
    page: (
      environment: Environment,
      tree: Tree,
      limit: number,
      after?: RootPlace,
      order?: RootOrder,
    ): Promise<RootRow[]> => readPage(driver, environment, tree, limit, after, order),
    /** Lists the current root of each tree that has one. */
    listCurrent: (): Promise<RootRow[]> => driver.read(currentRoots()),
    /**
     * Adds or updates roots in one transaction, in order. A row without `supersededAt` becomes the current one of its
     * (environment, tree) and supersedes the former at its own `receivedAt`, unless that one was received later: then it
     * becomes a past root that was superseded when the current one was received.
     */
    async put(rows: readonly RootRow[]): Promise<void> {
      if (rows.length > 0) await auditAll(audit, rows.flatMap(putRoot), putChange(rows));
    },
    /** Removes superseded roots received before `time` (milliseconds since the epoch); returns their number. */
    async prune(time: number): Promise<number> {
      const change = { action: 'roots.pruned', target: 'roots', after: { received_before_ms: time } };
      let isRecorded = false;
      return await removeInBatches(async (limit) => {
        const statement = pruneRoots(time, limit);
        if (isRecorded) return await countRemoved(driver, statement);
        isRecorded = true;
        const [rows = []] = await auditAll(audit, [statement], change);
        return rows.length;
      }, PRUNE_BATCH_ROWS);
    },
  };
}

function readPage(
  driver: Driver,
  environment: Environment,
  tree: Tree,
  limit: number,
  after: RootPlace | undefined,
  order: RootOrder = 'oldest',
): Promise<RootRow[]> {
  return driver.read(
    after === undefined
      ? firstPage[order](environment, tree, limit)
      : nextPage[order](environment, tree, limit, after.receivedAt, after.root),
  );
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
    const page = await readPage(driver, environment, tree, PAGE_ROWS, last);
    yield page;
    if (page.length < PAGE_ROWS) return;
    last = page.at(-1);
    await nextTurn();
  }
}
