import { isoTime } from '../../../text.ts';
import { textTable } from '../../output/output.ts';
import type { Command } from '../../program/command.ts';

/** `nodes list`: lists the nodes that share the store. */
export const nodesList: Command = {
  path: ['nodes', 'list'],
  summary: 'list the nodes that share a PostgreSQL store, the latest started first',
  details: `A node reports every 10 seconds. The row of a node that died stays for a day; one that was stopped in order has none.`,
  run: async (_input, context) => {
    const loaded = await context.loadConfig();
    const rows = await context.withStore(loaded, (store) => store.nodes.list());
    const nodes = rows.map(({ nodeId, version, startedAt, seenAt }) => ({
      node_id: nodeId,
      version,
      started_at: isoTime(startedAt),
      seen_at: isoTime(seenAt),
    }));
    const columns = { node: 'node_id', version: 'version', started: 'started_at', seen: 'seen_at' } as const;
    await context.print({ nodes }, textTable(nodes, columns));
    return 0;
  },
};
