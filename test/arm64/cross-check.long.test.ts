// Rules: spec/engine.md#assurance
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { depthKey, PROOFS } from '../engine/support/vectors.ts';
import { CASE_CLASSES, type ProofCase, proofCases } from '../support/crypto/proof-cases.ts';
import { trapdoor } from '../support/crypto/trapdoor.ts';
import { EMULATED_NODE, MISSING, NOT_RUN } from './support/emulator.ts';

const CASES = 20_000;
const PROCESSES = 2;
const CHECKER = fileURLToPath(new URL('support/check-cases.mjs', import.meta.url));

interface Report {
  readonly arithmetic: string;
  readonly checked: number;
  readonly disagreements: readonly unknown[];
}

/** Verifies a range of the cases in a folder under emulation. */
async function check(folder: string, caseBytes: number, from: number, end: number): Promise<Report> {
  const [program, ...options] = EMULATED_NODE;
  const args = [...options, CHECKER, folder, ...[caseBytes, from, end].map(String)];
  const { stdout } = await promisify(execFile)(program, args);
  return JSON.parse(stdout) as Report;
}

type Case = Omit<ProofCase, 'name'>;

/** Verifies cases under one key in several processes, and expects the verdict of each. */
async function expectVerdicts(key: Uint8Array, cases: readonly Case[], processes: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'proofgate-arm64-'));
  try {
    const bytes = cases.map(({ proof, inputs }) => Buffer.concat([proof, inputs]));
    writeFileSync(join(folder, 'key'), key);
    writeFileSync(join(folder, 'cases'), Buffer.concat(bytes));
    writeFileSync(join(folder, 'verdicts'), Buffer.from(cases.map(({ expected }) => expected)));
    const share = cases.length / processes;
    const reports = await Promise.all(
      Array.from({ length: processes }, (_, index) =>
        check(folder, bytes[0]?.length ?? 0, index * share, (index + 1) * share),
      ),
    );
    for (const report of reports)
      expect(report).toEqual({ arithmetic: 'arm64', checked: share, disagreements: [] });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe.skipIf(MISSING !== undefined)(`the committed addon on ARM64, under emulation${NOT_RUN}`, () => {
  it(`gives ${CASES} cases of every class the verdict that they have by construction`, async () => {
    const key = await trapdoor();
    expect(CASES).toBeGreaterThan(CASE_CLASSES.length);
    const cases: Case[] = [];
    for await (const one of proofCases(key, CASES, 'arm64')) cases.push(one);
    await expectVerdicts(key.key, cases, PROCESSES);
  }, 900_000);

  it.each([16, 20, 30])(
    'accepts the proofs of other provers at depth %i, for their inputs alone',
    async (depth) => {
      const real = PROOFS.filter((proof) => proof.depth === depth);
      expect(real).not.toEqual([]);
      const cases = real.flatMap<Case>(({ proof, inputs, compressed }) => {
        const others = inputs.with(-1, (inputs.at(-1) ?? 0) ^ 1);
        return [proof, ...(compressed === undefined ? [] : [compressed])].flatMap<Case>((form) => [
          { proof: form, inputs, expected: 1 },
          { proof: form, inputs: others, expected: 2 },
        ]);
      });
      await expectVerdicts(depthKey(depth), cases, 1);
    },
  );
});
