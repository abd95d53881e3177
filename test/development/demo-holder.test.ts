import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/sources/load.ts';
import type { LoadedConfig } from '../../src/config/sources/loaded-config.ts';
import { DEMO_ID_COMM, DEMO_ORB_ID, refreshCurl, seedDemoHolder } from '../../src/development/demo-holder.ts';
import type { Store } from '../../src/storage/store.ts';
import { environmentOf } from '../support/server/environment-of.ts';
import { openMigratedStore } from '../support/server/migrated-store.ts';

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'proofgate-demo-holder-'));
  store = await openMigratedStore({ url: `libsql:${folder}/demo.db`, groupMaxRows: 16, groupMaxDelayMs: 0 });
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

async function configOf(flags: Record<string, string> = {}): Promise<LoadedConfig['config']> {
  return (await loadConfig({ env: environmentOf({ dataDir: folder, ...flags }), cwd: folder })).config;
}

describe('the demo holder', () => {
  it('is enrolled once, with one orb key, by any number of starts', async () => {
    await seedDemoHolder(store, 1000);
    await Promise.all([seedDemoHolder(store, 2000), seedDemoHolder(store, 2000)]);
    expect(await store.enrolments.find(DEMO_ID_COMM)).toMatchObject({ status: 'active', updatedAt: 1000 });
    expect(await store.orbKeys.list(DEMO_ORB_ID)).toMatchObject([{ status: 'active', addedAt: 1000 }]);
  });

  it('stays revoked after an operator revoked it', async () => {
    await seedDemoHolder(store, 1000);
    await store.enrolments.revoke(DEMO_ID_COMM, 1500);
    const [key] = await store.orbKeys.list(DEMO_ORB_ID);
    await store.orbKeys.revoke(DEMO_ORB_ID, key?.keyHash ?? new Uint8Array());
    await seedDemoHolder(store, 2000);
    expect(await store.enrolments.find(DEMO_ID_COMM)).toMatchObject({ status: 'revoked' });
    expect(await store.orbKeys.list(DEMO_ORB_ID)).toMatchObject([{ status: 'revoked' }]);
  });
});

describe('the printed refresh command', () => {
  it('names the address, the header and the form field', async () => {
    const command = refreshCurl('http://127.0.0.1:8080', await configOf());
    expect(command).toMatch(
      /^curl -sS 'http:\/\/127\.0\.0\.1:8080\/api\/v1\/refresh\?idComm=0x[0-9a-f]{64}' -H 'x-zkp-proof: [A-Za-z0-9+/=]+' -F sub=0x[0-9a-f]{64}$/,
    );
  });

  it('quotes any path as one shell word', async () => {
    const command = refreshCurl("http://127.0.0.1:8080/a,b'c", await configOf());
    const words = (command ?? '').replace(/^curl -sS/, 'printf "%s\\n"');
    const stdout = execFileSync('sh', ['-c', words], { encoding: 'utf8' });
    expect(stdout.split('\n')[0]).toMatch(
      /^http:\/\/127\.0\.0\.1:8080\/a,b'c\/api\/v1\/refresh\?idComm=0x[0-9a-f]{64}$/,
    );
  });

  it.each([
    { 'refresh.enabled': 'false' },
    { 'refresh.challengeRequired': 'true' },
    { 'refresh.verificationKey': 'semaphore-depth30' },
    { 'refresh.externalNullifier': 'another' },
  ])('is left out when the committed proof would be refused: %o', async (flags) => {
    expect(refreshCurl('http://127.0.0.1:8080', await configOf(flags))).toBeUndefined();
  });
});
