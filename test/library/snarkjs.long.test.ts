// A longer run, in two processes: node .scripts/snarkjs-differential.mjs 50000
import { afterAll, describe, expect, it } from 'vitest';
import { BACKEND_CHOICES } from '../../src/engine/backends/backend.ts';
import { createEngine, type EngineOptions } from '../../src/library/index.ts';
import { compare, DIFFERING, oursOn, type Subject, theirs } from '../support/snarkjs/differential.ts';

/** For each WebAssembly module. */
const CASES = 500;
/** Other cases than those of the short test. */
const FROM = 100_000;

const MODULES = BACKEND_CHOICES.filter((choice) => choice.startsWith('wasm-'));

async function isAvailable(backend: EngineOptions['backend']): Promise<boolean> {
  try {
    await (await createEngine({ ...(backend ? { backend } : {}), workers: 0 })).close();
    return true;
  } catch {
    return false;
  }
}

const hasAddon = await isAvailable('native');
const available = await Promise.all(MODULES.map(isAvailable));
const rows = MODULES.map((module, index) => ({ module, at: FROM + index * CASES, isHere: available[index] }));

describe('groth16.verify of proofgate/snarkjs', () => {
  afterAll(() => theirs.close());

  for (const { module, at, isHere } of rows) {
    const backends = [...(hasAddon ? (['native'] as const) : []), ...(isHere ? [module] : [])];
    const isSkipped = backends.length === 0;
    it.skipIf(isSkipped)(
      `on ${backends.join(' and ') || module} differs from snarkjs as listed only`,
      async () => {
        const subjects: Subject[] = backends.map((backend) => oursOn(backend, { backend, workers: 0 }));
        const { disagreements, differences } = await compare(subjects, at, at + CASES);
        for (const one of subjects) await one.close();
        expect(disagreements).toEqual([]);
        expect(Object.keys(differences)).toEqual(expect.arrayContaining([...DIFFERING]));
      },
    );
  }
});
