import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { compiledFile } from '../compiled-file.ts';
import type { EngineSettings } from '../engine/engine.ts';
import type { CircuitStatus } from '../pages.ts';
import { findCircuitFiles } from './circuit-files.ts';
import { type SetupJob, type SetupMessage, type SetupStage, shareDone } from './setup/stages.ts';

/** Progress and outcome of a circuit build. */
export type CircuitEvent =
  | { readonly event: 'circuit.making'; readonly what: string }
  | { readonly event: 'circuit.ready'; readonly seconds: number }
  | { readonly event: 'circuit.failed'; readonly code: string; readonly reason: string };

/** Dependencies of a circuit maker. */
export interface CircuitMakerParts {
  readonly dataDir: string;
  readonly engine: EngineSettings;
  readonly onEvent: (event: CircuitEvent) => void;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Program of the child process; tests pass their own. */
  readonly program?: string;
}

/** Builds the development circuit while the service runs. */
export interface CircuitMaker {
  /** Returns the progress. Reads the data folder, because a command may have built the circuit. */
  state(): Promise<CircuitStatus>;
  /** Starts the build if the circuit is missing. */
  start(): Promise<void>;
  /** Ends the build and removes its partial files. */
  stop(): Promise<void>;
}

const PROGRAM = fileURLToPath(compiledFile('development/setup/setup-process.js'));

/**
 * Creates the maker for a data folder. The work runs in a child process of the lowest priority, so that the service
 * stays responsive and survives a build that exhausts memory or CPU time.
 */
export function createCircuitMaker(parts: CircuitMakerParts): CircuitMaker {
  const { dataDir, engine, onEvent, now, program = PROGRAM } = parts;
  let child: ChildProcess | undefined;
  let stage: { readonly reached: SetupStage; readonly atMs: number } | undefined;
  let workFolder: string | undefined;
  let failure: string | undefined;

  const fail = (code: string, reason: string): void => {
    failure = reason;
    onEvent({ event: 'circuit.failed', code, reason });
  };

  const watch = (started: ChildProcess, startedMs: number): void => {
    let isAnswered = false;
    started.on('message', (message: SetupMessage) => {
      switch (message.kind) {
        case 'stage':
          stage = { reached: message.stage, atMs: now() };
          workFolder = message.workFolder;
          onEvent({ event: 'circuit.making', what: message.stage.what });
          break;
        case 'done':
          isAnswered = true;
          onEvent({ event: 'circuit.ready', seconds: Math.round((now() - startedMs) / 1000) });
          break;
        case 'failed':
          isAnswered = true;
          fail(message.code, message.reason);
          break;
      }
    });
    const end = (reason: string): void => {
      if (child !== started) return;
      child = undefined;
      if (!isAnswered) fail('circuit.setup_failed', reason);
    };
    started.on('error', (error) => end(error.message));
    started.on('exit', (code, signal) => end(`the process that makes it ended with ${signal ?? code}`));
  };

  return {
    async state() {
      if ((await findCircuitFiles(dataDir)) !== undefined) return { status: 'ready' };
      if (child !== undefined) {
        const elapsedSeconds = stage === undefined ? 0 : (now() - stage.atMs) / 1000;
        const share = stage === undefined ? 0 : shareDone(stage.reached, elapsedSeconds);
        return { status: 'making', share, what: stage?.reached.what ?? 'starting' };
      }
      return failure === undefined ? { status: 'missing' } : { status: 'failed', reason: failure };
    },
    async start() {
      if (child !== undefined || (await findCircuitFiles(dataDir)) !== undefined) return;
      failure = undefined;
      stage = undefined;
      child = fork(program, {
        // Keeps secrets of the environment and the Node flags of the service out of the child.
        env: {},
        execArgv: [],
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
        // A separate process group, so that the compiler is killed with the child.
        detached: true,
      });
      // The build must not keep an otherwise idle process alive.
      child.unref();
      child.channel?.unref();
      watch(child, now());
      const job: SetupJob = { dataDir, engine };
      child.send(job);
    },
    async stop() {
      const running = child;
      child = undefined;
      if (running === undefined) return;
      await kill(running);
      if (workFolder !== undefined) await rm(workFolder, { recursive: true, force: true });
    },
  };
}

/** Kills a process and its group: at the lowest priority, a graceful exit might take long. */
async function kill(child: ChildProcess): Promise<void> {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.ref();
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
  await exited;
}
