import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { groth16, terminate } from '../../src/library/snarkjs.ts';
import { casesOf } from '../support/cases.ts';
import { useOneThreadCurves } from '../support/crypto/one-thread-curves.ts';
import {
  type Counts,
  caseAt,
  compare,
  DIFFERING,
  oursOn,
  type Subject,
  theirs,
} from '../support/snarkjs/differential.ts';

/** The odd cases are of every class once, the even ones plain proofs. */
const CASES = 174;
const PLAIN = casesOf(CASES / 2, 16);
const INDICES = Array.from({ length: CASES }, (_, index) => index).filter(
  (index) => index % 2 === 1 || index < 2 * PLAIN,
);

describe('groth16.verify of proofgate/snarkjs', () => {
  useOneThreadCurves('bn128', 'bls12381');
  let subjects: Subject[];
  beforeAll(() => {
    // Without the addon `auto` is WASM, too, in a worker.
    subjects = [
      oursOn('auto', { backend: 'auto', workers: 1 }),
      oursOn('wasm', { backend: 'wasm', workers: 0 }),
    ];
  });
  afterAll(async () => {
    for (const one of [...subjects, theirs]) await one.close();
    await terminate();
  });

  it('answers as snarkjs does, except for the listed differences', async () => {
    const counts: Counts = { cases: 0, agreements: 0, differences: {}, disagreements: [] };
    for (const index of INDICES) await compare(subjects, index, index + 1, counts);
    const { disagreements, differences, cases, agreements } = counts;
    expect(disagreements).toEqual([]);
    const differing = Object.values(differences).flatMap((one) => Object.values(one));
    expect(cases).toBe(INDICES.length);
    expect(agreements + differing.reduce((sum, number) => sum + number, 0)).toBe(INDICES.length);
    expect(Object.keys(differences)).toEqual(expect.arrayContaining([...DIFFERING]));
  });

  it('writes to the logger what snarkjs writes', async () => {
    const seen = new Set<string>();
    for (let index = 0; index < casesOf(32, 12); index++) {
      const { draft } = await caseAt(2 * index);
      const [mine, other]: [string[], string[]] = [[], []];
      const loggerOf = (lines: string[]): Parameters<typeof groth16.verify>[3] => ({
        info: (line) => lines.push(`info ${line}`),
        error: (line) => lines.push(`error ${line}`),
      });
      const { key, signals, proof } = draft;
      await groth16.verify(key, signals, proof, loggerOf(mine));
      await (theirs.verify as typeof groth16.verify)(key, signals, proof, loggerOf(other));
      expect(mine).toEqual(other);
      for (const line of mine) seen.add(line);
    }
    expect([...seen].sort()).toEqual([
      'error Invalid proof',
      'error Proof commitments are not valid.',
      'info OK!',
    ]);
  });
});
