// Rules: spec/engine.md#lifecycle
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compiledFile } from '../../../src/compiled-file.ts';
import { until } from '../../support/until.ts';
import { startEngine } from '../support/describe-engine.ts';
import { depthKey, PROOFS } from '../support/vectors.ts';

const { proof, inputs } = PROOFS.find(({ depth }) => depth === 30) as (typeof PROOFS)[number];
const realWorker = compiledFile('engine/worker/worker.js').href;

/** Nice values of the threads of this process by thread: field 19 of their `stat` files. */
function threadPriorities(): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const task of readdirSync('/proc/self/task')) {
    try {
      const status = readFileSync(`/proc/self/task/${task}/stat`, 'latin1');
      found.set(task, Number(status.slice(status.lastIndexOf(')') + 2).split(' ')[16]));
    } catch {
      // It has ended since it was listed.
    }
  }
  return found;
}

describe('the worker pool', () => {
  let folder: string;
  let workerFile: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'proofgate-'));
    workerFile = join(folder, 'worker.mjs');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('starts the configured number of threads, all ready when the engine is', async () => {
    const { engine } = await startEngine({ workers: 3 });
    expect(engine.threads).toHaveLength(3);
    expect(engine.stats()).toMatchObject({ workers: 3, readyWorkers: 3, workerRestarts: 0 });
    await engine.close();
  });

  it.skipIf(process.platform !== 'linux')(
    'runs its threads with lower priority than the rest of the process (Linux)',
    async () => {
      const lower = Math.min(getPriority(0) + 5, 19);
      // Those of the test before may still be listed here, and not later.
      const before = threadPriorities();
      const { engine } = await startEngine({ workers: 3 });
      const after = [...threadPriorities()];
      const added = after.filter(([thread, priority]) => priority === lower && !before.has(thread));
      expect(added).toHaveLength(3);
      expect(after.map(([, priority]) => priority)).toContain(getPriority(0));
      await engine.close();
    },
  );

  it('fails to start when the worker file does not load, with the cause', async () => {
    writeFileSync(workerFile, "throw new Error('this file does not load');");
    await expect(startEngine({}, { workerFile })).rejects.toMatchObject({
      name: 'ServiceError',
      code: 'engine.worker_failed',
      message: expect.stringContaining('this file does not load'),
    });
  });

  it('fails to start when a worker fails its self-test, naming the vector', async () => {
    writeFileSync(
      workerFile,
      "throw new Error('engine.self_test_failed: native: EdDSA: the answer differs');",
    );
    await expect(startEngine({}, { workerFile })).rejects.toMatchObject({
      code: 'engine.self_test_failed',
      message: 'native: EdDSA: the answer differs',
    });
  });

  it('refuses all work, without hanging, when no worker can start', async () => {
    writeFileSync(workerFile, `export { handleTask } from ${JSON.stringify(realWorker)};`);
    const { engine, events } = await startEngine({ workers: 2, maxBatch: 4 }, { workerFile });
    await engine.registerKey('key', depthKey(30));
    expect(await engine.verify('key', proof, inputs)).toEqual({ ok: true });
    writeFileSync(workerFile, "throw new Error('the file is damaged');");
    const waiting = Array.from({ length: 40 }, () => engine.verify('key', proof, inputs));
    const settled = Promise.allSettled([...waiting, engine.poseidon(new Uint8Array(32))]);
    await Promise.all(engine.threads.map((thread) => thread.terminate()));
    const outcomes = await settled;
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({ code: 'engine.worker_failed' });
      else expect(outcome.value).toEqual({ ok: true });
    }
    await until(() => engine.threads.length === 0);
    const reason = expect.stringContaining('the file is damaged');
    expect(events).toContainEqual({ event: 'engine.failed', reason });
    await expect(engine.verify('key', proof, inputs)).rejects.toMatchObject({
      code: 'engine.worker_failed',
      message: reason,
    });
    await expect(engine.registerKey('other', depthKey(20))).rejects.toMatchObject({
      code: 'engine.worker_failed',
    });
    expect(engine.stats()).toMatchObject({ readyWorkers: 0, running: 0, queueDepth: 0 });
    await engine.close();
  });
});
