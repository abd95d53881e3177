// Rules: spec/operations.md#signals and spec/operations.md#reload
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeCertificate } from '../../../support/server/certificate.ts';
import { type ServerProcess, startServer } from '../../../support/server/server-process.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { pollUntil } from '../../../support/until.ts';

async function serve(env: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  const server = await startServer(temporaryFolder('serve-signals', onTestFinished), env);
  onTestFinished(() => void server.child.kill('SIGKILL'));
  return server;
}

/** Begins a request, whose body is not complete yet. */
async function beginRequest(publicUrl: string): Promise<{ end(): Promise<string> }> {
  const socket: Socket = connect(Number(new URL(publicUrl).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(
    'POST /token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 4\r\n\r\na=',
  );
  return {
    async end() {
      socket.write('bc');
      const [answer] = await once(socket, 'data');
      socket.destroy();
      return String(answer).split('\r\n')[0] ?? '';
    },
  };
}

/** Waits until the service has the head of a request. */
const untilBegun = ({ adminUrl }: ServerProcess): Promise<void> =>
  pollUntil(async () => {
    const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
    return /proofgate_http_unfinished_exchanges\{listener="public"\} [1-9]/.test(metrics);
  });

const isLinux = process.platform === 'linux';

describe('serve with a request in flight', () => {
  it.each([
    ['SIGTERM', true],
    ['SIGINT', true],
    ['SIGPWR', isLinux],
    ['SIGXCPU', isLinux],
  ] as const)('answers it and ends with 0 by %s', async (signal, isHere) => {
    if (!isHere) return;
    const server = await serve({ PROOFGATE_METRICS_REQUIRE_TOKEN: 'false' });
    const request = await beginRequest(server.publicUrl);
    await untilBegun(server);
    server.child.kill(signal);
    await pollUntil(() => server.output().includes('"event":"service.stopping"'));
    // Neither ends the drain: the kernel repeats SIGXCPU, and nothing is left to be read again.
    if (isLinux) server.child.kill('SIGXCPU');
    server.child.kill('SIGHUP');
    await pollUntil(() => server.output().includes('"event":"signal.ignored","signal":"SIGHUP"'));
    expect(await request.end()).toMatch(/^HTTP\/1\.1 (4\d\d|503) /);
    expect(await server.end()).toEqual({ code: 0, signal: null });
  });

  it('answers it after SIGHUP and signals without a meaning', async () => {
    const server = await serve({ PROOFGATE_METRICS_REQUIRE_TOKEN: 'false' });
    const request = await beginRequest(server.publicUrl);
    await untilBegun(server);
    for (const signal of ['SIGHUP', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGALRM', 'SIGHUP'] as const) {
      server.child.kill(signal);
    }
    await pollUntil(() => server.output().includes('"event":"reload.done","reason":"SIGHUP"'));
    expect(await request.end()).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });
});

describe('serve at SIGHUP', () => {
  it('has the new certificate on both listeners and the new token, without losing a connection', async () => {
    const folder = temporaryFolder('serve-reload', onTestFinished);
    const [certFile, keyFile, tokenFile] = ['cert.pem', 'key.pem', 'token'].map((name) =>
      join(folder, name),
    ) as [string, string, string];
    const put = (path: string, text: string): void => {
      writeFileSync(`${path}.new`, text, { mode: 0o600 });
      renameSync(`${path}.new`, path);
    };
    const renew = async (token: string): Promise<string> => {
      const { cert, key } = await makeCertificate('localhost');
      put(keyFile, key);
      put(certFile, cert);
      put(tokenFile, token);
      return new X509Certificate(cert).serialNumber;
    };
    const first = 'first-token-of-the-test-0123456789';
    const second = 'second-token-of-the-test-0123456789';
    const former = await renew(first);
    const server = await serve({
      PROOFGATE_TLS_CERT_FILE: certFile,
      PROOFGATE_TLS_KEY_FILE: keyFile,
      PROOFGATE_ADMIN_TOKEN_FILE: tokenFile,
      // With TLS, since it is not loopback.
      PROOFGATE_ADMIN_HOST: '0.0.0.0',
    });
    const [port, adminPort] = [server.publicUrl, server.adminUrl].map((url) => Number(new URL(url).port)) as [
      number,
      number,
    ];
    const openTo = async (target: number): Promise<TLSSocket> => {
      const socket = connectTls({ port: target, host: '127.0.0.1', rejectUnauthorized: false });
      await once(socket, 'secureConnect');
      return socket;
    };
    const serialAt = async (target: number): Promise<string> => {
      const socket = await openTo(target);
      const serial = socket.getPeerX509Certificate()?.serialNumber ?? '';
      socket.destroy();
      return serial;
    };
    const statusWith = async (token: string): Promise<string> => {
      const socket = await openTo(adminPort);
      socket.write(
        `GET /admin/v1/apps HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`,
      );
      const [answer] = await once(socket, 'data');
      socket.destroy();
      return String(answer).split(' ')[1] ?? '';
    };
    const state = async (): Promise<string[]> => [
      await serialAt(port),
      await serialAt(adminPort),
      await statusWith(first),
      await statusWith(second),
    ];
    expect(await state()).toEqual([former, former, '200', '401']);
    const renewed = await renew(second);
    const early = await openTo(port);
    server.child.kill('SIGHUP');
    await pollUntil(() => server.output().includes('"event":"reload.done","reason":"SIGHUP"'));
    expect(await state()).toEqual([renewed, renewed, '401', '200']);
    early.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const [answer] = await once(early, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);
    early.destroy();
    expect(server.output()).toMatch(/"event":"reload\.done".*"settings":\["tls\.certFile","admin\.token"\]/);
    expect(server.output()).not.toContain(second);
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });
});
