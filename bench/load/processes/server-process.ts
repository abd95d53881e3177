import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { BackendChoice } from '../../../src/engine/backends/backend.ts';
import { endProcess, onCores } from '../../support/child.ts';
import { program, root } from '../../support/paths.ts';
import type { ThreadRole, ThreadRoles } from './process-cpu.ts';

const run = promisify(execFile);
const START_LIMIT_MS = 30_000;

/** Settings of a server of the bench; all others have their defaults. */
export interface ServerSettings {
  readonly dataFolder: string;
  readonly backend: BackendChoice;
  readonly workers: number;
  /** Default: one. */
  readonly frontEnds?: number;
  readonly cores?: string;
  /** Further variables of its environment. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Settings that have no variable. */
  readonly configFile?: string;
}

/** Keys that nodes of one PostgreSQL share. */
export const SHARED_KEYS: Readonly<Record<string, string>> = {
  PROOFGATE_KEYS_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
  PROOFGATE_APPS_SECRET_HMAC_KEY: Buffer.alloc(32, 2).toString('base64'),
};

/** A running server. */
export interface Server {
  readonly port: number;
  readonly pid: number;
  /** Time from the start of the process to the first successful answer of /healthz. */
  readonly startMs: number;
  /** Returns the roles of its worker threads. */
  threadRoles(): ThreadRoles;
  stop(): Promise<void>;
}

// Records the worker threads.
const NAME_THREADS = new URL('./name-threads.mjs', import.meta.url).href;
/** Programs of worker threads, by the end of their file in the build; piscina's own starts those that run proofs. */
const PROGRAMS: readonly (readonly [end: string, role: ThreadRole])[] = [
  ['/dist/worker.js', 'worker'],
  ['/libsql-worker.js', 'database'],
  ['/front-end-thread.js', 'front_end'],
];

/** Returns the flags that `npm start` passes to Node. */
function startFlags(): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  return scripts.start.split(' ').filter((word) => word.startsWith('--'));
}

function threadRoles(file: string): ThreadRoles {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
  return new Map(
    lines.map((line) => {
      const role = PROGRAMS.find(([end]) => line.endsWith(end))?.[1];
      return [Number.parseInt(line, 10), role ?? 'runtime'];
    }),
  );
}

function environment({
  dataFolder,
  backend,
  workers,
  frontEnds = 1,
  variables,
}: ServerSettings): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('PROOFGATE_'));
  return {
    ...Object.fromEntries(kept),
    PROOFGATE_PROFILE: 'bench',
    PROOFGATE_DATA_DIR: dataFolder,
    PROOFGATE_SERVER_PORT: '0',
    PROOFGATE_ADMIN_PORT: '0',
    PROOFGATE_ENGINE_BACKEND: backend,
    PROOFGATE_ENGINE_WORKERS: String(workers),
    PROOFGATE_SERVER_FRONT_ENDS: String(frontEnds),
    PROOFGATE_LOG_FORMAT: 'json',
    ...variables,
  };
}

/** Runs one command of the program on the server's data folder; a failure rejects with its output. */
export async function runCommand(settings: ServerSettings, args: readonly string[]): Promise<void> {
  await run(process.execPath, [program, ...args], { cwd: root, env: environment(settings) });
}

async function isHealthy(port: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`);
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}

/** Finds the public port: the one among the printed ports that answers /healthz. */
async function findPort(output: string): Promise<number | undefined> {
  const printed = output.matchAll(/https?:\/\/(?:127\.0\.0\.1|localhost):(\d+)/g);
  for (const port of new Set([...printed].map((match) => Number(match[1])))) {
    if (port > 0 && (await isHealthy(port))) return port;
  }
  return undefined;
}

/**
 * Starts the built server. Its log goes to a file at the default level, as in production.
 *
 * @throws Error with the end of its output if it exits or does not answer within 30 s
 */
export async function startServer(settings: ServerSettings): Promise<Server> {
  const logFile = join(settings.dataFolder, 'bench-server.txt');
  const log = openSync(logFile, 'a');
  const threadsFile = join(settings.dataFolder, `bench-threads-${randomUUID()}.txt`);
  const [command, args] = onCores(settings.cores, [
    ...startFlags(),
    '--import',
    NAME_THREADS,
    program,
    'serve',
    '--migrate',
    ...(settings.configFile === undefined ? [] : ['--config', settings.configFile]),
  ]);
  const began = performance.now();
  const child = spawn(command, args, {
    cwd: root,
    env: { ...environment(settings), BENCH_THREADS: threadsFile },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const from = readFileSync(logFile).length;
  for (;;) {
    const output = readFileSync(logFile, 'utf8').slice(from);
    const port = await findPort(output);
    if (port !== undefined) {
      const startMs = performance.now() - began;
      const pid = child.pid as number;
      return {
        port,
        pid,
        startMs,
        threadRoles: () => threadRoles(threadsFile),
        stop: () => endProcess(child),
      };
    }
    if (child.exitCode !== null || performance.now() - began > START_LIMIT_MS) {
      await endProcess(child);
      throw new Error(`the server did not start:\n${output.slice(-2000)}`);
    }
    await pause(5);
  }
}
