import { describe, expect, it, vi } from 'vitest';
import type { ProofEngine } from '../../src/engine/proof-engine.ts';
import { bodyMaker, send } from '../support/load.ts';
import { opened } from '../support/opened.ts';
import { startLoadApp } from '../support/signin/register-load-app.ts';
import { until } from '../support/until.ts';

const KILLS = 16;
const CLIENTS = 12;

// The service is built as usual; the test keeps a reference to its engine, to reach piscina's threads.
const built = vi.hoisted(() => ({ engine: undefined as ProofEngine | undefined }));
vi.mock('../../src/engine/create-engine.ts', async (original) => {
  const module = await original<typeof import('../../src/engine/create-engine.ts')>();
  return {
    ...module,
    createEngine: async (...args: Parameters<typeof module.createEngine>) => {
      const engine = await module.createEngine(...args);
      built.engine = engine;
      return engine;
    },
  };
});

describe('a worker that is terminated repeatedly under HTTP load', () => {
  const app = opened(() => startLoadApp({ settings: { 'engine.workers': '2' } }), 'stop');

  it(`fails no request and mixes up no verdicts in ${KILLS} kills`, async () => {
    const nextBody = await bodyMaker('worker-death');
    const wrong: string[] = [];
    let [answered, isOver] = [0, false];
    const client = async (which: number): Promise<void> => {
      for (let turn = 0; !isOver; turn++) {
        const isFalse = (which + turn) % 3 === 0;
        const { body, nullifier } = nextBody(isFalse);
        const answer = await send(app.publicUrl, body);
        answered++;
        const isRight = isFalse
          ? answer.status === 400 && answer.body.results?.[0]?.code === 'invalid_proof'
          : answer.status === 200 && answer.body.nullifier === nullifier;
        if (!isRight)
          wrong.push(`${isFalse ? 'false' : 'true'} proof: ${answer.status} ${JSON.stringify(answer.body)}`);
      }
    };
    const clients = Promise.all(Array.from({ length: CLIENTS }, (_, which) => client(which)));
    for (let kills = 0; kills < KILLS; kills += 1) {
      const before = answered;
      await until(() => built.engine?.stats().readyWorkers === 2 && answered > before + CLIENTS);
      await built.engine?.threads[kills % 2]?.terminate();
    }
    isOver = true;
    await clients;
    expect(wrong).toEqual([]);
    expect(built.engine?.stats().workerRestarts).toBe(KILLS);
  }, 240_000);
});
