import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../src/storage/open-store.ts';
import { GROUP_SETTINGS } from '../storage/support/rows.ts';
import { bodyMaker, LOAD_APP, send } from '../support/load.ts';
import { type ServerProcess, startServer } from '../support/server/server-process.ts';
import { registerLoadApp } from '../support/signin/register-load-app.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const hasRegistry = spawnSync('npm', ['ping', '--fetch-retries=0']).status === 0;
const skip = hasRegistry ? '' : ' (skipped: the registry of npm does not answer)';

describe.skipIf(!hasRegistry)(`the packed server, installed in an empty folder${skip}`, () => {
  const folder = temporaryFolder('packed', afterAll);
  let installed: string;
  beforeAll(() => {
    execFileSync(process.execPath, ['.scripts/pack-server.mjs', folder], { stdio: 'pipe' });
    const [tarball = ''] = readdirSync(folder);
    const project = join(folder, 'project');
    mkdirSync(project);
    const args = ['install', '--prefer-offline', '--no-audit', '--no-fund', join(folder, tarball)];
    execFileSync('npm', args, { cwd: project, stdio: 'pipe' });
    installed = join(project, 'node_modules', 'proofgate-server');
  });

  const start = (name: string, env: Readonly<Record<string, string>>): Promise<ServerProcess> =>
    startServer(join(folder, name), env, [], undefined, join(installed, 'dist/main.js'));

  it('starts with its defaults and shows its pages', async () => {
    const server = await start('development', { PROOFGATE_PROFILE: 'development' });
    onTestFinished(async () => void (await server.end('SIGTERM')));
    for (const url of [`${server.publicUrl}/`, `${server.publicUrl}/docs`, `${server.adminUrl}/docs`]) {
      expect((await fetch(url)).status, url).toBe(200);
    }
  });

  it('verifies proofs', async () => {
    const server = await start('data', {});
    onTestFinished(async () => void (await server.end('SIGTERM')));
    const url = `libsql:${join(folder, 'data', 'proofgate.db')}`;
    const store = await openStore({ url, ...GROUP_SETTINGS }, { writesInline: true });
    await registerLoadApp(store);
    await store.close();
    const make = await bodyMaker('packed');
    expect((await send(server.publicUrl, make().body, LOAD_APP)).status).toBe(200);
    expect((await send(server.publicUrl, make(true).body, LOAD_APP)).status).toBe(400);
  });

  it('signs requests of a relying party', () => {
    const argv = ['rp', 'sign-request', '--rp-id', 'rp_1234567890abcdef', '--key-file', '-'];
    const options = { input: 'ab'.repeat(32), encoding: 'utf8' } as const;
    const made = execFileSync(process.execPath, [join(installed, 'dist/main.js'), ...argv], options);
    expect(JSON.parse(made)).toMatchObject({ signature: expect.stringMatching(/^0x[0-9a-f]{130}$/) });
  });

  it('brings no program that reports its installation', () => {
    expect(existsSync(join(installed, '../@scarf'))).toBe(false);
    expect(existsSync(join(installed, 'node_modules'))).toBe(false);
  });
});
