import { SERVICE_OPERATIONS } from '../../../operations/service.ts';
import { operationCommand } from '../../operations/operation-command.ts';
import { textTable } from '../../output/output.ts';
import type { Command } from '../../program/command.ts';

/** `nodes list`: lists the nodes that share the store. */
export const nodesList: Command = operationCommand(SERVICE_OPERATIONS.listNodes, {
  path: ['nodes', 'list'],
  summary: 'list the nodes that share a PostgreSQL store, the latest started first',
  details: `A node reports every 10 seconds. The row of a node that died stays for a day; one that was stopped in order has none.`,
  show({ items }) {
    const nodes = items.map(({ node_id, version, started_at, seen_at }) => ({
      node_id,
      version,
      started_at,
      seen_at,
    }));
    const columns = { node: 'node_id', version: 'version', started: 'started_at', seen: 'seen_at' } as const;
    return { json: { nodes }, text: textTable(nodes, columns) };
  },
});
