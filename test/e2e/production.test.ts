import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { buildApp } from '../../src/app/app.ts';
import { createApp } from '../../src/apps/apps.ts';
import { makeSecret } from '../../src/apps/secrets/secrets.ts';
import { DEMO_ID_COMM, DEMO_ORB_ID, seedDemoHolder } from '../../src/development/demo-holder.ts';
import { toHex } from '../../src/semaphore/hex.ts';
import { openStore } from '../../src/storage/open-store.ts';
import { buildVersion } from '../../src/version.ts';
import { type CliResult, runIn } from '../cli/support/cli.ts';
import { LOAD_ROOT } from '../support/load.ts';
import { startServer } from '../support/server/server-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import vectors from '../vectors/credential-vectors.json' with { type: 'json' };

const dataDir = temporaryFolder('production', afterAll);
const url = `libsql:${join(dataDir, 'proofgate.db')}`;
const SAFE = {
  PROOFGATE_PROFILE: 'production',
  PROOFGATE_STORAGE_URL: url,
  PROOFGATE_BASE_URL: 'https://id.example',
  PROOFGATE_ADMIN_TOKEN: 'a-token-that-nobody-guesses-0123456789',
  PROOFGATE_KEYS_MASTER_KEY: randomBytes(32).toString('base64url'),
  PROOFGATE_SERVER_HOST: '127.0.0.1',
  PROOFGATE_SHUTDOWN_DRAIN_DELAY_MS: '0',
};
const PLACE = { PROOFGATE_DATA_DIR: dataDir, PROOFGATE_SERVER_PORT: '0', PROOFGATE_ADMIN_PORT: '0' };
const MADE_UP = 'ab'.repeat(32);
const OF_VECTORS = vectors.eddsa[0]?.public_key_compressed ?? '';
const settings = { url, groupMaxRows: 512, groupMaxDelayMs: 0 };

/** Runs a command in this process; `serve` starts the service in it, unless it is refused. */
const run = (env: Record<string, string>, ...argv: string[]): Promise<CliResult> =>
  runIn(dataDir, argv, { env, buildApp, now: Date.now() });

describe('serve in profile production', () => {
  it('refuses pending migrations without --migrate', async () => {
    const { code, stderr } = await run({ ...PLACE, ...SAFE }, 'serve');
    expect(stderr).toContain('migrations are pending');
    expect(code).toBe(78);
  });

  it('refuses stored development apps and forgeable keys together with unsafe settings in one run', async () => {
    const store = await openStore(settings);
    await store.migrate();
    await createApp(store.apps, { name: 'Left over', isDevelopment: true }, Date.now());
    const key = {
      use: 'signin',
      publicJwk: '{}',
      privateJwk: '{}',
      isSealed: false,
      isDevelopment: true,
      createdAt: 1,
      activatedAt: null,
      retiredAt: null,
      expiresAt: null,
    } as const;
    await store.signingKeys.initialise(
      { ...key, kid: 'left-over-1', state: 'active' },
      { ...key, kid: 'left-over-2', state: 'next' },
    );
    const { appId } = await createApp(store.apps, { name: 'Made in production' }, Date.now());
    const owner = { appId, isDevelopment: true, secretKey: new Uint8Array(32) };
    await store.apps.addSecret(makeSecret(owner, Date.now()).row, 0, Date.now());
    await store.roots.put([
      {
        environment: 'production',
        tree: 'orb',
        root: LOAD_ROOT,
        receivedAt: 1,
        supersededAt: null,
        source: 'operator',
        keyId: 'trapdoor-4',
      },
    ]);
    await seedDemoHolder(store, Date.now());
    for (const [keyId, origin, schema] of [
      [MADE_UP, 'development', '1'],
      [OF_VECTORS, 'configured', '2'],
    ] as const) {
      const point = { x: new Uint8Array(32).fill(1), y: new Uint8Array(32).fill(2) };
      const issuer = {
        ...point,
        keyId,
        origin,
        issuerSchemaId: schema,
        status: 'active',
        sealedSeed: 'ey',
      } as const;
      await store.issuerKeys.activate({ ...issuer, registeredAt: 1, retiredAt: null }, undefined, 1);
    }
    await store.close();
    const unsafe = {
      ...PLACE,
      ...SAFE,
      PROOFGATE_BASE_URL: 'http://id.example',
      PROOFGATE_REFRESH_VERIFICATION_KEY: 'dev-depth30',
    };
    const { code, stderr } = await run(unsafe, 'serve');
    expect(code).toBe(78);
    expect(stderr).toContain('baseUrl (PROOFGATE_BASE_URL)');
    expect(stderr).toMatch(/app app_[0-9a-f]{32} was made by the development profile/);
    expect(stderr).toMatch(
      new RegExp(`secret cs_[0-9a-f]{16} of app ${appId} was made by the development profile`),
    );
    for (const kid of ['left-over-1', 'left-over-2']) {
      expect(stderr).toContain(`signing key ${kid} was made by the development profile`);
    }
    expect(stderr).toContain('key trapdoor-4, bound by a root of production/orb');
    expect(stderr).toContain('key dev-depth30, bound by refresh.verificationKey');
    expect(stderr).toContain(`credential key ${MADE_UP} was made by the development profile`);
    expect(stderr).toContain(`credential key ${OF_VECTORS} has a seed that is in published test vectors`);
    expect(stderr).toContain('refresh.signingSeed (PROOFGATE_REFRESH_SIGNING_SEED): required');
    expect(stderr).toContain(`enrolment ${toHex(DEMO_ID_COMM)} belongs to the demo holder`);
    expect(stderr).toMatch(new RegExp(`orb key [0-9a-f]{64} of ${DEMO_ORB_ID} belongs to the demo orb`));
  });

  it('starts with safe settings, a migrated store and a credential key that a command made', async () => {
    const clean = temporaryFolder('production', onTestFinished);
    const place = { ...PLACE, ...SAFE, PROOFGATE_STORAGE_URL: `libsql:${join(clean, 'proofgate.db')}` };
    const migrated = await run({ ...place, PROOFGATE_DATA_DIR: clean }, 'migrate', 'up');
    expect(migrated.code).toBe(0);
    const made = await run(place, 'keys', 'rotate', '--use', 'credential');
    expect(made.code, made.stderr).toBe(0);
    const server = await startServer(clean, { ...place, PROOFGATE_DEVELOPMENT_MAKE_CIRCUIT: 'true' });
    expect((await fetch(`${server.publicUrl}/wallet/api/circuit`)).status).toBe(404);
    const health = await fetch(`${server.publicUrl}/healthz`);
    expect(health.status).toBe(200);
    expect(health.headers.get('strict-transport-security')).toContain('max-age=');
    const metrics = async (): Promise<string[]> =>
      (await (await fetch(`${server.adminUrl}/metrics`)).text()).split('\n');
    const lines = await metrics();
    expect(lines).toContain('proofgate_ready 1');
    expect(lines).toContain('proofgate_health_check_ok{check="store"} 1');
    expect(lines).toContain('proofgate_backup_last_timestamp_seconds 0');
    expect(lines).toContain(
      `proofgate_build_info{version="${buildVersion()}",node="${process.versions.node}",profile="production"} 1`,
    );
    expect(lines).toContainEqual(expect.stringMatching(/^proofgate_store_bytes\{part="log"\} [1-9]/));
    expect(lines).toContainEqual(expect.stringMatching(/^process_resident_memory_bytes [1-9]/));
    const backup = await run(place, 'backup', join(clean, 'copy.db'));
    expect(backup.code, backup.stderr).toBe(0);
    expect(await metrics()).toContainEqual(
      expect.stringMatching(/^proofgate_backup_last_timestamp_seconds 1\d{9}(\.\d+)?$/),
    );
    const { code } = await server.end('SIGTERM');
    expect(code).toBe(0);
    // production never makes the development circuit, whatever the setting
    expect(server.output()).not.toContain('circuit.making');
    expect(existsSync(join(clean, 'circuits'))).toBe(false);
  });
});
