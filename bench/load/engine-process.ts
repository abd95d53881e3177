import type { BackendChoice, Engine } from '../../src/engine/index.ts';
import { trapdoor } from '../../test/support/trapdoor.ts';
import { answerCalls } from '../support/child.ts';
import { built } from '../support/paths.ts';
import { proofStream, type StreamInputs } from '../support/proof-stream.ts';
import { closedLoop, type LoopFigures } from '../support/window-counter.ts';
import type { LoadPlan } from './plan.ts';

type EngineModule = typeof import('../../src/engine/index.ts');

const KEY = 'trapdoor-4';
// Distinct proofs that the loop goes through; the engine keeps no verdicts, so that going round changes nothing.
const PROOFS = 1024;

let engine: Engine | undefined;
const proofs: Uint8Array[] = [];
const inputs: Uint8Array[] = [];

/** Calls of the process that runs the engine alone. */
export type EngineProcess = {
  start(argument: {
    workers: number;
    backend: BackendChoice;
    stream: StreamInputs;
  }): Promise<{ backend: string; arithmetic: string }>;
  run(argument: { outstanding: number; plan: LoadPlan }): Promise<LoopFigures>;
};

const handlers: EngineProcess = {
  async start({ workers, backend, stream }) {
    const { createEngine } = await built<EngineModule>('engine/index.js');
    engine = await createEngine({ workers, backend, maxQueue: 4096, maxBatch: 64, maxBatchDelayMs: 0 });
    await engine.registerKey(KEY, (await trapdoor(4)).key);
    const statement = (nullifier: Uint8Array): Uint8Array =>
      Buffer.concat([stream.root, nullifier, stream.signalHash, stream.externalNullifier]);
    const next = await proofStream(stream, 0);
    for (let i = 0; i < PROOFS; i++) {
      const made = next();
      proofs.push(made.proof);
      inputs.push(statement(made.nullifier));
    }
    const wrong = await engine.verify(KEY, proofs[0] as Uint8Array, inputs[1] as Uint8Array);
    if (wrong.ok || wrong.code !== undefined) throw new Error('a false proof did not answer false');
    const { backend: chosen, arithmetic } = engine.stats();
    return { backend: chosen, arithmetic };
  },
  async run({ outstanding, plan }) {
    const running = engine;
    if (!running) throw new Error('start comes first');
    return closedLoop(outstanding, plan, async (index) => {
      const at = index % PROOFS;
      const verdict = await running.verify(KEY, proofs[at] as Uint8Array, inputs[at] as Uint8Array);
      if (!verdict.ok) throw new Error(`a true proof was answered ${verdict.code ?? 'false'}`);
      return true;
    });
  },
};

answerCalls(handlers);
