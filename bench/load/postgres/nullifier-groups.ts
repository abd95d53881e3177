import { setTimeout as pause } from 'node:timers/promises';
import type { PostgresServer } from '../../../test/support/postgres/postgres-server.ts';
import { childrenOf } from '../../../test/support/server/processes.ts';
import { median } from '../../report/statistics.ts';
import type { Case } from '../../report/types.ts';
import type { Child } from '../../support/child.ts';
import type { LoopFigures } from '../../support/window-counter.ts';
import type { LoadPlan } from '../plan.ts';
import type { NullifierProcess } from '../processes/nullifier-process.ts';
import { cpuTime } from '../processes/process-cpu.ts';
import { inRounds } from '../rounds.ts';

const ROWS = [1, 8, 64, 512] as const;
const STANDBYS = ['none', 'synchronous'] as const;
const POLL_MS = 20;

/** What one group costs: processor time of the store's process and of the server, and bytes of the log. */
interface GroupCost extends LoopFigures {
  readonly storeUs: number;
  readonly databaseUs: number;
  readonly walBytes: number;
}

function processorSeconds(server: PostgresServer): number {
  const pids = [server.pid, ...childrenOf(server.pid, 'postgres')];
  return pids.reduce((sum, pid) => sum + cpuTime(pid).all, 0);
}

async function logPosition(server: PostgresServer): Promise<number> {
  const [row] = await server.query(
    "select cast(pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as float8) as bytes",
  );
  return Number(row?.bytes);
}

/** Makes commits wait for the standby, or not, and returns when sessions see it. */
async function waitFor(standby: (typeof STANDBYS)[number], server: PostgresServer): Promise<void> {
  const names = standby === 'synchronous' ? 'standby' : '';
  server.configure({ synchronous_standby_names: `'${names}'` });
  server.reload();
  const isInForce = async (): Promise<boolean> => {
    const [row] = await server.query(
      `select current_setting('synchronous_standby_names') = '${names}' and
       exists (select 1 from pg_stat_replication where sync_state = '${names === '' ? 'async' : 'sync'}') as done`,
    );
    return row?.done === true;
  };
  while (!(await isInForce())) await pause(POLL_MS);
}

/**
 * Cost of a group of nullifiers by its rows, one group at a time, with and without a synchronous standby on the same
 * machine.
 */
export async function nullifierGroups(
  server: PostgresServer,
  child: Child<NullifierProcess>,
  plan: LoadPlan,
  rounds: number,
): Promise<Case[]> {
  const runs = ROWS.flatMap((rows) =>
    STANDBYS.map((standby) => ({ rows, standby, costs: [] as GroupCost[] })),
  );
  const results = await inRounds(
    runs.map(({ rows, standby, costs }) => async () => {
      await waitFor(standby, server);
      const [cpu, log] = [processorSeconds(server), await logPosition(server)];
      const { groups, cpuSeconds, ...figures } = await child.call('runGroups', { rows, plan });
      const cost = {
        ...figures,
        storeUs: (cpuSeconds * 1e6) / groups,
        databaseUs: ((processorSeconds(server) - cpu) * 1e6) / groups,
        walBytes: ((await logPosition(server)) - log) / groups,
      };
      costs.push(cost);
      return cost;
    }),
    rounds,
  );
  return runs.map(({ rows, standby, costs }, index): Case => {
    const middle = (pick: (cost: GroupCost) => number): number => median(costs.map(pick));
    return {
      subject: 'nullifier.group',
      contender: 'postgres',
      parameters: { rows, standby },
      unit: 'ops_per_s',
      isPeer: false,
      samples: results[index]?.samples ?? [],
      figures: {
        ...results[index]?.figures,
        store_us: middle(({ storeUs }) => storeUs),
        database_us: middle(({ databaseUs }) => databaseUs),
        wal_bytes: middle(({ walBytes }) => walBytes),
      },
    };
  });
}
