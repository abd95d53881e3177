import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { PROGRAM } from '../../support/server/program.ts';
import type { CliResult } from './cli.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Runs a command in a separate process with pipes on all three streams. */
export async function runProcess(
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  stdin = '',
): Promise<CliResult> {
  const child = spawn(process.execPath, [PROGRAM, ...argv], {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const streams = Promise.all([text(child.stdout), text(child.stderr)]);
  // A command that does not read its input closes it early.
  child.stdin.on('error', () => undefined);
  child.stdin.end(stdin);
  const [code] = (await once(child, 'close')) as [number];
  const [stdout, stderr] = await streams;
  return { code, stdout, stderr };
}

/** Runs a command and closes the reading end of its output after the first bytes. */
export async function runWithClosedReader(
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ readonly code: number | null; readonly stderr: string }> {
  const child = spawn(process.execPath, [PROGRAM, ...argv], {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.once('data', () => child.stdout.destroy());
  const stderr = text(child.stderr);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stderr: await stderr };
}
