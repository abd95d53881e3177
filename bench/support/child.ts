import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Calls that a child process answers: one asynchronous function of one argument per name. */
export type Handlers = Record<string, (argument: never) => Promise<unknown>>;

type Argument<H extends Handlers, K extends keyof H> = Parameters<H[K]>[0];
type Answer<H extends Handlers, K extends keyof H> = Awaited<ReturnType<H[K]>>;
type Reply = { readonly answer: unknown } | { readonly error: string; readonly code?: unknown };

/** A process of the bench that answers calls; a failed call rejects with text and code of the error. */
export interface Child<H extends Handlers> {
  readonly pid: number;
  call<K extends keyof H & string>(name: K, argument: Argument<H, K>): Promise<Answer<H, K>>;
  stop(): Promise<void>;
}

/** Returns command and arguments that run Node on the given cores (`0`, `0,1`), or on any if undefined. */
export function onCores(cores: string | undefined, args: readonly string[]): [string, string[]] {
  return cores === undefined
    ? [process.execPath, [...args]]
    : ['taskset', ['-c', cores, process.execPath, ...args]];
}

/** Ends a process that this bench started and waits for its exit. */
export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

/** Another runtime than Node for a process, which runs JavaScript and exchanges JSON. */
export interface ChildRuntime {
  /** The program and its arguments before the file. */
  readonly command: readonly string[];
  readonly cwd: string;
  /** Added to the environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** Starts a TypeScript file of the bench, or a file for another runtime, in its own process. Calls must not overlap. */
export function startChild<H extends Handlers>(
  file: URL,
  { cores, runtime }: { cores?: string; runtime?: ChildRuntime } = {},
): Child<H> {
  const path = fileURLToPath(file);
  const [command = '', ...args] = runtime
    ? [...runtime.command, path]
    : onCores(cores, ['--import', 'tsx', path]).flat();
  const child = spawn(command, args, {
    ...(runtime && { cwd: runtime.cwd, env: { ...process.env, ...runtime.env } }),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: runtime ? 'json' : 'advanced',
  });
  const replied = async (): Promise<Reply> => {
    const gone = new AbortController();
    try {
      const [reply] = (await Promise.race([
        once(child, 'message', { signal: gone.signal }),
        once(child, 'exit', { signal: gone.signal }).then(([code]) => [
          { error: `${file.pathname} ended with ${code}` },
        ]),
      ])) as [Reply];
      return reply;
    } finally {
      gone.abort();
    }
  };
  return {
    pid: child.pid as number,
    async call(name, argument) {
      if (!child.connected) throw new Error(`${name}: the process has ended`);
      const reply = replied();
      child.send({ name, argument });
      const outcome = await reply;
      if ('error' in outcome)
        throw Object.assign(new Error(`${name}: ${outcome.error}`), { code: outcome.code });
      return outcome.answer as never;
    },
    stop: () => endProcess(child),
  };
}

function describe(error: unknown): Reply {
  if (!(error instanceof Error)) return { error: String(error) };
  return { error: error.stack ?? error.message, code: (error as { code?: unknown }).code };
}

/** Answers the calls of the parent process in this one; exits when the parent is gone. */
export function answerCalls(handlers: Handlers): void {
  process.on('disconnect', () => process.exit(0));
  process.on('message', (message: { name: string; argument: never }) => {
    const handler = handlers[message.name];
    const work = handler
      ? handler(message.argument)
      : Promise.reject(new Error(`unknown call ${message.name}`));
    work.then(
      (answer) => process.send?.({ answer }),
      (error: unknown) => process.send?.(describe(error)),
    );
  });
}
