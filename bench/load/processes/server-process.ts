import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { BackendChoice } from '../../../src/engine/backends/backend.ts';
import { endProcess, onCores } from '../../support/child.ts';
import { program, root } from '../../support/paths.ts';

const run = promisify(execFile);
const START_LIMIT_MS = 30_000;

/** Settings of a server of the bench; all others have their defaults. */
export interface ServerSettings {
  readonly dataFolder: string;
  readonly backend: BackendChoice;
  readonly workers: number;
  readonly cores?: string;
  /** Further variables of its environment. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Settings that have no variable. */
  readonly configFile?: string;
}

/** A running server. */
export interface Server {
  readonly port: number;
  readonly pid: number;
  /** Time from the start of the process to the first successful answer of /healthz. */
  readonly startMs: number;
  /** Returns the ids of the system threads that run proofs. */
  proofThreads(): ReadonlySet<number>;
  stop(): Promise<void>;
}

// Records the worker threads; those of piscina run proofs.
const NAME_THREADS = new URL('./name-threads.mjs', import.meta.url).href;
const PROOF_THREAD = /\bpiscina\b/;

/** Returns the flags that `npm start` passes to Node. */
function startFlags(): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  return scripts.start.split(' ').filter((word) => word.startsWith('--'));
}

function proofThreads(file: string): ReadonlySet<number> {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  return new Set(lines.filter((line) => PROOF_THREAD.test(line)).map((line) => Number.parseInt(line, 10)));
}

function environment({ dataFolder, backend, workers, variables }: ServerSettings): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('PROOFGATE_'));
  return {
    ...Object.fromEntries(kept),
    PROOFGATE_PROFILE: 'bench',
    PROOFGATE_DATA_DIR: dataFolder,
    PROOFGATE_SERVER_PORT: '0',
    PROOFGATE_ADMIN_PORT: '0',
    PROOFGATE_ENGINE_BACKEND: backend,
    PROOFGATE_ENGINE_WORKERS: String(workers),
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
        proofThreads: () => proofThreads(threadsFile),
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
