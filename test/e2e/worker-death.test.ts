import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { bodyMaker, send } from '../support/load.ts';
import type { StartedApp } from '../support/server/start-app.ts';
import { startLoadApp } from '../support/signin/register-load-app.ts';

const SECONDS = 30;
const CLIENTS = 12;

// The service is built as always; the test only keeps hold of the engine that it builds, to reach piscina's threads.
const built = vi.hoisted(() => ({ engine: undefined as { threads: readonly Worker[] } | undefined }));
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

describe('a worker terminated once a second under HTTP load', () => {
  let app: StartedApp;
  beforeAll(async () => {
    app = await startLoadApp({ settings: { 'engine.workers': '2' } });
  });
  afterAll(() => app.stop());

  it(`fails no request and mixes no verdicts for ${SECONDS} s`, async () => {
    const nextBody = await bodyMaker('worker-death');
    const wrong: string[] = [];
    let answered = 0;
    let kills = 0;
    let isOver = false;
    const killer = setInterval(() => {
      const [thread] = built.engine?.threads ?? [];
      if (thread) {
        kills++;
        void thread.terminate();
      }
    }, 1000);
    const end = setTimeout(() => {
      isOver = true;
    }, SECONDS * 1000);
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
    await Promise.all(Array.from({ length: CLIENTS }, (_, which) => client(which)));
    clearInterval(killer);
    clearTimeout(end);
    console.log(
      `worker death: ${kills} threads terminated, ${answered} requests answered, ${wrong.length} wrong`,
    );
    expect(wrong).toEqual([]);
    expect(kills).toBeGreaterThan(SECONDS / 2);
    expect(answered).toBeGreaterThan(kills);
  }, 120_000);
});
