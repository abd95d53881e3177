// Rules: spec/operations.md#command-line and spec/operations.md#shutdown
import { link, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { wordOf } from '../../../src/semaphore/words.ts';
import type { RootRow } from '../../../src/storage/roots.ts';
import { RUNS_ALL } from '../../support/cases.ts';
import { freePort } from '../../support/free-port.ts';
import { openMigratedStore } from '../../support/server/migrated-store.ts';
import { type ServerProcess, startServer } from '../../support/server/server-process.ts';
import { pollUntil } from '../../support/until.ts';
import {
  expectFailure,
  makeCliFolder,
  makeEmptyCliFolder,
  productionEnv,
  useCliFolder,
} from '../support/cli.ts';
import { runProcess, runWithClosedReader } from '../support/process.ts';

const APP = 'app_369183bd38f1641b6964ab51d7a20434';
const KEY_FILE = fileURLToPath(
  new URL('../../../circuits/semaphore-depth20/verification-key.json', import.meta.url),
);
const folder = useCliFolder({ isShared: true });

/** Signals that would end a process without a handler, or open a debugger. */
const IGNORED: readonly NodeJS.Signals[] =
  process.platform === 'linux'
    ? ['SIGUSR1', 'SIGUSR2', 'SIGALRM', 'SIGVTALRM', 'SIGIO', 'SIGSTKFLT']
    : ['SIGUSR1', 'SIGUSR2', 'SIGALRM', 'SIGVTALRM'];

describe('the proofgate process', () => {
  it('writes only the result to stdout, and returns the exit code', async () => {
    expect(await runProcess(['hash', 'signal', ''], {})).toEqual({
      code: 0,
      stdout: '0x00c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a4\n',
      stderr: '',
    });
    const usage = await runProcess(['frobnicate'], {});
    expect(usage.code).toBe(2);
    expect(usage.stdout).toBe('');
    const config = await runProcess(['config', 'explain'], { PROOFGATE_ENGINE_WORKERS: 'many' });
    expect(config.code).toBe(78);
    expect(config.stderr).toContain('PROOFGATE_ENGINE_WORKERS');
  });

  it('reads proofs from a pipe', async () => {
    const file = new URL('../../vectors/semaphore-proofs.json', import.meta.url);
    const proofs = JSON.parse(await readFile(file, 'utf8')) as { depth: number }[];
    const lines = proofs.filter((proof) => proof.depth === 30).map((proof) => `${JSON.stringify(proof)}\n`);
    const env = { PROOFGATE_DATA_DIR: folder.path };
    const result = await runProcess(
      ['proof', 'verify', '-', '--key', 'semaphore-depth30'],
      env,
      lines.join(''),
    );
    expect(result).toEqual({ code: 0, stdout: 'valid\n'.repeat(lines.length), stderr: '' });
  });

  it('ends quietly when the reader of its output closes', async () => {
    // more than a socket holds, which the first part of the output would otherwise fill without an error
    const rows = Array.from({ length: 2500 }, (_, index): RootRow => {
      const root = wordOf(BigInt(index + 1));
      const tree = { environment: 'production', tree: 'orb' } as const;
      return { ...tree, root, receivedAt: 1, supersededAt: null, source: 'operator', keyId: null };
    });
    const store = await openMigratedStore({
      url: `libsql:${join(folder.path, 'proofgate.db')}`,
      groupMaxRows: 512,
      groupMaxDelayMs: 0,
    });
    await store.roots.put(rows);
    await store.close();
    const result = await runWithClosedReader(['roots', 'export'], { PROOFGATE_DATA_DIR: folder.path });
    expect(result).toEqual({ code: 1, stderr: '' });
  });
});

describe('serve, refusals', () => {
  it('refuses production with all reasons together and exit code 78', async () => {
    const env = { PROOFGATE_PROFILE: 'production', PROOFGATE_DATA_DIR: folder.path };
    const { code, stderr } = await runProcess(['serve'], env);
    expect(code).toBe(78);
    expect(stderr).toContain('proofgate: config.production_refused: production does not start: 4 reasons');
    for (const key of ['baseUrl', 'storage.url', 'admin.token', 'keys.masterKey']) {
      expect(stderr).toContain(`  ${key} (PROOFGATE_`);
    }
  });

  if (RUNS_ALL) {
    it('refuses production with a store of the development profile', async () => {
      const env = {
        ...productionEnv(folder.path),
        PROOFGATE_DATA_DIR: folder.path,
        PROOFGATE_SERVER_PORT: '0',
      };
      await folder.json(['apps', 'add', '--app-id', APP]);
      const { code, stderr } = await runProcess(['serve'], { ...env, PROOFGATE_ADMIN_PORT: '0' });
      expect(code).toBe(78);
      expect(stderr).toContain(`app ${APP} was made by the development profile`);
      await folder.json(['apps', 'remove', APP, '--yes']);
    });
  }

  if (RUNS_ALL) {
    it('refuses production with pending migrations', async () => {
      const fresh = await makeEmptyCliFolder();
      onTestFinished(() => fresh.remove());
      const env = { ...productionEnv(fresh.path), PROOFGATE_DATA_DIR: fresh.path };
      await expectFailure(runProcess(['serve'], env), 78, 'migrations are pending');
    });
  }

  it('refuses a development server on a network address', async () => {
    const env = { PROOFGATE_DATA_DIR: folder.path, PROOFGATE_SERVER_HOST: '0.0.0.0' };
    await expectFailure(runProcess(['serve'], env), 78, 'proofgate: config.exposed_development: server.host');
  });
});

describe('commands next to a running server', () => {
  let server: ServerProcess;
  let env: Record<string, string>;

  beforeAll(async () => {
    // on its own port, so that it is its own issuer
    server = await startServer(folder.path, { PROOFGATE_SERVER_PORT: String(await freePort()) });
    env = {
      PROOFGATE_PROFILE: 'test',
      PROOFGATE_DATA_DIR: folder.path,
      PROOFGATE_SERVER_PORT: new URL(server.publicUrl).port,
      PROOFGATE_ADMIN_PORT: new URL(server.adminUrl).port,
    };
  });

  afterAll(() => server?.end('SIGKILL'));

  it('finds the server healthy', async () => {
    expect((await folder.run('healthcheck', { env })).code).toBe(0);
  });

  if (RUNS_ALL) {
    it('finds its ports in use by the running server', async () => {
      const { code, stdout } = await folder.run('doctor', { env });
      expect(stdout).toContain('is in use by the running Proofgate, which is ready');
      expect(code).toBe(0);
    });
  }

  it('refuses a second server on the folder with exit code 75', async () => {
    const second = { ...env, PROOFGATE_SERVER_PORT: '0', PROOFGATE_ADMIN_PORT: '0' };
    await expectFailure(runProcess(['serve'], second), 75, 'proofgate: server.locked: ', folder.path);
  });

  if (RUNS_ALL) {
    it('refuses a second server on the database from another data folder, under any name of the file', async () => {
      const other = await makeEmptyCliFolder();
      onTestFinished(() => other.remove());
      const file = join(folder.path, 'proofgate.db');
      const alias = join(other.path, 'alias.db');
      await symlink(file, alias);
      const twin = join(other.path, 'twin.db');
      await link(file, twin);
      for (const name of [file, alias, twin]) {
        const { code, stderr } = await runProcess(['serve'], {
          ...env,
          PROOFGATE_DATA_DIR: join(other.path, 'data'),
          PROOFGATE_STORAGE_URL: `libsql:${name}`,
          PROOFGATE_SERVER_PORT: '0',
          PROOFGATE_ADMIN_PORT: '0',
        });
        expect(code).toBe(75);
        expect(stderr).toContain('proofgate: server.locked: another server runs on the database file ');
        expect(stderr).toContain(name === twin ? twin : file);
      }
    });
  }

  if (RUNS_ALL) {
    it('refuses a port in use with exit code 75', async () => {
      const other = await makeCliFolder();
      onTestFinished(() => other.remove());
      const { code, stderr } = await runProcess(['serve'], { ...env, PROOFGATE_DATA_DIR: other.path });
      expect(code).toBe(75);
      expect(stderr).toContain('proofgate: server.port_in_use: ');
    });
  }

  it('imports a key and adds an app that the server then knows', async () => {
    const imported = await folder.run(['vkey', 'import', KEY_FILE, '--id', 'beside'], { env });
    expect(imported.code).toBe(0);
    expect((await folder.run('vkey list', { env })).stdout).toContain('beside');
    expect((await runProcess(['apps', 'add', '--app-id', APP], env)).code).toBe(0);
    const response = await fetch(`${server.publicUrl}/api/v4/verify/${APP}`, {
      method: 'POST',
      body: JSON.stringify({
        protocol_version: '3.0',
        nonce: '1',
        action: 'a',
        responses: [{ identifier: 'orb', merkle_root: '0x1', nullifier: '0x1', proof: '0x1' }],
      }),
    });
    const body = (await response.json()) as { code: string; app_id: string };
    expect(body).toMatchObject({ code: 'all_verifications_failed', app_id: APP });
  });

  it('leaves a server that logs signals without a meaning, reads files again at SIGHUP, and serves on', async () => {
    server.child.kill('SIGPIPE');
    for (const signal of IGNORED) {
      server.child.kill(signal);
      await pollUntil(() => server.stderr().includes(`"event":"signal.ignored","signal":"${signal}"`));
    }
    server.child.kill('SIGHUP');
    await pollUntil(() => server.stderr().includes('"event":"reload.done","reason":"SIGHUP"'));
    expect(server.stderr()).not.toContain('Debugger');
    expect((await folder.run('healthcheck', { env })).code).toBe(0);
  });

  it('leaves a server with --json that printed only its addresses on standard output, and the log on standard error', async () => {
    expect((await fetch(`${server.publicUrl}/healthz`)).status).toBe(200);
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
    const [banner = '', ...rest] = server.stdout().split('\n');
    expect(JSON.parse(banner)).toMatchObject({ publicUrl: server.publicUrl });
    expect(rest).toEqual(['']);
    const lines = server.stderr().trimEnd().split('\n');
    const messages = lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
    expect(messages).toEqual(expect.arrayContaining(['ready', 'public listener', 'request', 'stopped']));
  });
});
