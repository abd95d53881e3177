// Rules: spec/engine.md#admission and spec/engine.md#refusals
import { beforeAll, expect, it } from 'vitest';
import type { Verdict } from '../../src/engine/engine.ts';
import { expectRejected } from '../support/rejects.ts';
import { ANY_BACKEND, describeBackend, describeEngine, startEngine } from './support/describe-engine.ts';
import { depthKey, PROOFS } from './support/vectors.ts';

const { proof, inputs } = PROOFS.find(({ depth }) => depth === 30) as (typeof PROOFS)[number];

describeEngine(
  'limits of the engine',
  (started) => {
    beforeAll(() => started().registerKey('key', depthKey(30)));

    it('immediately refuses proofs beyond the queue limit, and canAccept reports what fits', async () => {
      const engine = started();
      expect([engine.canAccept(4), engine.canAccept(5)]).toEqual([true, false]);
      const verdicts = Array.from({ length: 6 }, () => engine.verify('key', proof, inputs));
      expect([engine.canAccept(0), engine.canAccept(1), engine.stats().queueDepth]).toEqual([true, false, 4]);
      await expect(engine.poseidon(new Uint8Array(32))).rejects.toMatchObject({ code: 'engine.busy' });
      expect(await Promise.all(verdicts)).toEqual([
        ...Array.from({ length: 4 }, () => ({ ok: true })),
        { ok: false, code: 'engine.busy' },
        { ok: false, code: 'engine.busy' },
      ]);
      expect(engine.canAccept(4)).toBe(true);
    });

    it('bounds the bytes of one call, and splits generator multiples that exceed the bound', async () => {
      const engine = started();
      const bound = 262_144;
      expect(await engine.hashBytes('tag', new Uint8Array(bound))).toHaveLength(32);
      await expectRejected(
        engine.hashBytes('tag', new Uint8Array(bound + 1)),
        'hash.input',
        'at most 262144 bytes, got 262145 bytes',
      );
      await expectRejected(engine.hashBytes('t'.repeat(100_000), new Uint8Array(1)), 'hash.input');
      const scalars = new Uint8Array(bound + 64);
      scalars[bound - 1] = 2;
      scalars[bound + 31] = 3;
      const multiples = await engine.generatorMultiples('g1', scalars);
      const [two, three] = [bound / 32 - 1, bound / 32].map((index) =>
        multiples.slice(64 * index, 64 * (index + 1)),
      );
      const alone = await engine.generatorMultiples('g1', scalars.slice(bound - 32, bound + 32));
      expect(multiples).toHaveLength(2 * scalars.length);
      expect([two, three]).toEqual([alone.slice(0, 64), alone.slice(64)]);
    });

    it('drops waiting proofs whose signal aborts, and completes running ones', async () => {
      const engine = started();
      const controller = new AbortController();
      const { signal } = controller;
      const first = engine.verify('key', proof, inputs, { signal });
      await Promise.resolve();
      expect(engine.stats()).toMatchObject({ running: 1, queueDepth: 0 });
      const dropped = [1, 2, 3].map(() => engine.verify('key', proof, inputs, { signal }));
      const kept = engine.verify('key', proof, inputs, { signal: new AbortController().signal });
      controller.abort();
      // cancelled proofs free their places in the queue
      expect([engine.canAccept(4), engine.canAccept(3), engine.stats().queueDepth]).toEqual([false, true, 1]);
      expect(await Promise.all(dropped)).toEqual(
        dropped.map(() => ({ ok: false, code: 'engine.cancelled' })),
      );
      expect(await Promise.all([first, kept])).toEqual([{ ok: true }, { ok: true }]);
      expect(await engine.verify('key', proof, inputs, { signal })).toEqual({
        ok: false,
        code: 'engine.cancelled',
      });
    });
  },
  { workers: 1, maxBatch: 1, maxQueue: 4 },
  ANY_BACKEND,
);

// Each closes its engine, or has other settings.
describeBackend(
  'an engine',
  (backend) => {
    it('completes accepted proofs when it closes, and accepts nothing new', async () => {
      const { engine } = await startEngine({ backend, maxBatch: 2 });
      await engine.registerKey('key', depthKey(30));
      const accepted: Promise<Verdict>[] = Array.from({ length: 21 }, () =>
        engine.verify('key', proof, inputs),
      );
      const closed = engine.close();
      expect(engine.close()).toBe(closed);
      expect(await engine.verify('key', proof, inputs)).toEqual({ ok: false, code: 'engine.draining' });
      expect(engine.canAccept(1)).toBe(false);
      await expectRejected(engine.registerKey('other', depthKey(20)), 'engine.draining');
      const seed = new Uint8Array(32).fill(5);
      await expectRejected(engine.registerSigningKey('late', seed), 'engine.draining');
      expect(seed).toEqual(new Uint8Array(32));
      await expect(engine.poseidon(new Uint8Array(32))).rejects.toMatchObject({ code: 'engine.draining' });
      expect(await Promise.all(accepted)).toEqual(accepted.map(() => ({ ok: true })));
      await closed;
      expect(engine.threads).toHaveLength(0);
      expect(engine.stats()).toMatchObject({ readyWorkers: 0, queueDepth: 0, running: 0, workerRestarts: 0 });
    });

    it('answers the first refusal of the specified order when several apply', async () => {
      const { engine } = await startEngine({ backend, workers: 1, maxQueue: 1 });
      await engine.registerKey('key', depthKey(30));
      const signal = AbortSignal.abort();
      const codeOf = async (verdict: Promise<Verdict>): Promise<string | undefined> => (await verdict).code;
      const accepted = engine.verify('key', proof, inputs);
      expect(engine.canAccept(1)).toBe(false);
      expect(await codeOf(engine.verify('key', proof, inputs, { signal }))).toBe('engine.cancelled');
      const closed = engine.close();
      expect(await codeOf(engine.verify('key', proof, inputs, { signal }))).toBe('engine.draining');
      expect(await codeOf(engine.verify('key', proof, inputs.subarray(32)))).toBe('input.count');
      expect(await codeOf(engine.verify('key', proof.subarray(1), inputs))).toBe('proof.length');
      expect(await codeOf(engine.verify('absent', proof.subarray(1), inputs))).toBe('engine.key_unknown');
      expect(await accepted).toEqual({ ok: true });
      await closed;
    });

    it('waits for more proofs of a batch when a delay is set', async () => {
      // The second proof ends the wait; test/engine/dispatch/dispatcher.test.ts has the end of the delay.
      const { engine } = await startEngine({ backend, workers: 1, maxBatch: 2, maxBatchDelayMs: 60_000 });
      await engine.registerKey('key', depthKey(30));
      const verdicts = [engine.verify('key', proof, inputs)];
      await new Promise((resolve) => setImmediate(resolve));
      expect(engine.stats().queueDepth).toBe(1);
      verdicts.push(engine.verify('key', proof, inputs));
      expect(await Promise.all(verdicts)).toEqual([{ ok: true }, { ok: true }]);
      await engine.close();
    });
  },
  ANY_BACKEND,
);

describeBackend('the engine without workers', (backend) => {
  it('verifies, hashes and signs in the calling thread', async () => {
    const { engine } = await startEngine({ backend, workers: 0 });
    expect(engine.threads).toHaveLength(0);
    expect(engine.stats()).toMatchObject({ backend, workers: 0, readyWorkers: 1 });
    await engine.registerKey('key', depthKey(30));
    const changed = inputs.slice();
    changed[31] = (changed[31] as number) ^ 1;
    expect(
      await Promise.all([engine.verify('key', proof, inputs), engine.verify('key', proof, changed)]),
    ).toEqual([{ ok: true }, { ok: false }]);
    const publicKey = await engine.registerSigningKey('issuer', new Uint8Array(32).fill(3));
    const message = await engine.poseidon(new Uint8Array(32));
    const signature = await engine.signCredentialHash('issuer', message);
    expect(await engine.verifySignature(publicKey.subarray(64), message, signature)).toBe(true);
    await engine.close();
  });
});

describeBackend('two engines in one process', (backend) => {
  it('do not see the keys of each other', async () => {
    const { engine: one } = await startEngine({ backend, workers: 0 });
    const { engine: other } = await startEngine({ backend, workers: 0 });
    await one.registerKey('key', depthKey(30));
    await other.registerKey('key', depthKey(20));
    expect(await one.verify('key', proof, inputs)).toEqual({ ok: true });
    expect(await other.verify('key', proof, inputs)).toEqual({ ok: false });
    await one.close();
    expect(await other.verify('key', proof, inputs)).toEqual({ ok: false });
    await other.close();
  });
});
