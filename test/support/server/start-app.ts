import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { buildApp } from '../../../src/app/app.ts';
import type { RunningApp } from '../../../src/cli/program/command.ts';
import { loadConfig } from '../../../src/config/sources/load.ts';
import { openStore } from '../../../src/storage/open-store.ts';
import type { Store } from '../../../src/storage/store.ts';
import { environmentOf, environmentOfTest } from './environment-of.ts';
import { startWithSharedKeys } from './shared-keys.ts';
import { fillUsedFolder } from './used-folder.ts';

/** Options of a service for tests. */
export interface StartAppOptions {
  /** Settings by key, e.g. `{'engine.backend': 'wasm'}`, which override those for tests. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Clock, in milliseconds since the epoch. */
  readonly now?: () => number;
  /** A data folder that outlives the service; if absent, one of a service that ran before is removed at the end. */
  readonly dataDir?: string;
  /** Starts in an empty data folder, in which the service makes its keys; takes much longer. */
  readonly isFirstStart?: boolean;
}

/** A service in this process, on free ports, with its log in memory. */
export interface StartedApp extends RunningApp {
  readonly dataDir: string;
  /** Log lines so far. */
  readonly log: () => string;
  /** Log lines so far that contain a text, parsed. */
  readonly logLines: (text: string) => Readonly<Record<string, unknown>>[];
  /** Opens a second connection to the store of the service, like that of a command. */
  openStore(): Promise<Store>;
}

/** Starts the service as `serve` does, in profile `test`. */
export async function startApp(options: StartAppOptions = {}): Promise<StartedApp> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'proofgate-test-'));
  if (options.dataDir === undefined && !options.isFirstStart)
    await fillUsedFolder(dataDir, options.settings ?? {}, options.now?.());
  const { config, origins, values, warnings } = await loadConfig({
    env: environmentOfTest(
      environmentOf({
        profile: 'test',
        dataDir,
        'server.port': '0',
        'admin.port': '0',
        'log.level': 'info',
        // A thread takes longer to start than most tests run; test/engine has the pool.
        'engine.workers': '0',
        // The threads of front ends have no other clock than that of the machine.
        ...(options.now === undefined ? {} : { 'server.frontEnds': '1' }),
        ...options.settings,
      }),
    ),
    cwd: dataDir,
  });
  const chunks: string[] = [];
  const logDestination = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  const log = (): string => chunks.join('');
  const logLines: StartedApp['logLines'] = (text) =>
    log()
      .split('\n')
      .filter((line) => line.includes(text))
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  const start = (): Promise<RunningApp> =>
    buildApp(config, {
      migrate: true,
      origins,
      values,
      warnings,
      logDestination,
      ...(options.now ? { now: options.now } : {}),
    });
  const app = await startWithSharedKeys(start);
  return {
    ...app,
    dataDir,
    log,
    logLines,
    openStore: () => openStore(config.storage, { writesInline: true }),
    async stop() {
      const isClean = await app.stop();
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
      return isClean;
    },
  };
}
