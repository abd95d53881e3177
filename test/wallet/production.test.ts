import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fakeCircuit } from '../support/crypto/fake-circuit.ts';
import { runProofgate, type ServerProcess, startServer } from '../support/server/server-process.ts';

const SETTINGS = {
  PROOFGATE_PROFILE: 'production',
  PROOFGATE_BASE_URL: 'https://id.example',
  PROOFGATE_ADMIN_TOKEN: 'a-token-that-nobody-guesses-0123456789',
  PROOFGATE_KEYS_MASTER_KEY: 'q'.repeat(43),
  PROOFGATE_REFRESH_SIGNING_SEED: 'a5'.repeat(32),
  PROOFGATE_SERVER_HOST: '127.0.0.1',
  PROOFGATE_SHUTDOWN_DRAIN_DELAY_MS: '0',
};

describe('a service in production', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'proofgate-wallet-'));
  let server: ServerProcess;
  beforeAll(async () => {
    await fakeCircuit(dataDir);
    const settings = { ...SETTINGS, PROOFGATE_STORAGE_URL: `libsql:${join(dataDir, 'proofgate.db')}` };
    const migrated = await runProofgate(['migrate', 'up'], { ...settings, PROOFGATE_DATA_DIR: dataDir });
    expect(migrated.code, migrated.output).toBe(0);
    server = await startServer(dataDir, settings);
  });
  afterAll(async () => {
    await server.end('SIGTERM');
    rmSync(dataDir, { recursive: true, force: true });
  });

  it.each([
    ['GET', '/wallet'],
    ['POST', '/wallet/api/enroll'],
    ['GET', '/wallet/api/inclusion-proof?tree=orb&commitment=0x1'],
    ['GET', '/wallet/api/apps'],
    ['GET', '/wallet/circuit/semaphore-depth30.wasm'],
    ['GET', '/wallet/circuit/semaphore-depth30.zkey'],
    ['GET', '/wallet/snarkjs.min.js'],
  ])('has no wallet: %s %s is 404 in the union body', async (method, path) => {
    const answer = await fetch(`${server.publicUrl}${path}`, { method });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ code: 'not_found', detail: 'Not found.' });
  });
});
