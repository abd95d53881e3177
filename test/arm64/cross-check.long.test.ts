// Rules: spec/engine.md#assurance
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { CASE_CLASSES, proofCases } from '../support/crypto/proof-cases.ts';
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

describe('the committed addon on ARM64, under emulation', () => {
  it.skipIf(MISSING !== undefined)(
    `gives ${CASES} cases of every class the verdict that they have by construction${NOT_RUN}`,
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'proofgate-arm64-'));
      try {
        const key = await trapdoor();
        const cases: Uint8Array[] = [];
        const verdicts: number[] = [];
        for await (const { proof, inputs, expected } of proofCases(key, CASES, 'arm64')) {
          cases.push(Buffer.concat([proof, inputs]));
          verdicts.push(expected);
        }
        expect(CASES).toBeGreaterThan(CASE_CLASSES.length);
        const [caseBytes = 0] = cases.map(({ length }) => length);
        writeFileSync(join(folder, 'key'), key.key);
        writeFileSync(join(folder, 'cases'), Buffer.concat(cases));
        writeFileSync(join(folder, 'verdicts'), Buffer.from(verdicts));
        const share = CASES / PROCESSES;
        const reports = await Promise.all(
          Array.from({ length: PROCESSES }, (_, index) =>
            check(folder, caseBytes, index * share, (index + 1) * share),
          ),
        );
        for (const report of reports)
          expect(report).toEqual({ arithmetic: 'arm64', checked: share, disagreements: [] });
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
    900_000,
  );
});
