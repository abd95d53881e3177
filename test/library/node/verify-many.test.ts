import { afterEach, describe, expect, it } from 'vitest';
import type { ProofEngine } from '../../../src/engine/proof-engine.ts';
import { Engine, type Statement } from '../../../src/library/facade/engine.ts';
import { NodeCore } from '../../../src/library/node/create-engine.ts';
import { settings, startEngine } from '../../engine/support/describe-engine.ts';
import { casesOf } from '../../support/cases.ts';
import { collectGarbage } from '../../support/collect-garbage.ts';
import { KEY, PROOF_BYTES, SIGNAL_BYTES, SIGNALS } from '../support/semaphore-statement.ts';

const VALID: Statement = { proof: PROOF_BYTES, publicSignals: SIGNAL_BYTES };
const FALSE: Statement = { proof: PROOF_BYTES, publicSignals: ['1', ...SIGNALS.slice(1)] };
/** One in so many statements does not hold. */
const FALSE_EVERY = 500;

const started: ProofEngine[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((engine) => engine.close()));
});

async function start(workers: number): Promise<{ engine: ProofEngine; library: Engine }> {
  const { engine } = await startEngine({ workers });
  started.push(engine);
  const library = new Engine(new NodeCore(engine, settings({ workers })));
  await library.addKey('key', KEY);
  return { engine, library };
}

async function* statements(count: number): AsyncGenerator<Statement> {
  for (let index = 0; index < count; index++) yield index % FALSE_EVERY === 0 ? FALSE : VALID;
}

describe('verifyMany on worker threads', () => {
  it('loses no verdict when workers are killed', async () => {
    const { engine, library } = await start(2);
    const count = casesOf(3000, 1200);
    let checked = 0;
    for await (const { valid } of library.verifyMany('key', statements(count))) {
      expect(valid).toBe(checked % FALSE_EVERY !== 0);
      checked += 1;
      if (checked % (count / 3) === 100) await engine.threads[0]?.terminate();
    }
    expect(checked).toBe(count);
    expect(engine.stats().workerRestarts).toBeGreaterThan(0);
  });

  it('takes a source of any length in constant memory', async () => {
    const { library } = await start(1);
    const used = async (): Promise<number> => {
      await collectGarbage();
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    const round = casesOf(3000, 1500);
    const perRound: number[] = [];
    let checked = 0;
    for await (const _ of library.verifyMany('key', statements(3 * round))) {
      checked += 1;
      if (checked % round === 0) perRound.push(await used());
    }
    const [first = 0, , last = 0] = perRound;
    // 3,000 statements and verdicts have about 2 MB.
    expect(last - first).toBeLessThan(1_000_000);
  });
});
