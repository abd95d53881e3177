// Rules: spec/sign-in.md#issuer-self-check
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { runSelfCheck, type SelfCheckParts } from '../../src/app/parts/self-check.ts';
import { makeCertificate } from '../support/server/certificate.ts';

const servers: TcpServer[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    if ('closeAllConnections' in server) (server as Server).closeAllConnections();
  }
});

async function listen<T extends TcpServer>(server: T): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

interface Line {
  readonly level: 'info' | 'warn';
  readonly text: string;
}

async function check(
  baseUrl: string,
  change: { port?: number; enabled?: boolean; retryDelaysMs?: number[] } = {},
): Promise<Line[]> {
  const lines: Line[] = [];
  const config = {
    baseUrl,
    server: { host: '127.0.0.1', port: change.port ?? 8080, allowExposedDevelopment: false },
    signin: { enabled: change.enabled ?? true },
  } as SelfCheckParts['config'];
  await runSelfCheck({
    config,
    retryDelaysMs: change.retryDelaysMs ?? [],
    log: {
      info: (text) => lines.push({ level: 'info', text }),
      warn: (text) => lines.push({ level: 'warn', text }),
    },
  });
  return lines;
}

/**
 * Starts a server that answers the discovery document below `/id` with `answer`, and anything else with 404.
 */
async function address(answer: RequestListener): Promise<string> {
  const server = createServer((request, response) => {
    if (request.url === '/id/.well-known/openid-configuration') return answer(request, response);
    response.writeHead(404).end();
  });
  return `http://127.0.0.1:${await listen(server)}/id`;
}

async function warningFor(answer: RequestListener): Promise<string> {
  const [line, ...more] = await check(await address(answer));
  expect(more).toEqual([]);
  expect(line?.level).toBe('warn');
  return line?.text ?? '';
}

describe('the self-check at start', () => {
  it('succeeds when the issuer is baseUrl', async () => {
    let issuer = '';
    const baseUrl = await address((_request, response) => response.end(JSON.stringify({ issuer })));
    issuer = baseUrl;
    expect(await check(baseUrl)).toEqual([
      { level: 'info', text: 'the issuer answers at baseUrl as configured' },
    ]);
  });

  it.each([
    ['a trailing slash', (issuer: string) => `${issuer}/`],
    ['another scheme', (issuer: string) => issuer.replace('http:', 'https:')],
    ['another letter case', (issuer: string) => issuer.replace('/id', '/ID')],
  ])('reports the expected and the actual issuer when it has %s', async (_what, change) => {
    let issuer = '';
    const baseUrl = await address((_request, response) => response.end(JSON.stringify({ issuer })));
    issuer = change(baseUrl);
    const [line] = await check(baseUrl);
    expect(line?.level).toBe('warn');
    expect(line?.text).toContain(`expected issuer "${baseUrl}" at its address, got issuer "${issuer}"`);
  });

  it('names the likely cause of a wrong status', async () => {
    expect(await warningFor((_request, response) => response.writeHead(404).end())).toContain(
      'got status 404; likely: the proxy forwards to another service, or strips or adds a path',
    );
    expect(await warningFor((_request, response) => response.writeHead(502).end())).toContain(
      'got status 502; likely: the proxy does not reach this service',
    );
    expect(await warningFor((_request, response) => response.writeHead(403).end())).toContain(
      'got status 403; likely: the proxy refuses the request',
    );
    const location = 'https://id.example/';
    expect(await warningFor((_request, response) => response.writeHead(301, { location }).end())).toContain(
      'got status 301; likely: it redirects to https://id.example/',
    );
  });

  it.each(['<html>', '[]', '{}', '{"issuer":5}', 'null', ''])(
    'attributes %j to another service',
    async (body) => {
      expect(await warningFor((_request, response) => response.end(body))).toContain(
        'got no discovery document; likely: another service answers there',
      );
    },
  );

  it('names the likely cause of a missing answer', async () => {
    const port = await listen(createTcpServer());
    servers.pop()?.close();
    expect((await check(`http://127.0.0.1:${port}`))[0]?.text).toContain(
      'got no answer (ECONNREFUSED); likely: nothing listens there',
    );
    const broken = await listen(createTcpServer((socket) => socket.destroy()));
    expect((await check(`http://127.0.0.1:${broken}`))[0]?.level).toBe('warn');
    const plain = await listen(createServer((_request, response) => response.end('{}')));
    expect((await check(`https://127.0.0.1:${plain}`))[0]?.text).toContain('one side speaks TLS');
  });

  it('recognizes a certificate that is not trusted', async () => {
    const { cert, key } = await makeCertificate('127.0.0.1');
    const port = await listen(createTlsServer({ cert, key }, (_request, response) => response.end('{}')));
    expect((await check(`https://127.0.0.1:${port}`))[0]?.text).toContain(
      'this machine does not trust the issuer of the certificate',
    );
  });

  it('is skipped without sign-in, and on port 0 with the default baseUrl', async () => {
    expect(await check('http://127.0.0.1:1', { enabled: false })).toEqual([]);
    expect(await check('http://localhost:8080', { port: 0 })).toEqual([]);
    expect(await check('http://127.0.0.1:1', { port: 0 })).toHaveLength(1);
  });

  it('retries before it warns, because a load balancer does not route to a service that has just started', async () => {
    let issuer = '';
    let calls = 0;
    const baseUrl = await address((_request, response) => {
      if (++calls < 3) response.writeHead(503).end();
      else response.end(JSON.stringify({ issuer }));
    });
    issuer = baseUrl;
    expect((await check(baseUrl, { retryDelaysMs: [1, 1] }))[0]?.level).toBe('info');
    expect(calls).toBe(3);
    calls = 0;
    expect((await check(baseUrl, { retryDelaysMs: [1] }))[0]?.text).toContain('got status 503');
    expect(calls).toBe(2);
  });

  it('does not wait for the next attempt when the service stops', async () => {
    const controller = new AbortController();
    const baseUrl = await address((_request, response) => {
      response.writeHead(503).end();
      setImmediate(() => controller.abort());
    });
    const lines: string[] = [];
    const log = { info: (text: string) => lines.push(text), warn: (text: string) => lines.push(text) };
    const config = { baseUrl, server: { port: 1 }, signin: { enabled: true } } as SelfCheckParts['config'];
    await runSelfCheck({ config, log, signal: controller.signal, retryDelaysMs: [600_000] });
    expect(lines).toEqual([]);
  });

  it('logs nothing when the service stops before its end', async () => {
    const controller = new AbortController();
    const baseUrl = await address(() => controller.abort());
    const lines: string[] = [];
    const log = { info: (text: string) => lines.push(text), warn: (text: string) => lines.push(text) };
    const config = { baseUrl, server: { port: 1 }, signin: { enabled: true } } as SelfCheckParts['config'];
    await runSelfCheck({ config, log, signal: controller.signal });
    expect(lines).toEqual([]);
  });
});
