// Rules: spec/engine.md#lost-batches
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../../src/engine/create-engine.ts';
import type { ProofEngine } from '../../../src/engine/proof-engine.ts';
import { trapdoor } from '../../support/crypto/trapdoor.ts';
import { until } from '../../support/until.ts';
import { describeBackend, settings, startEngine } from '../support/describe-engine.ts';
import { bytes, CREDENTIALS, depthKey, PROOFS, word } from '../support/vectors.ts';

const KILLS = 16;

interface Known {
  readonly keyId: string;
  readonly proof: Uint8Array;
  readonly inputs: Uint8Array;
  readonly ok: boolean;
}

/** Proofs with known verdicts, in an order that reveals a verdict of a neighbour. */
async function knownProofs(engine: ProofEngine): Promise<Known[]> {
  const key = await trapdoor(2);
  await engine.registerKey('trapdoor', key.key);
  await engine.registerKey('depth30', depthKey(30));
  const generated = Array.from({ length: 24 }, (_, index): Known => {
    const values = [BigInt(index) + 1n, 77n];
    const ok = (index * 7) % 3 !== 0;
    const inputs = new Uint8Array(Buffer.concat(values.map((value) => word(String(value)))));
    return { keyId: 'trapdoor', proof: key.prove(values, BigInt(index) + 3n, 5n, !ok), inputs, ok };
  });
  const real = PROOFS.filter(({ depth }) => depth === 30).map((row, index): Known => {
    const inputs = row.inputs.slice();
    const ok = index % 2 === 0;
    if (!ok) inputs[127] = (inputs[127] as number) ^ 1;
    return { keyId: 'depth30', proof: row.proof, inputs, ok };
  });
  return [...generated, ...real.slice(0, 24)];
}

describeBackend('a worker that dies', (backend) => {
  it('loses no proof and no call in its slots', async () => {
    const { engine, events } = await startEngine({ backend, workers: 1 });
    const known = await knownProofs(engine);
    const [row] = CREDENTIALS.eddsa;
    await engine.registerSigningKey('issuer', bytes(row?.seed_hex as string));
    const verdicts = known.map(({ keyId, proof, inputs }) => engine.verify(keyId, proof, inputs));
    const signature = engine.signCredentialHash('issuer', word(row?.message as string));
    await Promise.resolve();
    await engine.threads[0]?.terminate();
    expect((await Promise.all(verdicts)).map(({ ok }) => ok)).toEqual(known.map(({ ok }) => ok));
    expect(await signature).toEqual(bytes(row?.signature as string));
    expect(engine.stats()).toMatchObject({ poisoned: 0, workerRestarts: 1 });
    expect(events).toContainEqual(expect.objectContaining({ event: 'engine.worker_lost', restarts: 1 }));
    await engine.close();
  });

  it('is replaced while idle, even when its successor dies during its start', async () => {
    const { engine } = await startEngine({ backend });
    await engine.registerKey('depth30', depthKey(30));
    await Promise.all(engine.threads.map((thread) => thread.terminate()));
    await until(() => engine.threads.length > 0);
    await Promise.all(engine.threads.map((thread) => thread.terminate()));
    await until(() => engine.stats().readyWorkers === 2);
    const { proof, inputs } = PROOFS.find(({ depth }) => depth === 30) as (typeof PROOFS)[number];
    expect(await engine.verify('depth30', proof, inputs)).toEqual({ ok: true });
    expect(engine.stats().workerRestarts).toBeGreaterThanOrEqual(3);
    await engine.close();
  });
});

describe('a worker that is terminated repeatedly', () => {
  it(`fails no request and confuses no verdicts in ${KILLS} kills under load`, async () => {
    const engine = await createEngine(settings({ workers: 2, maxBatch: 8 }));
    const known = await knownProofs(engine);
    let [isOver, answers] = [false, 0];
    const wrong: string[] = [];
    const client = async (offset: number): Promise<void> => {
      for (let index = offset; !isOver; index += 1) {
        const { keyId, proof, inputs, ok } = known[index % known.length] as Known;
        const verdict = await engine.verify(keyId, proof, inputs);
        answers += 1;
        if (verdict.ok !== ok || verdict.code)
          wrong.push(`${index}: ${JSON.stringify(verdict)}, expected ${ok}`);
      }
    };
    const clients = Promise.all(Array.from({ length: 48 }, (_, index) => client(index * 5)));
    for (let kills = 0; kills < KILLS; kills += 1) {
      const before = answers;
      await until(() => engine.stats().readyWorkers === 2 && answers > before + known.length);
      await engine.threads[kills % 2]?.terminate();
    }
    isOver = true;
    await clients;
    const { workerRestarts, poisoned } = engine.stats();
    expect(wrong).toEqual([]);
    expect(poisoned).toBe(0);
    expect(workerRestarts).toBe(KILLS);
    await engine.close();
  });
});
