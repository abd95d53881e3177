// Rules: spec/operations.md#diagnosis
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { CheckResult } from '../../../src/cli/doctor/check.ts';
import { freePort } from '../../support/free-port.ts';
import { makeCertificate } from '../../support/server/certificate.ts';
import { startServer } from '../../support/server/server-process.ts';
import { runProcess } from '../support/process.ts';

const folder = mkdtempSync(join(tmpdir(), 'proofgate-doctor-running-'));
/** Checks that depend on this machine rather than on the service. */
const MACHINE_CHECKS = ['disk', 'descriptors', 'shape'];

afterAll(() => rmSync(folder, { recursive: true }));

/** Starts a service with the settings and runs `doctor` on it. Returns the checks that are not ok. */
async function complaints(
  dataDir: string,
  settings: Record<string, string>,
  ...commands: readonly (readonly string[])[]
): Promise<CheckResult[]> {
  const env = {
    ...settings,
    PROOFGATE_DATA_DIR: dataDir,
    PROOFGATE_SERVER_PORT: settings.PROOFGATE_SERVER_PORT ?? String(await freePort()),
    PROOFGATE_ADMIN_PORT: String(await freePort()),
  };
  const server = await startServer(dataDir, env, ['--migrate']);
  try {
    for (const command of commands) expect((await runProcess(command, env)).code).toBe(0);
    const { code, stdout } = await runProcess(['doctor', '--json'], env);
    const { checks } = JSON.parse(stdout) as { checks: CheckResult[] };
    expect(code).toBe(checks.some(({ status }) => status === 'fail') ? 1 : 0);
    const ports = checks.filter(({ name }) => name.endsWith('.port')).map(({ detail }) => detail);
    expect(ports).toEqual(Array(2).fill(expect.stringContaining('the running Proofgate, which is ready')));
    return checks.filter(({ status, name }) => status !== 'ok' && !MACHINE_CHECKS.includes(name));
  } finally {
    await server.end('SIGTERM');
  }
}

describe('doctor with a healthy running service', () => {
  it('reports no problem in development', async () => {
    expect(await complaints(join(folder, 'development'), { PROOFGATE_PROFILE: 'development' })).toEqual([]);
  });

  it('reports no problem in production with TLS', async () => {
    const { cert, key } = await makeCertificate('localhost');
    const certFile = join(folder, 'cert.pem');
    const keyFile = join(folder, 'key.pem');
    writeFileSync(certFile, cert);
    writeFileSync(keyFile, key, { mode: 0o600 });
    const port = String(await freePort());
    const dataDir = join(folder, 'production');
    const settings = {
      PROOFGATE_PROFILE: 'production',
      PROOFGATE_SERVER_HOST: '127.0.0.1',
      PROOFGATE_SERVER_PORT: port,
      PROOFGATE_BASE_URL: `https://localhost:${port}`,
      PROOFGATE_STORAGE_URL: `libsql:${dataDir}/proofgate.db`,
      PROOFGATE_ADMIN_TOKEN: 'a-token-that-nobody-guesses-0123456789',
      PROOFGATE_KEYS_MASTER_KEY: randomBytes(32).toString('base64url'),
      PROOFGATE_REFRESH_SIGNING_SEED: randomBytes(32).toString('hex'),
      PROOFGATE_TLS_CERT_FILE: certFile,
      PROOFGATE_TLS_KEY_FILE: keyFile,
      PROOFGATE_SHUTDOWN_DRAIN_DELAY_MS: '0',
      // the choice of a machine without Rust
      PROOFGATE_ENGINE_BACKEND: 'wasm',
      NODE_EXTRA_CA_CERTS: certFile,
    };
    const root = ['roots', 'add', '--environment', 'production', '--tree', 'orb', '--root', '0x0a'];
    expect(await complaints(dataDir, settings, root)).toEqual([]);
  });
});
