import { columns, converted, flag, integer, type RowOf, text } from './columns.ts';
import type { Driver } from './drivers/driver.ts';
import { list, write } from './sql.ts';

/** A node that has not reported for so long is gone. */
export const LIVE_NODE_MS = 30_000;
/** How long the row of a node that died stays for operators. */
const KEPT_MS = 86_400_000;

const STATE = columns({
  workers: integer,
  readyWorkers: integer,
  /** Backend and arithmetic of the engine. */
  backend: text,
  isReady: flag,
});
/** State of a node, as it last reported it. */
export type NodeState = RowOf<typeof STATE>;

const NODE = columns({
  nodeId: text,
  version: text,
  /** Ids of its keys, current and former. */
  keyIds: converted(
    text,
    (list): readonly string[] => list.split(' '),
    (ids) => ids.join(' '),
  ),
  startedAt: integer,
  seenAt: integer,
});
const NODE_WITH_STATE = columns({
  ...NODE.members,
  /** Null for a node of an earlier release. */
  state: STATE.together('s'),
});
/** A process that serves from a store that several share. Times are milliseconds since the epoch. */
export type NodeRow = RowOf<typeof NODE_WITH_STATE>;

const STORED_NODE = columns({ ...NODE.members, expiresAt: integer });
const STORED_STATE = columns({ nodeId: text, ...STATE.members, expiresAt: integer });

const putNode = write(
  `insert into nodes (${STORED_NODE.list()}) values (${STORED_NODE.slots()}) on conflict (node_id) do update set seen_at = excluded.seen_at, expires_at = excluded.expires_at`,
);
const putState = write(
  `insert into node_states (${STORED_STATE.list()}) values (${STORED_STATE.slots()}) on conflict (node_id) do update set ${STORED_STATE.excluded('nodeId')}`,
);
const allNodes = list(
  NODE_WITH_STATE,
  `select ${NODE_WITH_STATE.list('n')} from nodes n left join node_states s on s.node_id = n.node_id order by n.started_at desc, n.node_id`,
);
const deleteNode = write('delete from nodes where node_id = $1');
const deleteState = write('delete from node_states where node_id = $1');

/** The nodes that share a store. */
export type NodeStore = ReturnType<typeof createNodeStore>;

/** Creates the store of nodes over a driver. */
export function createNodeStore(driver: Driver) {
  return {
    /** Adds a node, or updates when it was seen. */
    async report({ state, ...node }: NodeRow): Promise<void> {
      const { nodeId } = node;
      const expiresAt = node.seenAt + KEPT_MS;
      const states =
        state === null ? [] : [putState(...STORED_STATE.values({ nodeId, ...state, expiresAt }))];
      await driver.write([putNode(...STORED_NODE.values({ ...node, expiresAt })), ...states]);
    },
    /** Lists all nodes of the last day, the latest started first. */
    list: (): Promise<NodeRow[]> => driver.scan(allNodes()),
    async remove(nodeId: string): Promise<void> {
      await driver.write([deleteNode(nodeId), deleteState(nodeId)]);
    },
    /** Returns the time of the machine that has the store, in milliseconds since the epoch. */
    time: (): Promise<number> => driver.time(),
  };
}
