import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { environmentOfTest } from './environment-of.ts';
import { PROGRAM } from './program.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** A service in a separate process, which can be killed. */
export interface ServerProcess {
  readonly child: ChildProcess;
  readonly publicUrl: string;
  readonly adminUrl: string;
  /** Output so far of both streams. */
  readonly output: () => string;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Sends a signal, if one is given, and waits for the end. */
  end(
    signal?: NodeJS.Signals,
  ): Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
}

/**
 * Runs a command of this source tree.
 *
 * @param maxDescriptors - Limit of open descriptors; by default that of this process.
 * @param program - Path of another build of the program.
 */
export function spawnProofgate(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  maxDescriptors?: number,
  program: string = PROGRAM,
): ChildProcess {
  const limit = maxDescriptors === undefined ? '' : `ulimit -n ${maxDescriptors} && `;
  return spawn('/bin/sh', ['-c', `${limit}exec "$0" "$@"`, process.execPath, program, ...args], {
    cwd: ROOT,
    env: environmentOfTest({ PATH: process.env.PATH ?? '', ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Runs a command until it ends. */
export async function runProofgate(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawnProofgate(args, env);
  const { output } = collect(child);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output: output() };
}

/**
 * Starts `serve` in profile `test` on free ports and waits for its addresses.
 *
 * @param args - Further arguments of `serve`.
 * @param maxDescriptors - As for `spawnProofgate`, like `program`.
 */
export async function startServer(
  dataDir: string,
  env: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
  maxDescriptors?: number,
  program?: string,
): Promise<ServerProcess> {
  const settings = {
    PROOFGATE_PROFILE: 'test',
    PROOFGATE_DATA_DIR: dataDir,
    PROOFGATE_SERVER_PORT: '0',
    PROOFGATE_ADMIN_PORT: '0',
    ...env,
  };
  const child = spawnProofgate(['serve', '--json', ...args], settings, maxDescriptors, program);
  const { output, stdout, stderr } = collect(child);
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const banner = await new Promise<{ publicUrl: string; adminUrl: string }>((resolve, reject) => {
    const look = (): void => {
      const line = output()
        .split('\n')
        .find((text) => text.startsWith('{"publicUrl"') && text.endsWith('}'));
      if (!line) return;
      // searching the whole output again for each chunk would take longer than the test itself
      child.stdout?.off('data', look);
      resolve(JSON.parse(line) as { publicUrl: string; adminUrl: string });
    };
    child.stdout?.on('data', look);
    void closed.then(() => reject(new Error(`the server ended before it was listening:\n${output()}`)));
  });
  return {
    child,
    ...banner,
    output,
    stdout,
    stderr,
    async end(signal) {
      if (signal) child.kill(signal);
      const [code, ended] = await closed;
      return { code, signal: ended };
    },
  };
}

function collect(child: ChildProcess): Readonly<Record<'output' | 'stdout' | 'stderr', () => string>> {
  const chunks: { readonly from: 'stdout' | 'stderr'; readonly text: string }[] = [];
  for (const from of ['stdout', 'stderr'] as const) {
    child[from]?.setEncoding('utf8').on('data', (text: string) => chunks.push({ from, text }));
  }
  const textOf = (written: typeof chunks): string => written.map(({ text }) => text).join('');
  return {
    output: () => textOf(chunks),
    stdout: () => textOf(chunks.filter(({ from }) => from === 'stdout')),
    stderr: () => textOf(chunks.filter(({ from }) => from === 'stderr')),
  };
}
