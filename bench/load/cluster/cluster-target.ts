import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Balancer, startBalancer } from '../../../test/cluster/support/balancer.ts';
import { freePort } from '../../../test/support/free-port.ts';
import type { PostgresServer } from '../../../test/support/postgres/postgres-server.ts';
import { childrenOf } from '../../../test/support/server/processes.ts';
import type { Child } from '../../support/child.ts';
import type { ClientFigures, ClientProcess } from '../http/client.ts';
import { setUpVerification, TEMPLATE } from '../http/http-target.ts';
import type { LoadPlan } from '../plan.ts';
import { cpuTime } from '../processes/process-cpu.ts';
import { type Server, type ServerSettings, SHARED_KEYS, startServer } from '../processes/server-process.ts';

/** What a target consists of. */
export interface ClusterShape {
  readonly name: string;
  readonly nodes: number;
  readonly isBalanced: boolean;
  /** Absent for a node with its own libsql file. */
  readonly postgres?: PostgresServer;
}

/** Figures of one run; processor time in µs per request. */
export interface ClusterFigures extends ClientFigures {
  readonly mainThreadUs: number;
  readonly nodesUs: number;
  readonly databaseUs: number;
  readonly balancerUs: number;
  readonly commitsPerSecond: number;
}

/** Nodes that can be loaded. */
export interface ClusterTarget {
  readonly shape: ClusterShape;
  /** Sends one proof per request with new nullifiers; at `perSecond`, or as fast as the connections allow. */
  run(load: {
    connections: number;
    count: number;
    plan: LoadPlan;
    perSecond?: number;
  }): Promise<ClusterFigures>;
  stop(): Promise<void>;
}

interface Parts {
  readonly main: number;
  readonly nodes: number;
  readonly database: number;
  readonly balancer: number;
  readonly commits: number;
}

/** Nullifiers of the whole bench so far, so that no run repeats one. */
let first = 0;

/** Starts the nodes of a target, and a balancer before several. */
export async function startClusterTarget(
  shape: ClusterShape,
  folder: string,
  client: Child<ClientProcess>,
): Promise<ClusterTarget> {
  const { postgres, nodes, isBalanced } = shape;
  const database = await postgres?.createDatabase();
  const servers: Server[] = [];
  for (let index = 0; index < nodes; index++) {
    const dataFolder = join(folder, `${shape.name}-${index}`);
    mkdirSync(dataFolder, { mode: 0o700 });
    const settings: ServerSettings = {
      dataFolder,
      backend: 'native',
      workers: 1,
      variables: { ...SHARED_KEYS, ...(postgres ? { PROOFGATE_STORAGE_URL: postgres.url(database) } : {}) },
    };
    if (index === 0) await setUpVerification(settings);
    servers.push(await startServer(settings));
  }
  const balancer: Balancer | undefined = isBalanced
    ? await startBalancer(
        await freePort(),
        servers.map(({ port }) => port),
      )
    : undefined;
  const port = balancer === undefined ? (servers[0] as Server).port : Number(new URL(balancer.url).port);

  const parts = async (): Promise<Parts> => {
    const times = servers.map(({ pid }) => cpuTime(pid));
    const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
    const backends = postgres === undefined ? [] : [postgres.pid, ...childrenOf(postgres.pid, 'postgres')];
    const commits = await postgres?.query(
      `select cast(xact_commit as float8) as commits from pg_stat_database where datname = '${database}'`,
    );
    return {
      main: sum(times.map(({ main }) => main)),
      nodes: sum(times.map(({ all }) => all)),
      database: sum(backends.map((pid) => cpuTime(pid).all)),
      balancer: balancer === undefined ? 0 : cpuTime(balancer.pid).all,
      commits: Number(commits?.[0]?.commits ?? 0),
    };
  };
  return {
    shape,
    async run({ connections, count, plan, perSecond }) {
      await client.call('prepare', { template: TEMPLATE, count, proofs: 1, first });
      first += count;
      await client.call('connect', { port, connections });
      const [before, began] = [await parts(), performance.now()];
      const figures =
        perSecond === undefined
          ? await client.call('run', { plan, isRepeating: false })
          : await client.call('runPaced', { plan, perSecond });
      const [after, seconds] = [await parts(), (performance.now() - began) / 1000];
      const answered = Object.values(figures.answers).reduce((sum, each) => sum + each, 0);
      if (Object.keys(figures.answers).join() !== '200 new') {
        throw new Error(`expected only "200 new", got ${JSON.stringify(figures.answers)}`);
      }
      const usOf = (part: keyof Parts): number => ((after[part] - before[part]) * 1e6) / answered;
      return {
        ...figures,
        mainThreadUs: usOf('main'),
        nodesUs: usOf('nodes'),
        databaseUs: usOf('database'),
        balancerUs: usOf('balancer'),
        commitsPerSecond: (after.commits - before.commits) / seconds,
      };
    },
    async stop() {
      await balancer?.end();
      for (const server of servers) await server.stop();
    },
  };
}
