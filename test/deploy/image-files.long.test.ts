/**
 * Runs the service from the files that the Dockerfile copies into its image, as an engine runs that image: read-only root,
 * user 10001 without capabilities, process 1, secrets that only this user can read. The system and Node are those of this machine.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import example from '../../circuits/semaphore-depth30/example.json' with { type: 'json' };
import { nativeAddonFile } from '../../src/engine/backends/load-backend.ts';
import { freePort } from '../support/free-port.ts';
import { childrenOf } from '../support/server/processes.ts';
import { packedManifest } from '../support/server/production-install.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { pollUntil } from '../support/until.ts';
import { imageEnvironment } from './support/configuration.ts';
import { NODE_FLAGS, REPOSITORY, textOf } from './support/manifests.ts';

const CONFINED = fileURLToPath(new URL('support/run-confined.sh', import.meta.url));
const USER = 10001;
/** Folders of the system that the image has from Debian. */
const SYSTEM = ['bin', 'lib', 'lib64'];

const canConfine = (() => {
  try {
    execFileSync('unshare', ['--mount', '--pid', '--fork', 'setpriv', '--version'], { stdio: 'ignore' });
    return process.getuid?.() === 0;
  } catch {
    return false;
  }
})();

interface LockedPackage {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Sources and target, relative to /app, of the COPY instructions of the images that run; without Node itself. */
function copies(): (readonly [source: string, target: string])[] {
  const lines = textOf('docker/Dockerfile').split('\n');
  const runtime = lines.slice(lines.findIndex((line) => line.endsWith(' AS base')));
  const development = runtime.findIndex((line) => line.endsWith(' AS development'));
  const production = runtime.findIndex((line) => line.endsWith(' AS production'));
  return [...runtime.slice(0, development), ...runtime.slice(production)]
    .filter((line) => line.startsWith('COPY ') && !line.includes('/usr/local/bin/node'))
    .flatMap((line) => {
      const words = line
        .split(/\s+/)
        .slice(1)
        .filter((word) => !word.startsWith('--'));
      const inApp = (word = ''): string => word.replace(/^\/app\//, '');
      const target = inApp(words.at(-1));
      const isFolder = target.endsWith('/');
      return words
        .slice(0, -1)
        .map(inApp)
        .map((source) => [source, isFolder ? join(target, basename(source)) : target] as const);
    });
}

/** Copies the packages of the packed service and all that they depend on, as far as they are installed. */
function copyPackages(target: string): void {
  const lock = JSON.parse(readFileSync(join(REPOSITORY, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  const copied = new Set<string>();
  const copy = (name: string, from: string): void => {
    const nested = `${from}/node_modules/${name}`;
    const path = nested in lock.packages ? nested : `node_modules/${name}`;
    // packages of other platforms are in the lock file only
    if (copied.has(path) || !existsSync(join(REPOSITORY, path))) return;
    copied.add(path);
    cpSync(join(REPOSITORY, path), join(target, path), { recursive: true });
    const { dependencies, optionalDependencies } = lock.packages[path] ?? {};
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) copy(needed, path);
  };
  for (const name of Object.keys(packedManifest().dependencies)) copy(name, '');
}

/** Folders of this machine that the tree has, too: the system, and Node. */
const SHARED = process.execPath.startsWith('/usr/') ? ['/usr'] : ['/usr', dirname(process.execPath)];

/** Builds the file tree of the production image. */
function makeRoot(root: string): void {
  for (const folder of ['etc', 'proc', 'dev', 'run/secrets', 'var/lib/proofgate', 'app', ...SHARED]) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  for (const name of SYSTEM) symlinkSync(readlinkSync(`/${name}`), join(root, name));
  for (const [source, target] of copies()) {
    const to = join(root, 'app', target);
    if (source === 'node_modules') copyPackages(join(root, 'app'));
    else if (source.endsWith('*.node'))
      cpSync(nativeAddonFile(), join(dirname(to), basename(nativeAddonFile())));
    else cpSync(join(REPOSITORY, source), to, { recursive: true });
  }
}

describe.skipIf(!canConfine)(`the files of the image${canConfine ? '' : ' (unshare needs root)'}`, () => {
  const folder = temporaryFolder('image', afterAll);
  const root = join(folder, 'root');
  const volume = join(folder, 'volume');
  const secrets = join(folder, 'secrets');
  let env: Record<string, string>;
  let ports: { readonly server: number; readonly admin: number };

  const give = (path: string, mode: number): void => {
    chownSync(path, USER, USER);
    chmodSync(path, mode);
  };

  beforeAll(async () => {
    chmodSync(folder, 0o755);
    for (const path of [root, volume, secrets]) mkdirSync(path);
    makeRoot(root);
    give(volume, 0o700);
    for (const [name, value] of Object.entries({
      'admin-token': 'a-token-that-nobody-guesses-0123456789',
      'master-key': Buffer.alloc(32, 0x5a).toString('base64'),
      'signing-seed': 'c4'.repeat(32),
    })) {
      writeFileSync(join(secrets, name), value);
      give(join(secrets, name), 0o400);
    }
    ports = { server: await freePort(), admin: await freePort() };
    env = {
      ...imageEnvironment('production'),
      PROOFGATE_BASE_URL: 'https://id.example',
      PROOFGATE_STORAGE_URL: 'libsql:/var/lib/proofgate/data/proofgate.db',
      PROOFGATE_SERVER_HOST: '127.0.0.1',
      PROOFGATE_SERVER_PORT: String(ports.server),
      PROOFGATE_ADMIN_PORT: String(ports.admin),
      PROOFGATE_ADMIN_TOKEN_FILE: '/run/secrets/admin-token',
      PROOFGATE_KEYS_MASTER_KEY_FILE: '/run/secrets/master-key',
      PROOFGATE_REFRESH_SIGNING_SEED_FILE: '/run/secrets/signing-seed',
      PROOFGATE_SHUTDOWN_DRAIN_DELAY_MS: '0',
      PROOFGATE_APPS_LIST: JSON.stringify([
        { client_id: example.app_id, name: 'Example', policy: { environments: ['production'] } },
      ]),
    };
  });

  /** Starts a command in the tree; `shell` is a program of the system instead. */
  function start(args: readonly string[], shell?: string): ReturnType<typeof spawn> {
    const node = [process.execPath, ...NODE_FLAGS, '/app/dist/main.js'];
    const command = shell === undefined ? [...node, ...args] : [shell, ...args];
    const isolate = ['--mount', '--pid', '--fork', '--kill-child', 'sh', CONFINED, root, volume, secrets];
    return spawn('unshare', [...isolate, ...command], {
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', SHARED: SHARED.join(' '), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  async function run(
    args: readonly string[],
    shell?: string,
  ): Promise<{ code: number | null; output: string }> {
    const child = start(args, shell);
    const closed = once(child, 'close') as Promise<[number | null]>;
    if (child.stdout === null || child.stderr === null) throw new Error('expected pipes');
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: (await closed)[0], output: stdout + stderr };
  }

  it('are confined: process 1 of user 10001 writes to the volume alone', async () => {
    const script =
      'echo $$ $(id -u) $(id -g); grep CapEff /proc/self/status; touch /x /app/x /run/secrets/x; touch /var/lib/proofgate/x && rm /var/lib/proofgate/x && echo volume';
    const { output } = await run(['-c', script], '/bin/sh');
    expect(output).toContain(`1 ${USER} ${USER}\n`);
    expect(output).toMatch(/CapEff:\s+0{16}\n/);
    expect(output.match(/Read-only file system/g)?.length).toBe(3);
    expect(output).toContain('volume\n');
  });

  it('serve in production, verify a proof and end at a signal', async () => {
    const pending = await run(['serve']);
    expect([pending.code, pending.output]).toEqual([78, expect.stringContaining('migrations are pending')]);
    expect((await run(['migrate', 'up'])).code).toBe(0);
    const root = ['--environment', 'production', '--tree', 'orb', '--root', example.merkle_root];
    const added = await run(['roots', 'add', ...root]);
    expect(added.code, added.output).toBe(0);

    const child = start(['serve']);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => (output += String(chunk)));
    const closed = once(child, 'close') as Promise<[number | null]>;
    const ready = `http://127.0.0.1:${ports.admin}/health/ready`;
    const isReady = (): Promise<boolean> =>
      fetch(ready).then(
        ({ ok }) => ok,
        () => child.exitCode !== null,
      );
    await pollUntil(isReady);
    expect(child.exitCode, output).toBeNull();
    expect(output).toContain('"backend":"native"');
    expect((await run(['healthcheck'])).code).toBe(0);
    const { merkle_root, signal_hash, proof, action, rp_id, nullifier_hash: nullifier } = example;
    const response = await fetch(`http://127.0.0.1:${ports.server}/api/v4/verify/${rp_id}`, {
      method: 'POST',
      body: JSON.stringify({
        protocol_version: '3.0',
        nonce: '1',
        action,
        environment: 'production',
        responses: [{ identifier: 'orb', merkle_root, signal_hash, nullifier, proof }],
      }),
    });
    expect(await response.json()).toMatchObject({ success: true, message: 'Proof verified successfully' });
    const [first] = childrenOf(child.pid ?? 0, '/app/dist/main.js');
    process.kill(first ?? 0, 'SIGTERM');
    expect(await closed, output).toEqual([0, null]);
    expect((await run(['healthcheck'])).code).toBe(1);
  });

  it('need nothing that the repository has beside them', () => {
    const names = readdirSync(join(root, 'app')).sort();
    expect(names).toEqual(['LICENSE', 'circuits', 'dist', 'native', 'node_modules', 'package.json', 'wasm']);
    expect(readdirSync(join(root, 'app/node_modules'))).not.toContain('typescript');
  });
});
