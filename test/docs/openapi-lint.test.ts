// Rules: spec/operations.md#openapi
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const FOLDER = 'src/docs';
const PROGRAM = createRequire(import.meta.url).resolve('@redocly/cli/bin/cli.js');

interface Problem {
  readonly ruleId: string;
  readonly message: string;
  readonly location: readonly { readonly pointer?: string }[];
}

/** Returns the findings of the lint in a document, each with its rule and place. */
async function findingsOf(path: string): Promise<string[]> {
  const args = [PROGRAM, 'lint', '--config', '.redocly.yaml', '--format', 'json', path];
  // It would otherwise ask for the newest version of itself.
  const env = { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', REDOCLY_TELEMETRY: 'off' };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env, maxBuffer: 1 << 26 }).catch(
    // Status 1 says that there are findings; they are in the output.
    (error: { readonly stdout: string }) => error,
  );
  const { problems } = JSON.parse(stdout) as { readonly problems: readonly Problem[] };
  return problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`);
}

it.each(readdirSync(FOLDER).filter((name) => /^openapi.*\.json$/.test(name)))(
  'redocly has no finding in src/docs/%s',
  async (name) => {
    expect(await findingsOf(join(FOLDER, name))).toEqual([]);
  },
);
