// Rules: spec/operations.md#diagnosis and spec/refresh.md#imports
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { PROGRAM } from '../../../support/server/program.ts';
import { useCliFolder } from '../../support/cli.ts';
import { enrolmentLines } from '../../support/enrolment-lines.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const LINES = 20_000;
const SENT = 8500;
const folder = useCliFolder();

function spawnImport(): ChildProcessByStdio<Writable, Readable, Readable> {
  return spawn(process.execPath, [PROGRAM, 'signups', 'import', '-'], {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '', PROOFGATE_DATA_DIR: folder.path },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

/** Starts `signups import -` in a process that has received 8,500 lines, stored 8,000 and waits for more. */
async function startWaitingImport(): Promise<ChildProcess & { readonly output: Promise<string> }> {
  const child = spawnImport();
  child.stdin.on('error', () => undefined);
  child.stdin.write(enrolmentLines(1, SENT));
  const output = text(child.stdout);
  let progress = '';
  child.stderr.setEncoding('utf8');
  for await (const chunk of child.stderr.iterator({ destroyOnReturn: false })) {
    progress += chunk as string;
    if (progress.includes('8000 lines, ')) return Object.assign(child, { output });
  }
  throw new Error(`the import ended early: ${progress}`);
}

describe('an import that is interrupted', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'by %s reports and keeps what was done, and resumes when it is run again',
    async (signal) => {
      const child = await startWaitingImport();
      const errors = text(child.stderr as NodeJS.ReadableStream);
      child.kill(signal);
      expect(await once(child, 'close')).toEqual([75, null]);
      expect(await child.output).toBe('added 8000, updated 0, unchanged 0, refused 0\n');
      expect(await errors).toContain('proofgate: import.interrupted: interrupted after 8000 lines\n');
      const again = await folder.json('signups import -', { stdin: enrolmentLines(1, LINES) });
      expect(again).toMatchObject({ added: LINES - 8000, unchanged: 8000, refused: 0 });
    },
  );

  it('by a signal while the store opens reports that nothing was done', async () => {
    // the first file in the folder is the store
    const watcher = watch(folder.path);
    const opened = once(watcher, 'change');
    const child = spawnImport();
    const streams = Promise.all([text(child.stdout), text(child.stderr)]);
    await opened;
    watcher.close();
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([75, null]);
    const [stdout, stderr] = await streams;
    expect(stdout).toBe('added 0, updated 0, unchanged 0, refused 0\n');
    expect(stderr).toContain('proofgate: import.interrupted: interrupted after 0 lines\n');
  });

  it('by kill -9 keeps what it had reported, and resumes when it is run again', async () => {
    const child = await startWaitingImport();
    child.kill('SIGKILL');
    expect(await once(child, 'close')).toEqual([null, 'SIGKILL']);
    const again = await folder.json('signups import -', { stdin: enrolmentLines(1, LINES) });
    expect(again).toMatchObject({ added: LINES - 8000, unchanged: 8000, refused: 0 });
    const third = await folder.json('signups import -', { stdin: enrolmentLines(1, LINES) });
    expect(third).toMatchObject({ added: 0, unchanged: LINES });
  });
});
