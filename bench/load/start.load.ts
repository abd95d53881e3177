import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { groups, trapdoor } from '../../test/support/crypto/trapdoor.ts';
import { median } from '../report/statistics.ts';
import type { Case } from '../report/types.ts';
import type { Suite, SuiteContext } from '../suite.ts';
import { startChild } from '../support/child.ts';
import { openConnection } from './http/http-connection.ts';
import { setUpVerification, TEMPLATE } from './http/http-target.ts';
import { verifyRequests } from './http/verify-requests.ts';
import { residentMib } from './processes/process-cpu.ts';
import { type ServerSettings, startServer } from './processes/server-process.ts';
import type { EngineStart, StartProcess } from './processes/start-process.ts';

const BACKENDS = ['native', 'wasm'] as const;
const KEYS = 100;

type Backend = (typeof BACKENDS)[number];
type Samples = Record<'ready' | 'first' | 'idle', number[]>;

const none = (): Samples => ({ ready: [], first: [], idle: [] });
const workers = Math.max(1, availableParallelism() - 1);

function cases(subject: 'engine' | 'service', contender: Backend, samples: Samples): Case[] {
  const common = { contender, parameters: { workers }, isPeer: false };
  return [
    { ...common, subject: `${subject}.start`, unit: 'ms', samples: samples.ready },
    { ...common, subject: `${subject}.start-to-first-verdict`, unit: 'ms', samples: samples.first },
    { ...common, subject: `${subject}.memory-idle`, unit: 'mib', samples: samples.idle },
  ];
}

/** Makes keys that differ in one point, so that none can share the prepared form of another. */
async function distinctKeys(): Promise<Uint8Array[]> {
  const [{ key }, { g1 }] = [await trapdoor(4), await groups()];
  return Array.from({ length: KEYS }, (_, index) => {
    const copy = Uint8Array.from(key);
    copy.set(g1(BigInt(index + 2)), 448);
    return copy;
  });
}

/** Measures start, first verdict and memory of an engine in a new process per round, and of many keys. */
async function engineCases(backend: Backend, rounds: number, context: SuiteContext): Promise<Case[]> {
  const { key, prove } = await trapdoor(4);
  const statement = [1n, 2n, 3n, 4n];
  const inputs = Buffer.concat(
    statement.map((value) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex')),
  );
  const proof = prove(statement, 5n, 7n);
  const samples = none();
  const keys = await distinctKeys();
  let grown: { msPerKey: number; grownMib: number } | undefined;
  for (let round = 0; round < rounds; round++) {
    const child = startChild<StartProcess>(new URL('./processes/start-process.ts', import.meta.url));
    try {
      const figures: EngineStart = await child.call('start', { backend, workers, key, proof, inputs });
      samples.ready.push(figures.readyMs);
      samples.first.push(figures.firstVerdictMs);
      samples.idle.push(figures.idleMib);
      if (round === rounds - 1) grown = await child.call('register', { keys });
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'engine.backend_unavailable') throw error;
      context.leaveOut(`engine with ${backend}`, 'the backend is not available');
      return [];
    } finally {
      await child.stop();
    }
  }
  const common = { contender: backend, isPeer: false, parameters: { workers, keys: KEYS } } as const;
  return [
    ...cases('engine', backend, samples),
    { ...common, subject: 'engine.memory-of-keys', unit: 'mib', samples: [grown?.grownMib ?? 0] },
    { ...common, subject: 'engine.register', unit: 'ms', samples: [grown?.msPerKey ?? 0] },
  ];
}

/** Measures the server from its process start to the first successful /healthz and the first verdict. */
async function serviceCases(backend: Backend, rounds: number, folder: string): Promise<Case[]> {
  const settings: ServerSettings = { backend, workers, dataFolder: join(folder, `start-${backend}`) };
  mkdirSync(settings.dataFolder, { mode: 0o700 });
  await setUpVerification(settings);
  const requests = await verifyRequests(TEMPLATE, rounds, 1, 0);
  const samples = none();
  for (const request of requests) {
    const began = performance.now();
    const server = await startServer(settings);
    try {
      const connection = await openConnection('127.0.0.1', server.port);
      const { status } = await connection.send(request);
      samples.first.push(performance.now() - began);
      connection.close();
      if (status !== 200) throw new Error(`expected 200 for the first request, got ${status}`);
      samples.ready.push(server.startMs);
      samples.idle.push(residentMib(server.pid));
    } finally {
      await server.stop();
    }
  }
  return cases('service', backend, samples);
}

/** Cold start and memory, of the engine alone and of the service. */
export const start: Suite = {
  name: 'start',
  async run(context) {
    const rounds = context.budget.loadRounds;
    const made: Case[] = [];
    for (const backend of BACKENDS) {
      const engine = await engineCases(backend, rounds, context);
      made.push(...engine);
      if (engine.length > 0) made.push(...(await serviceCases(backend, rounds, context.folder)));
    }
    for (const entry of made)
      context.say(`${entry.subject} ${entry.contender}: ${median(entry.samples).toFixed(1)} ${entry.unit}`);
    return made;
  },
};
