// Rules: spec/engine.md#assurance
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { BACKEND_CHOICES } from '../../../src/engine/index.ts';
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
import { trapdoor } from '../../support/crypto/trapdoor.ts';

// A longer run: CASES=1000000 CROSS_CHECK_SUBJECTS=native-ifma,native-avx2 CROSS_CHECK_FILE=progress.json;
// after an interruption it resumes from that file.
const CASES = Number(process.env.CASES ?? (process.env.CI === 'true' ? 300 : 600));
const WANTED = process.env.CROSS_CHECK_SUBJECTS?.split(',');
const FILE = process.env.CROSS_CHECK_FILE;

const key = await trapdoor();
const addon = loadAddon();
const NAMES = [...BACKEND_CHOICES.filter((choice) => choice.includes('-')), 'snarkjs'];

/** Finds a subject by name. Returns undefined when this machine does not support it. */
async function subject(name: string): Promise<Subject | undefined> {
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

const subjects: Subject[] = [];
for (const name of WANTED ?? NAMES) {
  const found = await subject(name);
  if (found) subjects.push(found);
  else it.skip(`cross-check with ${name}: not available on this machine`, () => undefined);
}

afterAll(closeReference);

describe('cross-check of all arithmetics with snarkjs on known-trapdoor proofs', () => {
  it(
    `finds the same verdict, alone and in batches, for each of ${CASES} cases in ${CASE_CLASSES.length} classes`,
    async () => {
      const { verdicts, disagreements } = await crossCheck(key, subjects, CASES, FILE);
      const names = subjects.map(({ name }) => name).join(', ');
      console.log(
        `cross-check: ${CASES} cases, ${verdicts} verdicts of ${names}: ${disagreements.length} disagreements`,
      );
      expect(disagreements).toEqual([]);
      expect(subjects.length).toBeGreaterThan(0);
      expect(verdicts).toBeGreaterThan(CASES * subjects.length * 0.9);
    },
    120_000 + CASES * 500,
  );
});

describe('a cross-check that was interrupted', () => {
  it('resumes where it stopped, finds disagreements, and refuses the file of other subjects', async () => {
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
      await expect(crossCheck(key, [yes], BLOCK, file)).rejects.toThrow('other subjects: right');
      const { disagreements } = await crossCheck(key, [yes], CASE_CLASSES.length);
      expect(new Set(disagreements.map(({ name }) => name)).size).toBe(
        CASE_CLASSES.filter((name) => !name.startsWith('valid')).length,
      );
      expect(disagreements.map(({ batch }) => batch)).toContain('alone');
      expect(disagreements.some(({ batch }) => batch.startsWith('a false one'))).toBe(true);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }, 120_000);
});
