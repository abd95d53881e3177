// Rules: spec/operations.md#diagnosis

import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { CheckResult } from '../../../src/cli/doctor/check.ts';
import * as trials from '../../../src/cli/doctor/checks/backend-trials.ts';
import { checkDataFolder, isServed } from '../../../src/cli/doctor/checks/data-folder.ts';
import {
  checkClock,
  checkDescriptors,
  checkDisk,
  checkNode,
  checkPlatform,
  checkShape,
} from '../../../src/cli/doctor/checks/platform.ts';
import { checkPort } from '../../../src/cli/doctor/checks/ports.ts';
import { answersOf, differenceOf } from '../../../src/engine/backends/compare-backends.ts';
import { createEngine } from '../../../src/engine/create-engine.ts';
import { acquireServeLock } from '../../../src/storage/files/serve-lock.ts';
import { TRIED_NODES } from '../../../src/version.ts';
import { endServer, listen } from '../../support/server/listen.ts';
import { checkBackendsOnce } from '../support/check-backends-once.ts';
import {
  makeEmptyCliFolder,
  NOW,
  productionEnv,
  unapplyNewestMigration,
  useCliFolder,
} from '../support/cli.ts';

checkBackendsOnce();

const FREE_PORTS = { PROOFGATE_SERVER_PORT: '0', PROOFGATE_ADMIN_PORT: '0' };
const SETTINGS_IN_THREAD = {
  workers: 0,
  backend: 'auto',
  maxQueue: 64,
  maxBatch: 64,
  maxBatchDelayMs: 0,
} as const;
const CLEAN = ['wasm', 'store', 'durability', 'migrations', 'clock', 'server.port'];
const folder = useCliFolder();

async function examine(
  env: Record<string, string> = {},
): Promise<{ code: number; checks: Map<string, CheckResult> }> {
  const { code, stdout } = await folder.run('doctor --json', { env: { ...FREE_PORTS, ...env } });
  const { checks } = JSON.parse(stdout) as { checks: CheckResult[] };
  return { code, checks: new Map(checks.map((check) => [check.name, check])) };
}

describe('proofgate doctor', () => {
  it('reports no failure on a good setup, one line per check', async () => {
    const { code, checks } = await examine();
    expect(code).toBe(0);
    const broken = [...checks.values()].filter((check) => check.status === 'fail');
    expect(broken).toEqual([]);
    expect([...checks.keys()]).toEqual(
      expect.arrayContaining([
        'node',
        'platform',
        'settings',
        'addon',
        'wasm',
        'store',
        'durability',
        'migrations',
        'clock',
        'signing keys',
        'roots',
        'World ID 4.0',
        'tls',
        'issuer',
        'proxy trust',
        'server.port',
        'admin.port',
        'disk',
        'descriptors',
        'shape',
        'data folder',
      ]),
    );
    for (const name of [...CLEAN, 'signing keys', 'tls', 'issuer', 'proxy trust']) {
      expect(checks.get(name)?.status, name).toBe('ok');
    }
    const { stdout } = await folder.run('doctor', { env: FREE_PORTS });
    expect(stdout).toMatch(/^ok {4}node +Node /);
    expect(stdout).toContain('ok    migrations');
  });

  it('checks a data folder whose files come and go', async () => {
    const file = join(folder.path, 'proofgate.db-shm');
    let isDone = false;
    const comeAndGo = async (): Promise<void> => {
      while (!isDone) {
        await writeFile(file, '', { mode: 0o600 });
        await rm(file);
      }
    };
    const looks = async (): Promise<void> => {
      try {
        for (let count = 0; count < 300; count++) {
          expect((await checkDataFolder(folder.path, 'test')).status).toBe('ok');
        }
      } finally {
        isDone = true;
      }
    };
    await Promise.all([comeAndGo(), looks()]);
  });

  it('names the cure of each check that is not ok', async () => {
    const { checks } = await examine({ PROOFGATE_ENGINE_WORKERS: '0' });
    for (const check of checks.values()) {
      expect(check.cure === undefined, check.name).toBe(check.status === 'ok');
    }
    expect(checks.get('shape')?.status).toBe('warn');
  });

  it('fails when the addon and WASM answer differently', async () => {
    const trial = (choice: 'native-portable' | 'wasm-scalar', answer: string): trials.Trial => {
      return { choice, answers: { name: choice, answers: [answer] } };
    };
    const different = [trial('native-portable', 'this'), trial('wasm-scalar', 'that')];
    vi.spyOn(trials, 'tryBackends').mockResolvedValueOnce(different);
    const { code, checks } = await examine();
    expect(code).toBe(1);
    expect(checks.get('agreement')).toMatchObject({
      status: 'fail',
      detail: expect.stringMatching(/: wasm-scalar returns that, native-portable returns this$/),
      cure: expect.stringContaining('npm run build:native'),
    });
  });

  it('fails on invalid settings and skips the checks that need them', async () => {
    const { code, checks } = await examine({ PROOFGATE_ENGINE_WORKERS: 'many' });
    expect(code).toBe(1);
    expect(checks.get('settings')).toMatchObject({
      status: 'fail',
      cure: expect.stringContaining('Correct the settings'),
    });
    expect(checks.has('store')).toBe(false);
  });

  it('fails on settings that production refuses', async () => {
    const env = { ...productionEnv(folder.path), PROOFGATE_BASE_URL: 'http://id.example' };
    const { code, checks } = await examine(env);
    expect(code).toBe(1);
    expect(checks.get('settings')?.detail).toContain('baseUrl (PROOFGATE_BASE_URL): expected an https URL');
  });

  it('fails on pending migrations in production, and warns in development', async () => {
    unapplyNewestMigration(folder.path);
    const { code, checks } = await examine(productionEnv(folder.path));
    expect(code).toBe(1);
    expect(checks.get('migrations')).toMatchObject({ status: 'fail', cure: 'Run `proofgate migrate up`.' });
    expect((await examine()).checks.get('migrations')?.status).toBe('warn');
  });

  it('names apps that accept staging although their ids are not for it, as a warning in production', async () => {
    const both = '{"environments":["production","staging"]}';
    await folder.json(['apps', 'add', '--app-id', `app_${'1'.repeat(32)}`, '--policy', both]);
    await folder.json(['apps', 'add', '--app-id', `app_staging_${'2'.repeat(32)}`, '--policy', both]);
    const found = (await examine(productionEnv(folder.path))).checks.get('app policies');
    expect(found).toMatchObject({ status: 'warn', cure: expect.stringContaining('apps update ID --policy') });
    expect(found?.detail).toMatch(/: app_1{32}$/);
    expect((await examine()).checks.get('app policies')).toMatchObject({
      status: 'ok',
      detail: found?.detail,
    });
    await folder.json([
      'apps',
      'update',
      `app_${'1'.repeat(32)}`,
      '--policy',
      '{"environments":["production"]}',
    ]);
    expect((await examine(productionEnv(folder.path))).checks.get('app policies')?.status).toBe('ok');
  });

  it('fails on a store that cannot be opened', async () => {
    await writeFile(join(folder.path, 'proofgate.db'), 'x'.repeat(8192));
    const { code, checks } = await examine();
    expect(code).toBe(1);
    expect(checks.get('store')).toMatchObject({
      status: 'fail',
      cure: expect.stringContaining('storage.url'),
    });
  });

  it('creates no store in a folder without one, and exits with 78', async () => {
    const empty = await makeEmptyCliFolder();
    onTestFinished(() => empty.remove());
    const { code, stdout, stderr } = await empty.run('doctor', { stdin: 'x' });
    expect(code).toBe(78);
    expect(`${stdout}${stderr}`).toContain(`there is no store at ${empty.path}/proofgate.db`);
    expect(await readdir(empty.path)).toEqual([]);
  });

  it('names the cure of a file that was taken away from the running service', async () => {
    const lock = await acquireServeLock(folder.path);
    onTestFinished(() => lock.release());
    await rm(join(folder.path, 'proofgate.db'));
    expect((await examine()).checks.get('store')).toMatchObject({
      code: 'store.absent',
      cure: expect.stringContaining('put the file back or restore a backup'),
    });
  });

  it('fails on a port used by another program, or by a Proofgate on another store', async () => {
    const other = createTcpServer((socket) => socket.destroy());
    const own = createServer((_request, response) => {
      response.setHeader('X-Request-Id', 'one').end();
    });
    const env = {
      PROOFGATE_SERVER_PORT: String(await listen(other)),
      PROOFGATE_ADMIN_PORT: String(await listen(own)),
    };
    onTestFinished(async () => {
      other.close();
      endServer(own);
    });
    const { code, checks } = await examine(env);
    expect(code).toBe(1);
    expect(checks.get('server.port')?.status).toBe('fail');
    expect(checks.get('server.port')?.detail).toContain('in use by another program');
    expect(checks.get('admin.port')).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining('in use by a Proofgate on another store'),
    });
  });

  it('queries the running Proofgate of the data folder, and warns when it is not ready', async () => {
    const lock = await acquireServeLock(folder.path);
    const answer = {
      checks: { store: { status: 'failed', detail: 'gone\u001b[2J' }, keys: { status: 'ok' } },
    };
    let status = 200;
    const own = createServer((_request, response) => {
      response.writeHead(status, { 'X-Request-Id': 'one' }).end(JSON.stringify(answer));
    });
    const port = await listen(own);
    const address = { name: 'admin', host: '127.0.0.1', port, isTls: false, path: '/health/ready' } as const;
    try {
      expect(await isServed(folder.path)).toBe(true);
      expect(await checkPort(address, true)).toMatchObject({
        status: 'ok',
        detail: `127.0.0.1:${port} is in use by the running Proofgate, which is ready`,
      });
      status = 503;
      expect(await checkPort(address, undefined)).toMatchObject({
        status: 'warn',
        detail: `127.0.0.1:${port} is in use by the running Proofgate, which is not ready: store (gone [2J)`,
      });
    } finally {
      endServer(own);
      await lock.release();
    }
    expect(await isServed(folder.path)).toBe(false);
    expect(await isServed(join(folder.path, 'none'))).toBe(false);
  });

  it('lists every problem of the settings', async () => {
    const env = { PROOFGATE_ENGINE_WORKERS: 'many', PROOFGATE_LOG_LEVEL: 'loud' };
    const { stdout } = await folder.run('doctor --json', { env });
    const { checks } = JSON.parse(stdout) as { checks: CheckResult[] };
    const settings = checks.filter(({ name }) => name === 'settings');
    expect(settings.map(({ status, detail }) => [status, detail.split(' ')[0]])).toEqual([
      ['fail', 'engine.workers'],
      ['fail', 'log.level'],
    ]);
  });

  it('fails on a host that this machine does not have', async () => {
    const { code, checks } = await examine({
      PROOFGATE_SERVER_HOST: '192.0.2.1',
      PROOFGATE_SERVER_PORT: '18080',
      PROOFGATE_SERVER_ALLOW_EXPOSED_DEVELOPMENT: 'true',
    });
    expect(code).toBe(1);
    expect(checks.get('server.port')).toMatchObject({
      status: 'fail',
      cure: expect.stringContaining('server.host'),
    });
  });

  it('checks the modes of the data folder and its files', async () => {
    expect((await examine()).checks.get('data folder')?.status).toBe('ok');
    await writeFile(join(folder.path, 'notes'), 'x');
    await chmod(join(folder.path, 'notes'), 0o644);
    expect((await examine()).checks.get('data folder')?.detail).toContain('notes');
    await chmod(folder.path, 0o750);
    expect((await examine()).checks.get('data folder')?.status).toBe('warn');
    await chmod(folder.path, 0o777);
    // Root refuses such a folder otherwise.
    const env = { PROOFGATE_ALLOW_UNTRUSTED_FILES: 'true' };
    expect((await examine(env)).checks.get('data folder')?.detail).toContain('other users may write to it');
    const { code, checks } = await examine({ ...productionEnv(folder.path), ...env });
    expect(code).toBe(1);
    expect(checks.get('data folder')).toMatchObject({ status: 'fail', cure: `chmod 0700 ${folder.path}` });
  });

  it('reports that a data folder is created at the first start', async () => {
    await mkdir(join(folder.path, 'parent'));
    const env = { PROOFGATE_DATA_DIR: join(folder.path, 'parent', 'new') };
    expect((await examine(env)).checks.get('data folder')?.detail).toContain('is made at the first start');
  });

  it('warns when the store has a record from the future', async () => {
    await folder.run('apps add', { now: NOW + 3_600_000 });
    expect((await examine()).checks.get('clock')).toMatchObject({
      status: 'warn',
      detail: expect.stringContaining('3600 s ahead'),
    });
  });
});

describe('checks of the platform', () => {
  it.each([
    ['20.19.0', 'ok'],
    ['22.12.0', 'ok'],
    ['24.0.0', 'ok'],
    ['26.12.1', 'ok'],
    ['25.0.0', 'warn'],
    ['28.0.0', 'warn'],
    ['20.18.9', 'fail'],
    ['22.11.0', 'fail'],
    ['21.7.0', 'fail'],
    ['18.20.0', 'fail'],
  ])('Node %s: %s', (version, status) => {
    expect(checkNode(version, TRIED_NODES).status).toBe(status);
  });

  it('warn of a platform that no test has run on', () => {
    expect(checkPlatform('linux', 'x64', '2.36')).toMatchObject({
      status: 'ok',
      detail: 'linux x64 with glibc 2.36',
    });
    expect(checkPlatform('linux', 'arm64', '2.36').status).toBe('ok');
    expect(checkPlatform('linux', 'x64', undefined).status).toBe('warn');
    expect(checkPlatform('linux', 'riscv64', '2.36').status).toBe('warn');
    expect(checkPlatform('darwin', 'arm64', undefined).status).toBe('warn');
  });

  it('compare the descriptor limit with the open requests', () => {
    const limits = (soft: string): string =>
      `Limit  Soft  Hard  Units\nMax open files            ${soft}      4096    files\n`;
    expect(checkDescriptors(limits('20000'), 4096).status).toBe('ok');
    expect(checkDescriptors(limits('unlimited'), 4096).status).toBe('ok');
    expect(checkDescriptors(limits('1024'), 4096)).toMatchObject({
      status: 'warn',
      cure: expect.stringContaining('4352'),
    });
    expect(checkDescriptors(limits('100'), 4096).status).toBe('fail');
    expect(checkDescriptors('', 4096).status).toBe('warn');
  });

  it('compare front ends and workers with the processors that may be used', () => {
    const check = (
      processors: number,
      frontEnds: number,
      workers: number,
      quota?: number,
    ): ReturnType<typeof checkShape> => checkShape({ shape: { frontEnds, workers }, processors, quota });
    for (const [processors, frontEnds, workers] of [
      [8, 1, 7],
      [1, 1, 1],
      [2, 1, 2],
      [2, 1, 1],
      [8, 2, 5],
      [4, 2, 2],
    ] as const) {
      expect(check(processors, frontEnds, workers).status).toBe('ok');
    }
    expect(check(8, 1, 7, 8.5).detail).toBe(
      '8 processors (CPU quota 8.5) → server.frontEnds 4 × engine.workers 4 by rule, in force server.frontEnds 1 × engine.workers 7; `proofgate bench --shape` measures',
    );
    expect(check(2, 1, 7)).toMatchObject({ status: 'warn', cure: expect.stringContaining('workers to 1:') });
    expect(check(8, 1, 9).cure).toContain('engine.workers to 7');
    expect(check(8, 1, 0).cure).toContain('engine.workers to 7: 0 runs');
    expect(check(8, 5, 5)).toMatchObject({ status: 'warn', cure: expect.stringContaining('frontEnds to 4') });
  });

  it('require free disk space', () => {
    expect(checkDisk(2 ** 31, '/data').status).toBe('ok');
    expect(checkDisk(2 ** 29, '/data').status).toBe('warn');
    expect(checkDisk(2 ** 25, '/data').status).toBe('fail');
  });

  it('require a clock that is set', () => {
    expect(checkClock(NOW, undefined).status).toBe('ok');
    expect(checkClock(NOW, NOW + 30_000).status).toBe('ok');
    expect(checkClock(NOW, NOW + 90_000).status).toBe('warn');
    expect(checkClock(0, undefined).status).toBe('fail');
  });
});

describe('the comparison of backends', () => {
  it('finds two engines of the same backend equal, and names the first difference', async () => {
    const one = await createEngine(SETTINGS_IN_THREAD);
    const other = await createEngine(SETTINGS_IN_THREAD);
    onTestFinished(async () => {
      await one.close();
      await other.close();
    });
    const answers = await answersOf(one);
    expect(differenceOf(answers, await answersOf(other))).toBeUndefined();
    const lying = Object.create(other, {
      poseidon: { value: () => Promise.resolve(new Uint8Array(32)) },
      registerKey: { value: () => Promise.resolve() },
      verify: { value: other.verify.bind(other) },
      poseidon2: { value: other.poseidon2.bind(other) },
      hashBytes: { value: other.hashBytes.bind(other) },
      stats: { value: other.stats.bind(other) },
    }) as typeof other;
    expect(differenceOf(answers, await answersOf(lying))).toMatch(
      /^Poseidon of 1: ([\w-]+) returns [0-9a-f]{64}, \1 returns 0{64}$/,
    );
  });
});
