// Rules: spec/operations.md#egress-proxy
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parseProxy, proxyFinder } from '../src/config/values/proxy-rules.ts';
import { useProxies } from '../src/egress-proxies.ts';
import { type CallFailure, callOut, type OutgoingCall } from '../src/outgoing.ts';
import { freePort } from './support/free-port.ts';
import { makeCertificate, type TestCertificate } from './support/server/certificate.ts';
import { openProxy } from './support/server/egress-proxy.ts';
import { serveLocally } from './support/server/local-server.ts';
import { runProofgate } from './support/server/server-process.ts';
import { temporaryFolder } from './support/temporary-folder.ts';
import { pollUntil } from './support/until.ts';

/** No call of the tests takes as long. */
const LIMIT_MS = 60_000;
const PASSWORD = 'p@ss:word';
const SECRETS = /p(%40|@)ss|Basic|YWxpY2U/;

const callTo = (url: string, changes: Partial<OutgoingCall> = {}): OutgoingCall => ({
  url,
  reach: 'any',
  timeoutMs: LIMIT_MS,
  maxBytes: 10_000,
  ...changes,
});

/** Has calls leave through a proxy on this machine until the test ends. */
function throughProxy(address: string, exceptions: readonly string[] = []): void {
  const proxy = parseProxy(address);
  expect(proxy).toBeDefined();
  useProxies(proxyFinder({ http: proxy, https: proxy, exceptions }));
}

afterEach(() => useProxies(() => undefined));

/** Serves over http on a free port; answers with what it was asked. */
async function openTarget(): Promise<number> {
  const target = await serveLocally(async (request, response) => {
    const { method, url, headers } = request;
    response.end(JSON.stringify({ method, url, headers, body: await text(request) }));
  });
  onTestFinished(() => target.close());
  return Number(new URL(target.origin).port);
}

describe('a call by http through a proxy', () => {
  it('names the whole address to the proxy, and the target gets all but the credentials of the proxy', async () => {
    const names = { 'feed.example:8080': await openTarget() };
    const proxy = await openProxy({ names, credentials: `alice:${PASSWORD}` });
    throughProxy(`http://alice:${encodeURIComponent(PASSWORD)}@127.0.0.1:${proxy.port}`);
    const answer = await callOut(
      callTo('http://u:p@feed.example:8080/a?b=c', { method: 'POST', body: 'é', headers: { 'x-key': 'k' } }),
    );
    expect(proxy.seen).toEqual(['POST http://feed.example:8080/a?b=c']);
    const asked = JSON.parse(Buffer.from(answer.bytes ?? []).toString()) as Record<string, object>;
    expect(asked).toMatchObject({ method: 'POST', url: '/a?b=c', body: 'é' });
    expect(asked.headers).toMatchObject({
      host: 'feed.example:8080',
      'x-key': 'k',
      authorization: `Basic ${btoa('u:p')}`,
    });
    expect(asked.headers).not.toHaveProperty('proxy-authorization');
  });

  it('has the answer of the target, also one that is no success', async () => {
    const { port } = await openProxy({ status: 503 });
    throughProxy(`http://127.0.0.1:${port}`);
    expect(await callOut(callTo('http://feed.example/'))).toMatchObject({ status: 503, isOk: false });
  });
});

describe.each(['http', 'https'])('a call by %s', (scheme) => {
  const url = `${scheme}://feed.example/key?secret=s`;

  it('names a proxy that wants other credentials, without those it got', async () => {
    const { port } = await openProxy({ credentials: 'bob:other' });
    throughProxy(`http://alice:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`);
    const failure = (await callOut(callTo(url)).catch((error: unknown) => error)) as CallFailure;
    expect(failure).toMatchObject({
      code: 'PROXY_REFUSED',
      message: `the proxy http://127.0.0.1:${port} answered 407: it wants other credentials`,
    });
    expect(`${failure.stack} ${JSON.stringify(failure.cause)}`).not.toMatch(SECRETS);
  });

  it('names a proxy that does not answer', async () => {
    const port = await freePort();
    throughProxy(`http://alice:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`);
    const failure = (await callOut(callTo(url)).catch((error: unknown) => error)) as CallFailure;
    expect(failure).toMatchObject({
      code: 'PROXY_UNREACHABLE',
      message: `no answer from the proxy http://127.0.0.1:${port}: ECONNREFUSED`,
    });
    expect(failure.stack).not.toMatch(SECRETS);
  });

  it('ends in time at a silent proxy, and leaves no connection to it', async () => {
    const proxy = await openProxy({ isSilent: true });
    throughProxy(`http://127.0.0.1:${proxy.port}`);
    await expect(callOut(callTo(url, { timeoutMs: 200 }))).rejects.toMatchObject({
      code: 'LATE',
      message: `no answer through the proxy http://127.0.0.1:${proxy.port} within 200 ms`,
    });
    const stop = new AbortController();
    const call = callOut(callTo(url, { stop: stop.signal }));
    await pollUntil(() => proxy.seen.length === 2);
    stop.abort();
    await expect(call).rejects.toMatchObject({ code: 'STOPPED' });
    await pollUntil(() => proxy.connections() === 0);
  });

  it('goes past the proxy to this machine, to exceptions and to listeners of the service', async () => {
    const proxy = await openProxy();
    throughProxy(`http://127.0.0.1:${proxy.port}`, ['feed.example']);
    const own = { isOwnListener: true, timeoutMs: 2000 } as const;
    // Nothing listens, and the names have no address.
    for (const call of [callTo(`${scheme}://127.0.0.1:9`), callTo(`${scheme}://[::1]:9`), callTo(url)]) {
      await expect(callOut(call)).rejects.not.toMatchObject({ code: expect.stringMatching(/^PROXY/) });
    }
    await callOut(callTo(`${scheme}://other.example.invalid`, own)).catch(() => undefined);
    expect(proxy.seen).toEqual([]);
  });
});

describe('a call by https through a proxy', () => {
  it.each([403, 502, 503])('names a proxy that answers %s', async (status) => {
    const { port } = await openProxy({ status });
    throughProxy(`http://127.0.0.1:${port}`);
    await expect(callOut(callTo('https://hooks.example/x'))).rejects.toMatchObject({
      code: 'PROXY_REFUSED',
      message: `the proxy http://127.0.0.1:${port} answered ${status}`,
    });
  });

  it('to a remote address only is not made to an address of this machine, by whatever name', async () => {
    const proxy = await openProxy();
    throughProxy(`http://127.0.0.1:${proxy.port}`, ['<-loopback>']);
    for (const host of ['127.0.0.1', 'localhost', '169.254.169.254', '[::1]', '[::ffff:127.0.0.1]', '0']) {
      const call = callOut(callTo(`https://${host}/`, { reach: 'remote' }));
      await expect(call, host).rejects.toMatchObject({ code: 'LOCAL_ADDRESS' });
    }
    await expect(callOut(callTo('http://hooks.example/', { reach: 'remote' }))).rejects.toMatchObject({
      code: 'NOT_HTTPS',
    });
    expect(proxy.seen).toEqual([]);
    // A name is resolved by the proxy.
    await expect(callOut(callTo('https://hooks.example/', { reach: 'remote' }))).rejects.toMatchObject({
      code: 'PROXY_REFUSED',
    });
    expect(proxy.seen).toEqual(['CONNECT hooks.example:443']);
  });
});

describe('the service behind a proxy', () => {
  let certificate: TestCertificate;
  beforeAll(async () => {
    certificate = await makeCertificate('hooks.example');
  });

  /** Serves over https as hooks.example; returns the port, and the bodies that arrived. */
  async function openReceiver(): Promise<{ readonly port: number; readonly bodies: string[] }> {
    const bodies: string[] = [];
    const server = createTlsServer(certificate, async (request, response) => {
      bodies.push(await text(request));
      response.writeHead(204).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return { port: (server.address() as AddressInfo).port, bodies };
  }

  it.each([
    ['http, by a variable of the system', 'http', (url: string) => ({ HTTPS_PROXY: url })],
    ['http, by a variable in lower case', 'http', (url: string) => ({ https_proxy: url })],
    ['http, by ALL_PROXY', 'http', (url: string) => ({ all_proxy: url })],
    ['http, by a setting', 'http', (url: string) => ({ PROOFGATE_OUTGOING_PROXY: url, HTTPS_PROXY: 'x:1' })],
    ['https', 'https', (url: string) => ({ PROOFGATE_OUTGOING_PROXY: url })],
  ])('sends webhooks through it: %s', async (_, scheme, variables) => {
    const receiver = await openReceiver();
    const tls = await makeCertificate('127.0.0.1');
    const proxy = await openProxy({
      names: { 'hooks.example:443': receiver.port },
      credentials: `alice:${PASSWORD}`,
      ...(scheme === 'https' ? { tls } : {}),
    });
    const folder = temporaryFolder('egress', onTestFinished);
    writeFileSync(join(folder, 'ca.pem'), certificate.cert + tls.cert);
    const { code, output } = await runProofgate(['webhooks', 'test'], {
      NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
      PROOFGATE_DATA_DIR: folder,
      PROOFGATE_WEBHOOKS_URL: 'https://hooks.example/x',
      PROOFGATE_WEBHOOKS_SECRET: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
      PROOFGATE_WEBHOOKS_ALLOW_LOCAL: 'false',
      ...variables(`${scheme}://alice:${encodeURIComponent(PASSWORD)}@127.0.0.1:${proxy.port}`),
    });
    expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining('was received: 204') });
    expect(proxy.seen).toEqual(['CONNECT hooks.example:443']);
    expect(receiver.bodies).toHaveLength(1);
  });
});
