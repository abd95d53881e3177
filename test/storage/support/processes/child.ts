import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { bundleScripts } from './bundle-scripts.ts';

/** A script of this folder in a child process. */
export interface Child {
  /** Complete lines of its output so far. */
  readonly lines: readonly string[];
  /** Resolves when this many lines were printed; rejects if the process ends before. */
  waitForLines(count: number): Promise<void>;
  /** Ends its input, on which the scripts start or stop. */
  endInput(): void;
  kill(): void;
  /** Exit code, or null after a signal. */
  readonly exited: Promise<number | null>;
}

const bundled = await bundleScripts();

/** Starts `<name>` of this folder, or at this path from here, with these arguments. */
export function startChild(name: string, args: readonly string[]): Child {
  const bundle = join(bundled, name.replace(/\.ts$/, '.js'));
  const script = existsSync(bundle)
    ? [bundle]
    : ['--import', 'tsx', fileURLToPath(new URL(name, import.meta.url))];
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [...script, ...args]);
  const lines: string[] = [];
  const watchers = new Set<() => void>();
  let partial = '';
  let errors = '';
  let hasExited = false;
  const notify = (): void => {
    for (const watcher of [...watchers]) watcher();
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (partial + text).split('\n');
    partial = parts.pop() ?? '';
    lines.push(...parts);
    notify();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const exited = new Promise<number | null>((resolve) => {
    child.on('close', (code) => {
      hasExited = true;
      notify();
      resolve(code);
    });
  });
  return {
    lines,
    waitForLines: (count) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          if (lines.length < count && !hasExited) return;
          watchers.delete(check);
          if (lines.length >= count) resolve();
          else reject(new Error(`${name} ended after ${lines.length} of ${count} lines: ${errors}`));
        };
        watchers.add(check);
        check();
      }),
    endInput: () => {
      child.stdin.end();
    },
    kill: () => {
      child.kill('SIGKILL');
    },
    exited,
  };
}

/**
 * Starts a script once for each list of arguments, and lets all of them work at the same time: each prints a line when it is
 * ready, and begins when its input ends.
 *
 * @returns The further lines of each.
 */
export async function runTogether(name: string, args: readonly (readonly string[])[]): Promise<string[][]> {
  const children = args.map((each) => startChild(name, each));
  await Promise.all(children.map((child) => child.waitForLines(1)));
  for (const child of children) child.endInput();
  expect(await Promise.all(children.map((child) => child.exited))).toEqual(children.map(() => 0));
  return children.map((child) => child.lines.slice(1));
}
