import type { BackendChoice } from '../../../src/engine/backends/backend.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { answerCalls } from '../../support/child.ts';
import { built } from '../../support/paths.ts';
import { residentMib } from './process-cpu.ts';

type EngineModule = typeof import('../../../src/engine/create-engine.ts');

/** Times since the engine's code began to load, and memory of the process. */
export interface EngineStart {
  readonly arithmetic: string;
  readonly readyMs: number;
  readonly firstVerdictMs: number;
  readonly idleMib: number;
}

/** Calls of a process that starts one engine. */
export type StartProcess = {
  start(argument: {
    backend: BackendChoice;
    workers: number;
    key: Uint8Array;
    proof: Uint8Array;
    inputs: Uint8Array;
  }): Promise<EngineStart>;
  /** Registers the keys, each under another name. */
  register(argument: { keys: readonly Uint8Array[] }): Promise<{ msPerKey: number; grownMib: number }>;
};

let engine: Engine | undefined;

const handlers: StartProcess = {
  async start({ backend, workers, key, proof, inputs }) {
    const began = performance.now();
    const { createEngine } = await built<EngineModule>('engine.js');
    engine = await createEngine({ workers, backend, maxQueue: 1024, maxBatch: 64, maxBatchDelayMs: 0 });
    const readyMs = performance.now() - began;
    await engine.registerKey('first', key);
    const verdict = await engine.verify('first', proof, inputs);
    if (!verdict.ok) throw new Error(`expected a valid proof, got ${verdict.code ?? 'false'}`);
    const firstVerdictMs = performance.now() - began;
    return {
      arithmetic: engine.stats().arithmetic,
      readyMs,
      firstVerdictMs,
      idleMib: residentMib(process.pid),
    };
  },
  async register({ keys }) {
    const running = engine;
    if (!running) throw new Error('call start first');
    const [before, began] = [residentMib(process.pid), performance.now()];
    for (const [index, key] of keys.entries()) await running.registerKey(`key ${index}`, key);
    return {
      msPerKey: (performance.now() - began) / keys.length,
      grownMib: residentMib(process.pid) - before,
    };
  },
};

answerCalls(handlers);
