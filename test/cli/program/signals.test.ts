import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { endBySignal, endProcessOneBySignals } from '../../../src/cli/program/signals.ts';
import { environmentOf } from '../../support/server/environment-of.ts';
import { childrenOf } from '../../support/server/processes.ts';
import { PROGRAM } from '../../support/server/program.ts';

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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('expected a port');
  return { url: `postgres://nobody@127.0.0.1:${address.port}/none`, connected: once(server, 'connection') };
}

describe('signals', () => {
  it('get a handler in process 1 alone', () => {
    const before = process.listeners('SIGTERM');
    endProcessOneBySignals(4711);
    expect(process.listeners('SIGTERM')).toEqual(before);
    endProcessOneBySignals(1);
    onTestFinished(() => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, endBySignal);
    });
    expect(process.listeners('SIGTERM')).toEqual([...before, endBySignal]);
    expect(process.listeners('SIGINT')).toContain(endBySignal);
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
