// Rules: spec/operations.md#signals

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { endBySignal, endProcessOneBySignals } from '../../../src/cli/program/signals.ts';
import { environmentOf } from '../../support/server/environment-of.ts';
import { listen } from '../../support/server/listen.ts';
import { childrenOf } from '../../support/server/processes.ts';
import { PROGRAM } from '../../support/server/program.ts';
import { pollUntil } from '../../support/until.ts';

const canUnshare = (() => {
  try {
    execFileSync('unshare', ['--pid', '--fork', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** A PostgreSQL that takes connections and never answers, so that a start goes on until its time is up. */
async function mutePostgres(): Promise<{ readonly url: string; readonly connected: Promise<unknown> }> {
  const server = createServer((socket) => socket.on('error', () => undefined));
  const port = await listen(server);
  onTestFinished(() => void server.close());
  return { url: `postgres://nobody@127.0.0.1:${port}/none`, connected: once(server, 'connection') };
}

/** Starts a command that waits for its store. */
async function startWaiting(args: readonly string[]): Promise<{
  readonly child: ChildProcess;
  readonly ended: Promise<unknown[]>;
  readonly stderr: () => string;
}> {
  const { url, connected } = await mutePostgres();
  const folder = mkdtempSync(join(tmpdir(), 'proofgate-signals-'));
  const env = environmentOf({ 'storage.url': url, 'storage.timeoutMs': '60000', 'server.port': '0' });
  const child = spawn(process.execPath, [resolve(PROGRAM), ...args], {
    // A core file, where the machine writes them, is removed with the folder.
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', ...env, PROOFGATE_DATA_DIR: join(folder, 'data') },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let written = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    written += text;
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  const ended = once(child, 'exit');
  await connected;
  return { child, ended, stderr: () => written };
}

describe('signals', () => {
  it('get a handler in process 1 alone', () => {
    const before = process.listeners('SIGTERM');
    endProcessOneBySignals(4711);
    expect(process.listeners('SIGTERM')).toEqual(before);
    endProcessOneBySignals(1);
    onTestFinished(() => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)
        process.off(signal, endBySignal);
    });
    expect(process.listeners('SIGTERM')).toEqual([...before, endBySignal]);
    expect(process.listeners('SIGINT')).toContain(endBySignal);
  });

  it.each([
    ['SIGTERM', 'SIGTERM'],
    ['SIGINT', 'SIGINT'],
    ['SIGHUP', 'SIGHUP'],
    ['SIGQUIT', 'SIGQUIT'],
    ['SIGUSR2', 'SIGUSR2'],
  ] as const)('a command ends by %s at once', async (signal, endedBy) => {
    const { child, ended } = await startWaiting(['migrate', 'up']);
    child.kill(signal);
    expect(await ended).toEqual([null, endedBy]);
  });

  it('SIGUSR1 opens no debugger, and SIGPIPE has no effect on a command', async () => {
    const { child, ended, stderr } = await startWaiting(['migrate', 'up']);
    child.kill('SIGPIPE');
    child.kill('SIGUSR1');
    await pollUntil(() => stderr() !== '');
    expect(stderr()).toBe('proofgate: SIGUSR1 is ignored\n');
    child.kill('SIGTERM');
    expect(await ended).toEqual([null, 'SIGTERM']);
  });

  it('SIGHUP, SIGPIPE and signals without a meaning do not end a service that starts; SIGQUIT ends it without a core file', async () => {
    const { child, ended, stderr } = await startWaiting(['serve', '--migrate']);
    child.kill('SIGPIPE');
    for (const signal of ['SIGUSR1', 'SIGUSR2', 'SIGALRM', 'SIGVTALRM'] as const) {
      child.kill(signal);
      await pollUntil(() => stderr().includes(`proofgate: ${signal} is ignored\n`));
    }
    child.kill('SIGHUP');
    await pollUntil(() =>
      stderr().includes('SIGHUP: changed files are read again when the service has started'),
    );
    expect(stderr()).not.toContain('Debugger');
    child.kill('SIGQUIT');
    expect(await ended).toEqual([131, null]);
  });

  describe.skipIf(!canUnshare)(
    `to process 1 of a container${canUnshare ? '' : ' (unshare needs root)'}`,
    () => {
      it.each([
        ['SIGTERM', 143, ['serve', '--migrate']],
        ['SIGINT', 130, ['serve', '--migrate']],
        ['SIGTERM', 143, ['migrate', 'up']],
      ] as const)(
        'end it by %s with exit code %i while `%j` waits for the store',
        async (signal, code, args) => {
          const { url, connected } = await mutePostgres();
          const env = environmentOf({ 'storage.url': url, 'storage.timeoutMs': '60000', 'server.port': '0' });
          const child = spawn(
            'unshare',
            ['--pid', '--fork', '--kill-child', process.execPath, PROGRAM, ...args],
            {
              env: {
                PATH: process.env.PATH ?? '',
                ...env,
                PROOFGATE_DATA_DIR: '/proc/no-folder-can-be-made-here',
              },
              stdio: 'ignore',
            },
          );
          onTestFinished(() => void child.kill('SIGKILL'));
          const ended = once(child, 'exit');
          await connected;
          const [first] = childrenOf(child.pid ?? 0, PROGRAM);
          process.kill(first ?? 0, signal);
          expect(await ended).toEqual([code, null]);
        },
      );
    },
  );
});
