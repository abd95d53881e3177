// A longer run, in two processes: node .scripts/snarkjs-differential.mjs 50000
import { afterAll, describe, expect, it } from 'vitest';
import { BACKEND_CHOICES } from '../../src/engine/index.ts';
import { createEngine } from '../../src/library/index.ts';
import { compare, LISTED, oursOn, type Subject, theirs } from '../support/snarkjs/differential.ts';

const CASES = 2000;
/** Other cases than those of the short test. */
const FROM = 100_000;

const subjects: Subject[] = [];
for (const backend of [
  'native',
  ...BACKEND_CHOICES.filter((choice) => choice.startsWith('wasm-')),
] as const) {
  const isAvailable = await createEngine({ backend, workers: 0 }).then(
    async (engine) => {
      await engine.close();
      return true;
    },
    () => false,
  );
  if (isAvailable) subjects.push(oursOn(backend, { backend, workers: 0 }));
  else it.skip(`proofgate/snarkjs on ${backend}: not available on this machine`, () => undefined);
}

describe('groth16.verify of proofgate/snarkjs on each module', () => {
  afterAll(async () => {
    for (const one of [...subjects, theirs]) await one.close();
  });

  it(`differs from snarkjs as listed only, in ${CASES} cases`, async () => {
    const { disagreements, differences } = await compare(subjects, FROM, FROM + CASES);
    expect(disagreements).toEqual([]);
    expect(Object.keys(differences).sort()).toEqual([...LISTED].sort());
  });
});
