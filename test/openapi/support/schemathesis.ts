/** Runs schemathesis, which makes requests from an OpenAPI document and checks the answers with it. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where `.ci/deploy-tools.sh` installs it. */
const PROGRAM = fileURLToPath(new URL('../../../.cache/schemathesis/bin/schemathesis', import.meta.url));
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** Enough to read the findings of a run that CI made. */
const MAX_SHOWN_CHARACTERS = 20_000;

/** Whether schemathesis is installed. */
export const isSchemathesisPresent: boolean = existsSync(PROGRAM);

/** Suffix of the title of a test that is skipped without schemathesis. */
export const SCHEMATHESIS_SKIP: string = isSchemathesisPresent ? '' : ' [skipped: no schemathesis]';

/** Parts of a run. */
export interface SchemathesisRun {
  /** Address of the document; the calls go to its `servers`, relative to it. */
  readonly documentUrl: string;
  /** Configuration in `test/openapi`, with the checks and their exceptions. */
  readonly configFile: string;
  /** Variables that the configuration names. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Outcome of a run. */
export interface SchemathesisReport {
  /** Findings, errors and warnings that the configuration forbids, as schemathesis words them; empty if there are none. */
  readonly findings: string;
  /** Requests that were made and judged. */
  readonly cases: number;
  /** Operations that were called. */
  readonly operations: number;
}

/** Runs schemathesis over a document. The same document and answers lead to the same requests. */
export async function runSchemathesis({
  documentUrl,
  configFile,
  environment,
}: SchemathesisRun): Promise<SchemathesisReport> {
  // Its cache and its database of examples would make a run depend on those before it.
  const cwd = mkdtempSync(join(tmpdir(), 'proofgate-schemathesis-'));
  try {
    const config = fileURLToPath(new URL(`../${configFile}`, import.meta.url));
    const args = ['--config-file', config, 'run', documentUrl, '--no-color'];
    const { output, isClean } = await run(args, cwd, environment);
    const numberAfter = (pattern: RegExp): number => Number(pattern.exec(output)?.[1] ?? 0);
    return {
      findings: isClean ? '' : findingsIn(output).slice(0, MAX_SHOWN_CHARACTERS),
      cases: numberAfter(/^ *(\d+) generated/m),
      operations: numberAfter(/^ *Tested: (\d+)/m),
    };
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

function run(
  args: readonly string[],
  cwd: string,
  environment: SchemathesisRun['environment'],
): Promise<{ readonly output: string; readonly isClean: boolean }> {
  const env = { ...process.env, ...environment };
  return new Promise((resolve) => {
    execFile(PROGRAM, args, { cwd, env, maxBuffer: MAX_OUTPUT_BYTES }, (error, stdout, stderr) =>
      resolve({ output: `${stdout}\n${stderr}`, isClean: error === null }),
    );
  });
}

/** Returns what follows the progress of the phases: errors, failures and the summary. */
function findingsIn(output: string): string {
  const start = output.search(/^=+ (?:ERRORS|FAILURES|WARNINGS) =+$/m);
  return start < 0 ? output : output.slice(start);
}
