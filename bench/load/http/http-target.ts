import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { externalNullifier, rpIdOf } from '../../../src/semaphore/hashes.ts';
import { type Child, startChild } from '../../support/child.ts';
import { PLAIN_INPUTS } from '../../support/stream-inputs.ts';
import type { LoadPlan } from '../plan.ts';
import {
  type CpuTime,
  cpuTime,
  residentMib,
  type ThreadRole,
  timesByRole,
} from '../processes/process-cpu.ts';
import { runCommand, type Server, type ServerSettings, startServer } from '../processes/server-process.ts';
import type { ClientFigures, ClientProcess } from './client.ts';
import { GROTH16_PATH, type Groth16Template, type RequestTemplate } from './verify-requests.ts';
import type { WorldId4Template } from './worldid4-requests.ts';

/** Id of the app for all verifications of the bench. */
export const VERIFY_APP_ID = 'app_00000000000000000000000000000b0b';
const ACTION = 'bench';

/** Common parts of all verification requests to a server that `setUpVerification` prepared. */
export const TEMPLATE: RequestTemplate = {
  host: 'localhost',
  path: `/api/v4/verify/${rpIdOf(VERIFY_APP_ID)}`,
  action: ACTION,
  inputs: { ...PLAIN_INPUTS, externalNullifier: externalNullifier(VERIFY_APP_ID, ACTION) },
};

/** Common parts of all requests to check the same proofs as those of any circuit. */
const GROTH16_TEMPLATE: Groth16Template = {
  kind: 'groth16',
  host: 'localhost',
  path: `${GROTH16_PATH}/trapdoor-4`,
  inputs: TEMPLATE.inputs,
};

/** Figures of one HTTP run; processor time in cores. */
export interface HttpFigures extends ClientFigures {
  readonly serverCores: number;
  readonly serverMainCores: number;
  /** Processor time of the server outside the threads that run proofs, per answered request, in µs. */
  readonly outsideUs: number;
  /** Processor time of the server per answered request, in µs. */
  readonly serverUs: number;
  /** Processor time of the threads of each role per request answered by the server, in µs, the busiest first. */
  readonly threadsUs: ReadonlyMap<ThreadRole, readonly number[]>;
}

/** A server with app, key and root set up, and a client in another process. */
export interface HttpTarget {
  readonly server: Server;
  residentMib(): number;
  /**
   * @param expectedRate - Most requests per second; the number of prepared requests follows from it.
   * @param template - `TEMPLATE` if absent.
   */
  run(load: {
    template?: WorldId4Template;
    proofs: number;
    connections: number;
    expectedRate: number;
    plan: LoadPlan;
  }): Promise<HttpFigures>;
  /** Sends one proof per request, with nullifiers that the server knows: those of its first run, in turn. */
  runKnown(load: { connections: number; plan: LoadPlan }): Promise<HttpFigures>;
  /** Sends proofs as those of any circuit, in turn, which records nothing. */
  runGroth16(load: { proofs: number; connections: number; plan: LoadPlan }): Promise<HttpFigures>;
  stop(): Promise<void>;
}

/** Sets up app and root through the command line, as an operator does. */
export async function setUpVerification(settings: ServerSettings): Promise<void> {
  const rootHex = `0x${Buffer.from(PLAIN_INPUTS.root).toString('hex')}`;
  const place = ['--environment', 'production', '--tree', 'orb'];
  await runCommand(settings, ['migrate', 'up']);
  await runCommand(settings, ['apps', 'add', '--app-id', VERIFY_APP_ID, '--name', 'bench']);
  await runCommand(settings, ['roots', 'add', ...place, '--root', rootHex, '--key', 'trapdoor-4']);
}

/** How many times the expected requests are prepared at most, where fewer did not fill a window. */
const MOST_RESERVE = 8;

/** Most proofs that a run repeats; the engine caches no verdicts. */
const MOST_REPEATED = 1024;

function assertAll(kind: string, figures: ClientFigures): void {
  const kinds = Object.keys(figures.answers);
  if (kinds.length !== 1 || kinds[0] !== kind)
    throw new Error(`expected only "${kind}", got ${JSON.stringify(figures.answers)}`);
}

/** Options of `startHttpTarget`. */
export interface TargetOptions {
  /** Runs further commands before the server starts. */
  readonly setUp?: (settings: ServerSettings) => Promise<void>;
  /** Distinguishes the folders of servers with otherwise equal settings; `libsql` if absent. */
  readonly name?: string;
}

/** Starts server and client; `clientCores` can keep the client off the server's cores. */
export async function startHttpTarget(
  settings: Omit<ServerSettings, 'dataFolder'>,
  folder: string,
  clientCores: string | undefined,
  { setUp, name = 'libsql' }: TargetOptions = {},
): Promise<HttpTarget> {
  const { backend, cores = 'all', frontEnds = 1 } = settings;
  const dataFolder = join(folder, `http-${name}-${backend}-${cores}-${frontEnds}`);
  mkdirSync(dataFolder, { mode: 0o700 });
  const whole = { ...settings, dataFolder };
  await setUpVerification(whole);
  await setUp?.(whole);
  const server = await startServer(whole);
  const client: Child<ClientProcess> = startChild<ClientProcess>(
    new URL('./client.ts', import.meta.url),
    clientCores === undefined ? {} : { cores: clientCores },
  );
  let first = 0;
  /** Nullifiers of the first run, from number 0 on, which the server knows. */
  let known = 0;
  const measure = async (
    connections: number,
    plan: LoadPlan,
    expected: '200 new' | '200 reuse' | '200 valid',
  ): Promise<HttpFigures> => {
    await client.call('connect', { port: server.port, connections });
    const roles = server.threadRoles();
    const now = (): CpuTime => cpuTime(server.pid, roles);
    const [before, began] = [now(), performance.now()];
    const figures = await client.call('run', { plan, isRepeating: expected !== '200 new' });
    const [after, elapsed] = [now(), (performance.now() - began) / 1000];
    const outside = after.all - after.workers - (before.all - before.workers);
    const answered = Object.values(figures.answers).reduce((sum, count) => sum + count, 0);
    assertAll(expected, figures);
    const times = timesByRole(server.pid, roles, [before, after]);
    return {
      ...figures,
      serverCores: (after.all - before.all) / elapsed,
      serverMainCores: (after.main - before.main) / elapsed,
      outsideUs: (outside * 1e6) / answered,
      serverUs: ((after.all - before.all) * 1e6) / answered,
      threadsUs: new Map(
        [...times].map(([role, list]) => [role, list.map((seconds) => (seconds * 1e6) / answered)]),
      ),
    };
  };
  return {
    server,
    residentMib: () => residentMib(server.pid),
    async run({ template = TEMPLATE, proofs, connections, expectedRate, plan }) {
      const seconds = (plan.warmUpMs + plan.windowMs * plan.windows) / 1000;
      for (let reserve = 1; ; reserve *= 2) {
        const count = Math.ceil(reserve * expectedRate * seconds) + connections;
        await client.call('prepare', { template, count, proofs, first });
        const isFirst = first === 0;
        first += count * proofs;
        const figures = await measure(connections, plan, '200 new');
        if (isFirst) known = Math.min((figures.answers['200 new'] ?? 0) * proofs, MOST_REPEATED);
        // The rate of a slower moment was expected: the requests were used up within the first window.
        const isEmpty = figures.isExhausted && figures.rates.length === 0;
        if (!isEmpty || reserve === MOST_RESERVE) return figures;
      }
    },
    async runKnown({ connections, plan }) {
      await client.call('prepare', { template: TEMPLATE, count: known, proofs: 1, first: 0 });
      return measure(connections, plan, '200 reuse');
    },
    async runGroth16({ proofs, connections, plan }) {
      const count = Math.ceil(MOST_REPEATED / proofs);
      await client.call('prepare', { template: GROTH16_TEMPLATE, count, proofs, first: 0 });
      return measure(connections, plan, '200 valid');
    },
    async stop() {
      await client.stop();
      await server.stop();
    },
  };
}
