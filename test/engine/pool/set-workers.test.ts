// Rules: spec/engine.md#lifecycle
import { afterEach, describe, expect, it } from 'vitest';
import { startEngine } from '../support/describe-engine.ts';
import { depthKey, PROOFS } from '../support/vectors.ts';

type Started = Awaited<ReturnType<typeof startEngine>>['engine'];

const { proof, inputs } = PROOFS.find(({ depth }) => depth === 30) as (typeof PROOFS)[number];
const FALSE_INPUTS = inputs.map((byte, index) => (index === inputs.length - 1 ? byte ^ 1 : byte));

describe('setWorkers', () => {
  let engine: Started;
  afterEach(() => engine.close());

  const start = async (workers: number): Promise<void> => {
    ({ engine } = await startEngine({ workers, maxQueue: 4096 }));
    await engine.registerKey('depth-30', depthKey(30));
  };

  it('changes the number of threads while proofs are verified, and every proof gets its verdict', async () => {
    await start(1);
    const seed = new Uint8Array(32).fill(7);
    const publicKey = await engine.registerSigningKey('signing', seed);
    const message = new Uint8Array(32).fill(1);
    const verdicts: Promise<boolean>[] = [];
    const signatures: Promise<Uint8Array>[] = [];
    const add = (count: number): void => {
      for (let index = 0; index < count; index++) {
        const isTrue = index % 8 !== 0;
        const verdict = engine.verify('depth-30', proof, isTrue ? inputs : FALSE_INPUTS);
        verdicts.push(verdict.then(({ ok, code }) => code === undefined && ok === isTrue));
        if (index % 16 === 0) signatures.push(engine.signCredentialHash('signing', message));
      }
    };
    add(64);
    for (const workers of [3, 0, 2, 1]) {
      const changed = engine.setWorkers(workers);
      add(64);
      await changed;
      expect(engine.threads).toHaveLength(workers);
      expect(engine.stats()).toMatchObject({
        workers,
        readyWorkers: Math.max(1, workers),
        workerRestarts: 0,
      });
    }
    expect(await Promise.all(verdicts)).toEqual(Array.from({ length: 320 }, () => true));
    for (const signature of await Promise.all(signatures)) {
      expect(await engine.verifySignature(publicKey.subarray(64), message, signature)).toBe(true);
    }
    expect(engine.stats()).toMatchObject({ verified: 320, queueDepth: 0, running: 0, poisoned: 0 });
  });

  it('makes changes that are asked for at the same time one after the other', async () => {
    await start(1);
    await Promise.all([engine.setWorkers(2), engine.setWorkers(3), engine.setWorkers(2)]);
    expect(engine.threads).toHaveLength(2);
    expect((await engine.verify('depth-30', proof, inputs)).ok).toBe(true);
  });

  it('is refused when the engine closes', async () => {
    await start(1);
    const closed = engine.close();
    await expect(engine.setWorkers(2)).rejects.toMatchObject({ code: 'engine.draining' });
    await closed;
  });
});
