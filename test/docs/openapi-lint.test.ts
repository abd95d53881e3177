// Rules: spec/operations.md#openapi
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

/** The bundle of the service, which has the documents. */
const FOLDER = 'dist/docs';
const PROGRAM = createRequire(import.meta.url).resolve('@redocly/cli/bin/cli.js');

interface Problem {
  readonly ruleId: string;
  readonly message: string;
  readonly location: readonly { readonly source: { readonly ref: string }; readonly pointer?: string }[];
}

/** Returns the findings of the lint in documents, each with its rule and place. */
async function findingsOf(paths: readonly string[]): Promise<string[]> {
  const args = [PROGRAM, 'lint', '--config', '.redocly.yaml', '--format', 'json', ...paths];
  // It would otherwise ask for the newest version of itself.
  const env = { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', REDOCLY_TELEMETRY: 'off' };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env, maxBuffer: 1 << 26 }).catch(
    // Status 1 says that there are findings; they are in the output.
    (error: { readonly stdout: string }) => error,
  );
  // One JSON object for each document, one after the other.
  const reports = JSON.parse(`[${stdout.replaceAll(/^\}\{$/gm, '},{')}]`) as { problems: Problem[] }[];
  expect(reports).toHaveLength(paths.length);
  const problems = reports.flatMap((report) => report.problems);
  return problems.map(({ ruleId, message, location: [place] }) =>
    [place?.source.ref, ruleId, place?.pointer, message].join(' '),
  );
}

it('redocly has no finding in the OpenAPI documents of the packages', async () => {
  const documents = readdirSync(FOLDER).filter((name) => /^openapi.*\.json$/.test(name));
  expect(documents.length).toBeGreaterThan(1);
  expect(await findingsOf(documents.map((name) => join(FOLDER, name)))).toEqual([]);
});
