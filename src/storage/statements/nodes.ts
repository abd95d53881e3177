import type { SqlRow, Statement } from '../drivers/driver.ts';
import type { NodeRow } from '../model/store.ts';
import { integerColumn, textColumn } from './columns.ts';

/** A node that has not reported for so long is gone. */
export const LIVE_NODE_MS = 30_000;
/** How long the row of a node that died stays for operators. */
const KEPT_MS = 86_400_000;

/** Writes the row of a node. */
export function putNode({ nodeId, version, keyIds, startedAt, seenAt }: NodeRow): Statement {
  return {
    sql: 'insert into nodes (node_id, version, key_ids, started_at, seen_at, expires_at) values ($1,$2,$3,$4,$5,$6) on conflict (node_id) do update set seen_at = excluded.seen_at, expires_at = excluded.expires_at',
    params: [nodeId, version, keyIds.join(' '), startedAt, seenAt, seenAt + KEPT_MS],
  };
}

/** Selects all nodes, the latest started first. */
export function allNodes(): Statement {
  return {
    sql: 'select node_id, version, key_ids, started_at, seen_at from nodes order by started_at desc, node_id',
    params: [],
  };
}

/** Removes the row of a node that stops. */
export function deleteNode(nodeId: string): Statement {
  return { sql: 'delete from nodes where node_id = $1', params: [nodeId] };
}

/** Parses a row of `allNodes`. */
export function toNodeRow(row: SqlRow): NodeRow {
  return {
    nodeId: textColumn(row[0]),
    version: textColumn(row[1]),
    keyIds: textColumn(row[2]).split(' '),
    startedAt: integerColumn(row[3]),
    seenAt: integerColumn(row[4]),
  };
}
