import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { makeCertificate } from '../support/server/certificate.ts';
import { runProofgate, startServer } from '../support/server/server-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder('tls', afterAll);
const FILES = {
  PROOFGATE_TLS_CERT_FILE: join(folder, 'cert.pem'),
  PROOFGATE_TLS_KEY_FILE: join(folder, 'key.pem'),
};

beforeAll(async () => {
  const { cert, key } = await makeCertificate('localhost');
  writeFileSync(FILES.PROOFGATE_TLS_CERT_FILE, cert);
  writeFileSync(FILES.PROOFGATE_TLS_KEY_FILE, key, { mode: 0o600 });
});

describe('serve with a certificate', () => {
  it('speaks TLS on the public listener, and its issuer answers at baseUrl', async () => {
    const port = String(await freePort());
    const baseUrl = `https://localhost:${port}`;
    const env = {
      ...FILES,
      PROOFGATE_DATA_DIR: join(folder, 'data'),
      PROOFGATE_SERVER_PORT: port,
      PROOFGATE_BASE_URL: baseUrl,
      // The service trusts its own certificate, as it would trust one of a public authority.
      NODE_EXTRA_CA_CERTS: FILES.PROOFGATE_TLS_CERT_FILE,
    };
    const server = await startServer(env.PROOFGATE_DATA_DIR, env);
    expect(server.publicUrl).toBe(`https://127.0.0.1:${port}`);
    expect(server.adminUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await fetch(`${server.adminUrl}/health/live`)).status).toBe(200);
    const healthcheck = await runProofgate(['healthcheck'], env);
    expect(healthcheck).toMatchObject({ code: 0 });
    expect(healthcheck.output).toContain(`https://127.0.0.1:${port}/healthz`);
    const doctor = await runProofgate(['doctor', '--json'], { ...env, PROOFGATE_ADMIN_PORT: '0' });
    const { checks } = JSON.parse(doctor.output.slice(doctor.output.indexOf('{'))) as {
      checks: { name: string; status: string; detail: string }[];
    };
    const checkOf = (name: string): unknown => checks.find((check) => check.name === name);
    expect(checkOf('issuer')).toMatchObject({ status: 'ok', detail: expect.stringContaining(baseUrl) });
    expect(checkOf('tls')).toMatchObject({
      status: 'ok',
      detail: expect.stringContaining('names localhost'),
    });
    expect(checkOf('server.port')).toMatchObject({
      detail: expect.stringContaining('the running Proofgate'),
    });
    expect((await server.end('SIGTERM')).code).toBe(0);
    expect(server.output()).toContain('the issuer answers at baseUrl as configured');
  });

  it('exits with 78 when certificate and key do not match', async () => {
    const other = join(folder, 'other.pem');
    writeFileSync(other, (await makeCertificate('localhost')).key);
    const { code, output } = await runProofgate(['serve'], {
      ...FILES,
      PROOFGATE_TLS_KEY_FILE: other,
      PROOFGATE_PROFILE: 'test',
      PROOFGATE_DATA_DIR: join(folder, 'mismatch'),
      PROOFGATE_SERVER_PORT: '0',
      PROOFGATE_ADMIN_PORT: '0',
      PROOFGATE_KEYS_MASTER_KEY: randomBytes(32).toString('base64url'),
    });
    expect(output).toContain('tls.unreadable');
    expect(output).toContain(other);
    expect(code).toBe(78);
  });
});
