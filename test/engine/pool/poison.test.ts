// Rules: spec/engine.md#lost-batches
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { until } from '../../support/until.ts';
import { ANY_BACKEND, describeBackend, startEngine } from '../support/describe-engine.ts';
import { depthKey, PROOFS } from '../support/vectors.ts';

const file = (name: string): string => fileURLToPath(new URL(`../support/${name}`, import.meta.url));
const { proof, inputs } = PROOFS.find(({ depth }) => depth === 30) as (typeof PROOFS)[number];

/** Bytes that end every killer worker that processes them. */
function deadly(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  bytes.set(Buffer.from('end this thread!'));
  return bytes;
}

describeBackend(
  'work that ends its worker',
  (backend) => {
    it('is refused, reported and counted, while the rest of the batch gets its verdicts', async () => {
      const { engine, events } = await startEngine({ backend }, { workerFile: file('killer-worker.mjs') });
      await engine.registerKey('key', depthKey(30));
      const changed = inputs.slice();
      changed[31] = (changed[31] as number) ^ 1;
      const sent = Array.from({ length: 20 }, (_, index) => {
        if (index === 7) return engine.verify('key', deadly(256), inputs);
        return engine.verify('key', proof, index % 2 ? changed : inputs);
      });
      expect(await Promise.all(sent)).toEqual(
        sent.map((_, index) =>
          index === 7 ? { ok: false, code: 'engine.poison' } : { ok: index % 2 === 0 },
        ),
      );
      // two threads lost with its batch, and two with the proof alone
      expect(engine.stats()).toMatchObject({ poisoned: 1, workerRestarts: 4, running: 0, queueDepth: 0 });
      expect(events.filter(({ event }) => event === 'engine.poisoned')).toEqual([
        { event: 'engine.poisoned', queue: 'verify key' },
      ]);
      await until(() => engine.stats().readyWorkers === 2);
      expect(await engine.verify('key', proof, inputs)).toEqual({ ok: true });
      await engine.close();
    });

    it('is refused with an error when it is a call, and other calls are served', async () => {
      const { engine } = await startEngine(
        { backend, workers: 1 },
        { workerFile: file('killer-worker.mjs') },
      );
      const [bad, good] = await Promise.allSettled([
        engine.hashBytes('tag', deadly(40)),
        engine.poseidon(new Uint8Array(32)),
      ]);
      expect(bad).toMatchObject({ status: 'rejected', reason: { code: 'engine.poison' } });
      expect(good.status).toBe('fulfilled');
      await engine.close();
    });
  },
  ANY_BACKEND,
);
