// Rules: spec/engine.md#assurance
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { BACKEND_CHOICES } from '../../../src/engine/backends/backend.ts';
import {
  BLOCK,
  crossCheck,
  moduleSubject,
  type Subject,
  snarkjsSubject,
} from '../../support/crypto/cross-check.ts';
import { loadAddon, loadWasm, supportsArithmetic } from '../../support/crypto/crypto-modules.ts';
import { CASE_CLASSES, type ProofCase } from '../../support/crypto/proof-cases.ts';
import { closeReference } from '../../support/crypto/reference-verdict.ts';
import { type Trapdoor, trapdoor } from '../../support/crypto/trapdoor.ts';

// A longer run: CASES=1000000 CROSS_CHECK_SUBJECTS=native-ifma,native-avx2 CROSS_CHECK_FILE=progress.json;
// after an interruption it resumes from that file. CROSS_CHECK_INPUTS=15 selects the key of World ID 4.0 alone.
const CASES = Number(process.env.CASES ?? (process.env.CI === 'true' ? 300 : 600));
const INPUTS = process.env.CROSS_CHECK_INPUTS;
const WANTED = process.env.CROSS_CHECK_SUBJECTS?.split(',');
const FILE = process.env.CROSS_CHECK_FILE;

/** Public inputs of the key and number of cases of each run. */
const RUNS: readonly (readonly [inputs: number, count: number])[] =
  INPUTS === undefined
    ? [
        [4, CASES],
        [15, Math.ceil(CASES / 4)],
      ]
    : [[Number(INPUTS), CASES]];

const addon = loadAddon();
const NAMES = [...BACKEND_CHOICES.filter((choice) => choice.includes('-')), 'snarkjs'];

/** Finds a subject by name. Returns undefined when this machine does not support it. */
async function subject(name: string, key: Trapdoor): Promise<Subject | undefined> {
  if (name === 'snarkjs') return snarkjsSubject(key);
  if (name === 'wasm-relaxed' || name === 'wasm-simd' || name === 'wasm-scalar') {
    const module = await loadWasm(name).catch(() => undefined);
    return module && moduleSubject(name, module, key);
  }
  const arithmetic = name.replace('native-', '');
  if (!addon || !supportsArithmetic(addon, arithmetic)) return undefined;
  addon.selectArithmetic(arithmetic);
  return moduleSubject(name, addon, key);
}

/** Finds the subjects that this machine supports, and reports the others as skipped. */
async function subjectsOf(key: Trapdoor): Promise<Subject[]> {
  const found: Subject[] = [];
  for (const name of WANTED ?? NAMES) {
    const one = await subject(name, key);
    if (one) found.push(one);
    else it.skip(`cross-check with ${name}: not available on this machine`, () => undefined);
  }
  return found;
}

const keys = await Promise.all(RUNS.map(([inputs]) => trapdoor(inputs)));
const subjects: Subject[][] = [];
for (const key of keys) subjects.push(await subjectsOf(key));

afterAll(closeReference);

describe('cross-check of all arithmetics with snarkjs on known-trapdoor proofs', () => {
  it.each(RUNS.map(([inputs, count], run) => ({ inputs, count, run })))(
    `finds the same verdict, alone and in batches, in ${CASE_CLASSES.length} classes: $count cases with $inputs inputs`,
    async ({ inputs, count, run }) => {
      const [key, all] = [keys[run] as Trapdoor, subjects[run] as Subject[]];
      // a file belongs to one run
      const { verdicts, disagreements } = await crossCheck(key, all, count, run === 0 ? FILE : undefined);
      const names = all.map(({ name }) => name).join(', ');
      console.log(
        `cross-check: ${count} cases with ${inputs} inputs, ${verdicts} verdicts of ${names}: ${disagreements.length} disagreements`,
      );
      expect(disagreements).toEqual([]);
      expect(all.length).toBeGreaterThan(0);
      expect(verdicts).toBeGreaterThan(count * all.length * 0.9);
    },
    120_000 + CASES * 500,
  );
});

describe('a cross-check that was interrupted', () => {
  it('resumes where it stopped, finds disagreements, and refuses the file of other subjects', async () => {
    const key = await trapdoor(4);
    const folder = mkdtempSync(join(tmpdir(), 'proofgate-'));
    const file = join(folder, 'progress.json');
    const seen: ProofCase[][] = [];
    const right: Subject = {
      name: 'right',
      isBatching: false,
      async verify(cases) {
        seen.push([...cases]);
        return cases.map(({ expected }) => expected);
      },
    };
    try {
      expect((await crossCheck(key, [right], BLOCK, file)).verdicts).toBe(BLOCK);
      const first = seen.splice(0);
      const progress = await crossCheck(key, [right], 2 * BLOCK, file);
      expect(progress).toMatchObject({ blocks: 2, verdicts: 2 * BLOCK, disagreements: [] });
      expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(progress);
      expect(seen).toHaveLength(BLOCK);
      expect(seen[0]).not.toEqual(first[0]);
      const yes: Subject = { name: 'yes', isBatching: true, verify: async (cases) => cases.map(() => 1) };
      await expect(crossCheck(key, [yes], BLOCK, file)).rejects.toThrow('other subjects: right, 4 inputs');
      const larger = { ...key, inputCount: 15 };
      await expect(crossCheck(larger, [right], BLOCK, file)).rejects.toThrow('right, 4 inputs');
      const { disagreements } = await crossCheck(key, [yes], CASE_CLASSES.length);
      expect(new Set(disagreements.map(({ name }) => name)).size).toBe(
        CASE_CLASSES.filter((name) => !name.startsWith('valid')).length,
      );
      expect(disagreements.map(({ batch }) => batch)).toContain('alone');
      expect(disagreements.some(({ batch }) => batch.startsWith('a false one'))).toBe(true);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
