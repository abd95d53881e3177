import type { SqlRow, Statement } from '../drivers/driver.ts';
import type { NodeRow, NodeState } from '../model/store.ts';
import { integerColumn, textColumn } from './columns.ts';

/** A node that has not reported for so long is gone. */
export const LIVE_NODE_MS = 30_000;
/** How long the row of a node that died stays for operators. */
const KEPT_MS = 86_400_000;

/** Writes the rows of a node. */
export function putNode({ nodeId, version, keyIds, startedAt, seenAt, state }: NodeRow): Statement[] {
  const expiresAt = seenAt + KEPT_MS;
  const node = {
    sql: 'insert into nodes (node_id, version, key_ids, started_at, seen_at, expires_at) values ($1,$2,$3,$4,$5,$6) on conflict (node_id) do update set seen_at = excluded.seen_at, expires_at = excluded.expires_at',
    params: [nodeId, version, keyIds.join(' '), startedAt, seenAt, expiresAt],
  };
  if (state === null) return [node];
  const { workers, readyWorkers, backend, isReady } = state;
  return [
    node,
    {
      sql: 'insert into node_states (node_id, workers, ready_workers, backend, is_ready, expires_at) values ($1,$2,$3,$4,$5,$6) on conflict (node_id) do update set workers = excluded.workers, ready_workers = excluded.ready_workers, backend = excluded.backend, is_ready = excluded.is_ready, expires_at = excluded.expires_at',
      params: [nodeId, workers, readyWorkers, backend, isReady ? 1 : 0, expiresAt],
    },
  ];
}

/** Selects all nodes, the latest started first. */
export function allNodes(): Statement {
  return {
    sql: 'select n.node_id, n.version, n.key_ids, n.started_at, n.seen_at, s.workers, s.ready_workers, s.backend, s.is_ready from nodes n left join node_states s on s.node_id = n.node_id order by n.started_at desc, n.node_id',
    params: [],
  };
}

/** Removes the rows of a node that stops. */
export function deleteNode(nodeId: string): Statement[] {
  return ['nodes', 'node_states'].map((table) => ({
    sql: `delete from ${table} where node_id = $1`,
    params: [nodeId],
  }));
}

/** Parses a row of `allNodes`. */
export function toNodeRow(row: SqlRow): NodeRow {
  return {
    nodeId: textColumn(row[0]),
    version: textColumn(row[1]),
    keyIds: textColumn(row[2]).split(' '),
    startedAt: integerColumn(row[3]),
    seenAt: integerColumn(row[4]),
    state: row[5] === null ? null : toNodeState(row),
  };
}

function toNodeState(row: SqlRow): NodeState {
  return {
    workers: integerColumn(row[5]),
    readyWorkers: integerColumn(row[6]),
    backend: textColumn(row[7]),
    isReady: integerColumn(row[8]) === 1,
  };
}
