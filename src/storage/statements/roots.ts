import type { SqlRow, Statement } from '../drivers/driver.ts';
import type { RootOrder, RootPlace, RootRow } from '../model/store-roots.ts';
import { type Bytes32, ENVIRONMENTS, type Environment, TREES, type Tree } from '../values.ts';
import {
  bytesColumn,
  integerColumn,
  optionalIntegerColumn,
  optionalTextColumn,
  textColumn,
  wordColumn,
} from './columns.ts';

const COLUMNS = 'environment, tree, root, received_at, superseded_at, source, key_id';

/** Selects one root. */
export function rootByKey(environment: Environment, tree: Tree, root: Bytes32): Statement {
  return {
    sql: `select ${COLUMNS} from roots where environment = $1 and tree = $2 and root = $3`,
    params: [environment, tree, root],
  };
}

/** Selects the current root of each tree that has one. */
export function currentRoots(): Statement {
  return {
    sql: `select ${COLUMNS} from roots where superseded_at is null order by environment, tree`,
    params: [],
  };
}

/** Selects one page of a tree's roots by (received_at, root), after the given row or from the beginning. */
export function rootsPage(
  environment: Environment,
  tree: Tree,
  after: RootPlace | undefined,
  limit: number,
  order: RootOrder = 'oldest',
): Statement {
  const [compare, direction] = order === 'oldest' ? ['>', 'asc'] : ['<', 'desc'];
  const place = after === undefined ? '' : `and (received_at, root) ${compare} ($4, $5) `;
  return {
    sql: `select ${COLUMNS} from roots where environment = $1 and tree = $2 ${place}order by received_at ${direction}, root ${direction} limit $3`,
    params: [environment, tree, limit, ...(after === undefined ? [] : [after.receivedAt, after.root])],
  };
}

const UPSERT =
  'on conflict (environment, tree, root) do update set received_at = excluded.received_at, superseded_at = excluded.superseded_at, source = excluded.source, key_id = excluded.key_id';

/**
 * Builds the statements that add or overwrite a root. One without a time of supersession becomes current and supersedes
 * the former root at its own time of receipt, because the index of current roots allows only one; but if the current
 * root was received later, it enters as a root that this one superseded.
 */
export function putRoot(row: RootRow): Statement[] {
  const values = [row.environment, row.tree, row.root, row.receivedAt];
  if (row.supersededAt !== null) {
    return [
      {
        sql: `insert into roots (${COLUMNS}) values ($1,$2,$3,$4,$5,$6,$7) ${UPSERT}`,
        params: [...values, row.supersededAt, row.source, row.keyId],
      },
    ];
  }
  return [
    {
      sql: 'update roots set superseded_at = $4 where environment = $1 and tree = $2 and root <> $3 and superseded_at is null and received_at <= $4',
      params: values,
    },
    {
      sql: `insert into roots (${COLUMNS}) values ($1,$2,$3,$4,(select received_at from roots where environment = $1 and tree = $2 and root <> $3 and superseded_at is null),$5,$6) ${UPSERT}`,
      params: [...values, row.source, row.keyId],
    },
  ];
}

/** Removes up to `limit` superseded roots that were received before `time`; returns one row for each. */
export function pruneRoots(time: number, limit: number): Statement {
  return {
    sql: 'delete from roots where (environment, tree, root) in (select environment, tree, root from roots where superseded_at is not null and received_at < $1 limit $2) returning 1',
    params: [time, limit],
  };
}

/** Parses a row of the statements that select roots. */
export function toRootRow(row: SqlRow): RootRow {
  return {
    environment: wordColumn(ENVIRONMENTS, row[0]),
    tree: wordColumn(TREES, row[1]),
    root: bytesColumn(row[2]),
    receivedAt: integerColumn(row[3]),
    supersededAt: optionalIntegerColumn(row[4]),
    source: textColumn(row[5]),
    keyId: optionalTextColumn(row[6]),
  };
}
