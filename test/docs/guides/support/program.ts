/** Programs and commands of the guides, in processes of their own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from '../../../support/free-port.ts';
import { GUIDE_ADDRESS, ROOT, type Scratch, snippet } from './snippets.ts';

/** A program of a guide that is listening. */
export interface RunningProgram {
  /** Output so far of both streams. */
  readonly output: () => string;
  end(): Promise<void>;
}

/** Environment and folder of a program. */
export interface ProgramOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

// No further variables of this process: a proxy would intercept requests to the service.
function environment(env: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env };
}

function outputOf(child: ChildProcess): () => string {
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk));
  return () => chunks.join('');
}

/** Starts a program and waits until it accepts connections at a port of loopback. */
export async function startProgram(
  [program = '', ...args]: readonly string[],
  port: number,
  { cwd, env }: ProgramOptions,
): Promise<RunningProgram> {
  // in its own process group, because launchers such as `go run` do not pass signals on
  const child = spawn(program, args, {
    cwd,
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const output = outputOf(child);
  const closed = once(child, 'close');
  let isClosed = false;
  const onClosed = closed.finally(() => {
    isClosed = true;
  });
  onClosed.catch(() => undefined);
  while (!(await isListening(port))) {
    if (isClosed) throw new Error(`${program} ended before it was listening:\n${output()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    output,
    async end() {
      // `next start` waits for the connections of the browser after SIGTERM
      if (child.pid !== undefined && !isClosed) process.kill(-child.pid, 'SIGKILL');
      await onClosed;
    },
  };
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** A shell block of a guide that starts a program. */
export interface StartBlock {
  readonly guide: string;
  readonly file: string;
  /** Values of the test, by the text of the guide. */
  readonly values: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Port instead of 3000; a free one if absent. */
  readonly port?: number;
}

/** Starts a program as a shell block of a guide does. */
export async function startByShell(
  scratch: Scratch,
  { guide, file, values, env = {}, port: given }: StartBlock,
): Promise<RunningProgram & { readonly origin: string }> {
  const port = given ?? (await freePort());
  let command = snippet(guide, file).replaceAll('3000', String(port));
  for (const [text, value] of Object.entries(values)) command = command.replaceAll(text, value);
  const running = await startProgram(['bash', '-c', command], port, {
    cwd: scratch.folder,
    env: { PORT: String(port), ...env, PATH: pathWithNpx(scratch, env.PATH) },
  });
  return { ...running, origin: `http://127.0.0.1:${port}` };
}

/** Search path whose `npx` runs the compiled program of this tree and the npm packages of the repository. */
function pathWithNpx(scratch: Scratch, path = process.env.PATH ?? ''): string {
  const npx = scratch.write(
    'bin/npx',
    `#!/bin/sh
program=$1
shift
[ "$program" = proofgate ] && exec '${process.execPath}' '${join(ROOT, 'dist/main.js')}' "$@"
exec '${join(ROOT, 'node_modules/.bin')}'/"$program" "$@"
`,
  );
  chmodSync(npx, 0o755);
  return `${join(scratch.folder, 'bin')}:${path}`;
}

/** Result of a shell block. */
export interface ShellResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Service that shell blocks work with. */
export interface ShellService {
  readonly baseUrl: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Runs shell blocks of a guide in one shell, as a reader pastes them, up to the first command that fails. `npx proofgate`
 * is the compiled program of this tree, and the address of the service is that of the test.
 *
 * @param before - Commands before the blocks, such as variables that the reader sets.
 */
export async function runShell(
  scratch: Scratch,
  guide: string,
  files: readonly string[],
  service: ShellService,
  before = '',
): Promise<ShellResult> {
  const path = pathWithNpx(scratch);
  // as in the repository of a reader who has started the service
  mkdirSync(join(scratch.folder, '.proofgate'), { recursive: true });
  const script = [before, ...files.map((file) => snippet(guide, file))]
    .join('\n')
    .replaceAll(GUIDE_ADDRESS, service.baseUrl);
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: scratch.folder,
    env: environment({
      ...service.env,
      PATH: path,
    }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}
