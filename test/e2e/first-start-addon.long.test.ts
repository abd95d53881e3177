import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadAddon } from '../support/crypto/crypto-modules.ts';
import { niceOf } from '../support/server/processes.ts';
import { pollUntil } from '../support/until.ts';
import { type CloneProcess, type FreshClone, isAlive, makeFreshClone } from './support/fresh-clone.ts';

const BUILT = 'the native addon is built; the next start uses it';
// The fake compiler also runs at the lowest priority, so it is slow on a busy machine.
vi.setConfig({ testTimeout: 240_000 });

const FORCED = { PROOFGATE_ENGINE_BACKEND: 'native' };
let clone: FreshClone;

beforeEach(() => {
  clone = makeFreshClone();
});

afterEach(() => {
  clone.remove();
});

async function health(url: string): Promise<number> {
  return (await fetch(`${url}/healthz`)).status;
}

async function firstCompiler(): Promise<{ readonly pid: number; readonly workerPid: number }> {
  await pollUntil(() => clone.compilers().length > 0);
  const [compiler] = clone.compilers();
  if (compiler === undefined) throw new Error('no compiler was started');
  return compiler;
}

async function end({ child, ended }: CloneProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  child.kill(signal);
  await ended;
}

describe('npm start with cargo and without a built addon', () => {
  it('answers on WASM while the addon is built at the lowest priority, and uses it at the next start', async () => {
    const service = await clone.start([], { PROOFGATE_ADMIN_TOKEN: 'a-secret-that-no-build-needs' });
    expect(await health(service.publicUrl)).toBe(200);
    expect(service.output()).toContain('building the native addon in the background with cargo 1.99.0');
    expect(service.output()).toMatch(/engine runs on wasm-\w+: native addon is being built; it is used from/);
    const { pid, workerPid } = await firstCompiler();
    expect([niceOf(pid), niceOf(workerPid)]).toEqual([19, 19]);
    clone.decide('good');
    await pollUntil(() => service.output().includes(BUILT));
    expect(clone.settingsOfBuilds()).toBe('');
    // `toEqual` compares millions of bytes one by one, so slowly that the connection kept by fetch closes.
    expect(readFileSync(clone.addonFile).equals(readFileSync(join(clone.root, 'compiled')))).toBe(true);
    expect(clone.remains()).toEqual(['.built.json', clone.addonFile.split('/').at(-1)]);
    expect(await health(service.publicUrl)).toBe(200);
    await end(service);
    const next = await clone.start();
    if (loadAddon() !== undefined) expect(next.output()).toContain('engine runs on native');
    expect(next.output()).not.toContain('building');
    expect(clone.compilers()).toHaveLength(1);
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'leaves no process and no partial addon behind after %s, and builds again at the next start',
    async (signal) => {
      const service = await clone.start();
      const { pid, workerPid } = await firstCompiler();
      await end(service, signal);
      await pollUntil(() => !isAlive(pid) && !isAlive(workerPid));
      await pollUntil(() => clone.remains().length === 0);
      const next = await clone.start();
      expect(next.output()).toContain('building the native addon in the background');
      await pollUntil(() => clone.compilers().length === 2);
    },
  );

  it('builds once for all processes: a second start continues without the addon, a setup waits for it', async () => {
    const service = await clone.start();
    await firstCompiler();
    const other = await clone.start([], { PROOFGATE_DATA_DIR: join(clone.root, 'other') });
    expect(other.output()).toContain(
      'another process is building the native addon; the service runs on WASM',
    );
    const setup = clone.run('setup.mjs');
    await pollUntil(() => setup.output().includes('waiting for it'));
    clone.decide('good');
    expect(await setup.ended).toBe(0);
    await pollUntil(() => service.output().includes(BUILT));
    expect(other.output()).not.toContain(BUILT);
    expect(clone.compilers()).toHaveLength(1);
  });

  it('leaves an unfinished build to a waiting setup when the service ends', async () => {
    const service = await clone.start();
    await firstCompiler();
    const setup = clone.run('setup.mjs');
    await pollUntil(() => setup.output().includes('waiting for it'));
    await end(service);
    await pollUntil(() => clone.compilers().length === 2);
    clone.decide('good');
    expect(await setup.ended).toBe(0);
    expect(existsSync(clone.addonFile)).toBe(true);
  });

  it('reports that the addon did not build, continues, and does not try the same build again', async () => {
    const service = await clone.start();
    await firstCompiler();
    clone.decide('bad');
    await pollUntil(() =>
      service.output().includes('the native addon did not build (native/addon/.build.log'),
    );
    expect(await health(service.publicUrl)).toBe(200);
    await end(service);
    const next = await clone.start();
    expect(next.output()).toContain('npm run build:native tries again');
    expect(clone.compilers()).toHaveLength(1);
  });

  it('tries again at the next start after the system killed the compiler', async () => {
    const service = await clone.start();
    await firstCompiler();
    clone.decide('killed');
    await pollUntil(() => service.output().includes('not built: memory or disk ran out'));
    await end(service);
    const next = await clone.start();
    await pollUntil(() => clone.compilers().length === 2);
    clone.decide('good');
    await pollUntil(() => next.output().includes(BUILT));
    await end(next);
  });

  it.each(['variable', 'flag', 'file'])('waits for the addon when a %s requires it', async (origin) => {
    writeFileSync(join(clone.root, 'native.json'), '{"engine":{"backend":"native"}}');
    const args = { variable: [], flag: ['--engine.backend=native'], file: ['--config', 'native.json'] }[
      origin
    ];
    const env = origin === 'variable' ? FORCED : {};
    const service = clone.run('start.mjs', args, env);
    await firstCompiler();
    expect(service.output()).toContain('building the native addon with cargo 1.99.0');
    expect(service.output()).not.toContain('engine runs on');
    clone.decide('good');
    const isPresent = loadAddon() !== undefined;
    await pollUntil(() =>
      service.output().includes(isPresent ? 'engine runs on native' : 'engine.backend_unavail'),
    );
  });

  it('stops a build that it waits for when it is interrupted itself', async () => {
    const setup = clone.run('setup.mjs');
    const { pid, workerPid } = await firstCompiler();
    setup.child.kill('SIGINT');
    expect(await setup.ended).toBeNull();
    expect(setup.child.signalCode).toBe('SIGINT');
    await pollUntil(() => !isAlive(pid) && !isAlive(workerPid));
    expect(clone.remains()).toEqual([]);
  });

  it('builds nothing for a command that exits by itself', async () => {
    const command = clone.run('proofgate.mjs', ['hash', 'signal', '']);
    expect(await command.ended).toBe(0);
    expect(command.output()).toBe('0x00c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a4\n');
    expect(clone.compilers()).toHaveLength(0);
  });
});
