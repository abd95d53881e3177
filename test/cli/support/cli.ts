import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { runCli } from '../../../src/cli/cli.ts';
import type { BuildApp } from '../../../src/cli/program/command.ts';
import { loadHttpLibrary } from '../../../src/http/library/load-http-library.ts';
import { LibsqlConnection } from '../../../src/storage/drivers/libsql-connection.ts';
import { makeMigratedStore } from '../../support/server/migrated-store.ts';

/** Exit code and output of a command. */
export interface CliResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Input of a command in addition to its arguments. */
export interface CliInput {
  readonly stdin?: string | Readable;
  readonly env?: Record<string, string>;
  readonly isInteractive?: boolean;
  readonly now?: number;
  readonly buildApp?: BuildApp;
}

/** Arguments of a command: as a list, or as a line without quotes, whose words are separated by a space. */
export type CommandLine = string | readonly string[];

/** A temporary data folder, and commands that run on it in this process. */
export interface CliFolder {
  readonly path: string;
  run(argv: CommandLine, input?: CliInput): Promise<CliResult>;
  /** Runs with `--json` and returns the parsed result, which the caller knows the type of. Throws when the exit code is not 0. */
  json<T = Record<string, unknown>>(argv: CommandLine, input?: CliInput): Promise<T>;
  /** Expects that a command fails with an exit code, and a text on standard error. */
  fails(argv: CommandLine, code: number, text: string | RegExp, input?: CliInput): Promise<void>;
  remove(): Promise<void>;
}

/** Default time of commands, in milliseconds since the epoch. */
export const NOW: number = Date.UTC(2026, 5, 1, 12);

const noApp: BuildApp = () => Promise.reject(new Error('this command must not start a service'));

/** Runs a command in this process, which spares the second that the start of another takes. */
export async function runIn(path: string, argv: readonly string[], input: CliInput = {}): Promise<CliResult> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const stdin = typeof input.stdin === 'object' ? input.stdin : Readable.from([input.stdin ?? '']);
  const outText = text(stdout);
  const errText = text(stderr);
  const code = await runCli(argv, {
    buildApp: input.buildApp ?? noApp,
    findHttpLibrary: async ({ http }) => loadHttpLibrary(http.library).facts,
    env: { PROOFGATE_DATA_DIR: path, ...input.env },
    cwd: path,
    stdin,
    stdout,
    stderr,
    now: () => input.now ?? NOW,
    isInteractive: input.isInteractive ?? false,
  });
  stdout.end();
  stderr.end();
  return { code, stdout: await outText, stderr: await errText };
}

/** Creates a temporary data folder with a migrated store, as after a run of the service. */
export async function makeCliFolder(): Promise<CliFolder> {
  const folder = await makeEmptyCliFolder();
  await makeMigratedStore(join(folder.path, 'proofgate.db'));
  return folder;
}

/** How long a folder is used, and how it is made. */
export interface CliFolderUse {
  /** Whether all tests share the folder; each test has one of its own otherwise. */
  readonly isShared?: boolean;
  /** `makeCliFolder` if absent. */
  readonly make?: () => Promise<CliFolder>;
}

/** Returns the folder of the test that runs, which is made before the test and removed after it. */
export function useCliFolder({ isShared = false, make = makeCliFolder }: CliFolderUse = {}): CliFolder {
  let folder: CliFolder | undefined;
  const current = (): CliFolder => {
    if (folder === undefined) throw new Error('expected a test that runs');
    return folder;
  };
  const [before, after] = isShared ? [beforeAll, afterAll] : [beforeEach, afterEach];
  before(async () => {
    folder = await make();
  });
  after(async () => await folder?.remove());
  return {
    get path() {
      return current().path;
    },
    run: (argv, input) => current().run(argv, input),
    json: (argv, input) => current().json(argv, input),
    fails: (argv, code, text, input) => current().fails(argv, code, text, input),
    remove: () => current().remove(),
  };
}

/** Expects that a command fails with an exit code, and texts on standard error. */
export async function expectFailure(
  result: CliResult | Promise<CliResult>,
  code: number,
  ...texts: readonly (string | RegExp)[]
): Promise<void> {
  const { code: found, stderr } = await result;
  expect([found, stderr]).toEqual([code, expect.any(String)]);
  for (const text of texts) {
    if (typeof text === 'string') expect(stderr).toContain(text);
    else expect(stderr).toMatch(text);
  }
}

/** Makes the newest migration of a store pending, as after an upgrade of the program. */
export function unapplyNewestMigration(path: string): void {
  const connection = new LibsqlConnection(join(path, 'proofgate.db'), 5000);
  connection.execute(
    'delete from schema_migrations where version = (select max(version) from schema_migrations)',
  );
  connection.close();
}

function wordsOf(line: CommandLine): readonly string[] {
  return typeof line === 'string' ? line.split(' ') : line;
}

/** Creates a temporary data folder without a store. */
export async function makeEmptyCliFolder(): Promise<CliFolder> {
  const path = await mkdtemp(join(tmpdir(), 'proofgate-cli-'));
  const run: CliFolder['run'] = async (argv, input = {}) => await runIn(path, wordsOf(argv), input);
  return {
    path,
    run,
    async json<T>(argv: CommandLine, input: CliInput = {}) {
      const words = wordsOf(argv);
      const { code, stdout, stderr } = await run([...words, '--json'], input);
      if (code !== 0) {
        throw new Error(`${words.join(' ')}: exit code ${code}: ${stderr}`);
      }
      return JSON.parse(stdout) as T;
    },
    fails: async (argv, code, text, input = {}) => await expectFailure(await run(argv, input), code, text),
    remove: async () => await rm(path, { recursive: true }),
  };
}

/** Settings that production accepts, for a data folder. */
export function productionEnv(path: string): Record<string, string> {
  return {
    PROOFGATE_PROFILE: 'production',
    PROOFGATE_BASE_URL: 'https://id.example',
    PROOFGATE_STORAGE_URL: `libsql:${path}/proofgate.db`,
    PROOFGATE_ADMIN_TOKEN: 'sixteen-characters-at-least',
    PROOFGATE_KEYS_MASTER_KEY: `${'_-'.repeat(21)}w`,
  };
}
