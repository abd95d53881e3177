// Rules: spec/operations.md#diagnosis

import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { reachableUrl } from '../../../../src/cli/program/fetch-from-listener.ts';
import { makeCertificate } from '../../../support/server/certificate.ts';
import { endServer, listen } from '../../../support/server/listen.ts';
import { useCliFolder } from '../../support/cli.ts';

const folder = useCliFolder();
let server: Server;
let port: string;
let status: number;

beforeEach(async () => {
  status = 200;
  server = createServer((request, response) => {
    response.statusCode = request.url === '/healthz' ? status : 404;
    response.end('{}');
  });
  port = String(await listen(server));
});

afterEach(() => endServer(server));

describe('proofgate healthcheck', () => {
  it('exits 0 when the service is ready', async () => {
    const result = await folder.json(['healthcheck', '--server.port', port]);
    expect(result).toEqual({ status: 'ok', url: `http://127.0.0.1:${port}/healthz` });
  });

  it('reaches a server on all interfaces through loopback', async () => {
    const argv = ['healthcheck', '--server.port', port, '--server.host', '0.0.0.0'];
    expect((await folder.run(argv)).code).toBe(0);
    expect(reachableUrl({ host: '::', port: 80, isTls: false })).toBe('http://[::1]:80');
    expect(reachableUrl({ host: 'id.internal', port: 80, isTls: true })).toBe('https://id.internal:80');
  });

  it('reaches a server with TLS, whatever host its certificate names', async () => {
    const { cert, key } = await makeCertificate('id.example');
    const tlsServer = createTlsServer({ cert, key }, (_request, response) => response.end('{}'));
    const tlsPort = await new Promise<number>((resolve) => {
      tlsServer.listen(0, '127.0.0.1', () => resolve((tlsServer.address() as AddressInfo).port));
    });
    onTestFinished(async () => {
      tlsServer.close();
      tlsServer.closeAllConnections();
    });
    const files = ['--tls.certFile', 'cert.pem', '--tls.keyFile', 'key.pem'];
    const argv = ['healthcheck', '--server.port', String(tlsPort), ...files];
    expect(await folder.json(argv)).toEqual({ status: 'ok', url: `https://127.0.0.1:${tlsPort}/healthz` });
  });

  it('exits 1 when it is not ready', async () => {
    status = 503;
    const { code, stderr } = await folder.run(['healthcheck', '--server.port', port]);
    expect(code).toBe(1);
    expect(stderr).toContain('proofgate: server.not_ready: ');
    expect(stderr).toContain('answered 503');
  });

  it('exits 1 when nothing answers, or the port is not known', async () => {
    server.close();
    await folder.fails(['healthcheck', '--server.port', port], 1, 'does not answer: ');
    const unknown = await folder.run('healthcheck --server.port 0');
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain('server.port is 0');
  });
});
