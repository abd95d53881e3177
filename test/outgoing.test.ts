// Rules: spec/operations.md#outgoing-calls
import { getEventListeners, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { callOut, type OutgoingCall } from '../src/outgoing.ts';
import { SOURCES, sourceFiles } from './support/module-graph.ts';

/** No call of the tests takes as long. */
const LIMIT_MS = 60_000;
const MAX_BYTES = 1000;

/** Addresses of names. */
const names = vi.hoisted(() => new Map<string, readonly string[]>());
vi.mock('node:dns', async (original) => {
  const dns = await original<typeof import('node:dns')>();
  const lookup: LookupFunction = (host, options, done) => {
    const addresses = names.get(host);
    if (addresses === undefined) dns.lookup(host, { ...options, all: true }, done);
    else if (addresses.length === 0) done(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), []);
    else
      done(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
  };
  return { ...dns, lookup };
});

let server: Server;

/** Serves on a free port; returns a call of it. */
async function serve(listener: RequestListener, host = '127.0.0.1'): Promise<OutgoingCall> {
  server = createServer(listener).listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://${host}:${port}/`, reach: 'any', timeoutMs: LIMIT_MS, maxBytes: MAX_BYTES };
}

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

describe('a call to another system', () => {
  it('sends method, headers and body, and has the answer', async () => {
    const call = await serve((request, response) => {
      response.setHeader('x-got', `${request.method} ${request.headers['x-key']}`);
      request.pipe(response.setHeader('set-cookie', ['a=1', 'b=2']));
    });
    const url = call.url.replace('http', 'HTTP');
    const answer = await callOut({ ...call, url, method: 'POST', headers: { 'x-key': 'k' }, body: 'é' });
    expect(answer).toMatchObject({ status: 200, isOk: true, bytes: new TextEncoder().encode('é') });
    expect(answer.headers.get('x-got')).toBe('POST k');
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  });

  it.each([301, 302, 303, 307, 308])('follows no redirect of status %s', async (status) => {
    const paths: (string | undefined)[] = [];
    const call = await serve((request, response) => {
      paths.push(request.url);
      response.writeHead(status, { location: '/elsewhere' }).end('moved');
    });
    for (const method of ['GET', 'POST', 'PUT'] as const) {
      expect(await callOut({ ...call, method })).toMatchObject({ status, isOk: false });
    }
    expect(paths).toEqual(['/', '/', '/']);
  });

  it.each([
    ['plain', (text: string) => text, {}],
    ['compressed', (text: string) => gzipSync(text), { 'content-encoding': 'gzip' }],
  ])('has the bytes of a %s body up to the limit, and none of a longer one', async (_, encode, headers) => {
    let length = MAX_BYTES;
    const call = await serve((_request, response) => {
      response.writeHead(200, headers).end(encode('x'.repeat(length)));
    });
    expect((await callOut(call)).bytes).toHaveLength(MAX_BYTES);
    length += 1;
    expect((await callOut(call)).bytes).toBeUndefined();
  });

  it('fails for an encoding that was not asked for, and for a body that is cut', async () => {
    const encodings = ['br', 'gzip'];
    const call = await serve((_request, response) => {
      response.writeHead(200, { 'content-encoding': encodings.shift() });
      response.end(gzipSync('x'.repeat(100)).subarray(0, 20));
    });
    await expect(callOut(call)).rejects.toMatchObject({ code: 'CONTENT_ENCODING' });
    await expect(callOut(call)).rejects.toMatchObject({ code: 'Z_BUF_ERROR' });
  });

  it('reads no body where none is wanted', async () => {
    const call = await serve((_request, response) => void response.writeHead(202).write('never ends'));
    expect(await callOut({ ...call, maxBytes: 0 })).toMatchObject({ status: 202, bytes: undefined });
  });

  it.each<[string, RequestListener]>([
    ['head', () => undefined],
    ['body', (_request, response) => void response.writeHead(200).write('x')],
    [
      'compressed body',
      (_request, response) =>
        void response.writeHead(200, { 'content-encoding': 'gzip' }).write(gzipSync('x').subarray(0, 12)),
    ],
  ])('ends when the %s is late, and when the caller stops', async (_, listener) => {
    const arrived: (() => void)[] = [];
    const call = await serve((request, response) => {
      listener(request, response);
      arrived.shift()?.();
    });
    const late = { code: 'LATE', message: 'no answer within 20 ms' };
    await expect(callOut({ ...call, timeoutMs: 20 })).rejects.toMatchObject(late);
    const stop = new AbortController();
    arrived.push(() => stop.abort());
    await expect(callOut({ ...call, stop: stop.signal })).rejects.toMatchObject({ code: 'STOPPED' });
    await expect(callOut({ ...call, stop: stop.signal })).rejects.toMatchObject({ code: 'STOPPED' });
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });

  it('names what failed without the address', async () => {
    const call = await serve((_request, response) => response.destroy());
    const reset = { code: 'ECONNRESET', message: 'no answer: ECONNRESET' };
    await expect(callOut(call)).rejects.toMatchObject(reset);
    server.close();
    const refused = { code: 'ECONNREFUSED', message: 'no answer: ECONNREFUSED' };
    await expect(callOut(call)).rejects.toMatchObject(refused);
    const blocked = { code: 'BLOCKED_PORT', message: 'port 25 is blocked' };
    await expect(callOut({ ...call, url: 'http://id.example:25/key' })).rejects.toMatchObject(blocked);
  });

  it('fails for an answer that switches to another protocol', async () => {
    const call = await serve(() => undefined);
    server.on('request', ({ socket }) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n');
    });
    await expect(callOut(call)).rejects.toMatchObject({ code: 'CONNECTION' });
  });

  it('is sent again when a kept connection was closed just then', async () => {
    let calls = 0;
    const call = await serve((request, response) => {
      calls += 1;
      if (calls === 2) request.socket.destroy();
      else response.end('x');
    });
    expect([(await callOut(call)).status, (await callOut(call)).status, calls]).toEqual([200, 200, 3]);
  });
});

describe('a call to a remote address only', () => {
  const local = { code: 'LOCAL_ADDRESS', message: 'the address is one of this machine or its link' };
  const call = { reach: 'remote', timeoutMs: LIMIT_MS, maxBytes: 0 } as const;

  it.each([
    'https://127.0.0.1',
    'https://2130706433',
    'https://0x7f.1',
    'https://0',
    'https://169.254.169.254',
    'https://[::1]',
    'https://[::]',
    'https://[::ffff:127.0.0.1]',
    'https://[fe80::1]',
    'https://[::127.0.0.1]',
    'https://[64:ff9b::a9fe:a9fe]',
    'https://localhost',
    'https://a.localhost.',
  ])('is not made to %s', async (url) => {
    await expect(callOut({ ...call, url })).rejects.toMatchObject(local);
  });

  it.each([
    ['a name of this machine', ['127.0.0.1'], local],
    ['a name of its link', ['fe80::1%eth0'], local],
    ['a name that is of this machine too', ['192.0.2.1', '::ffff:169.254.169.254'], local],
    ['a name without an address', [], { code: 'ENOTFOUND' }],
  ])('is not made to %s', async (_, addresses, failure) => {
    names.set('app.example', addresses);
    let connections = 0;
    const { url } = await serve(() => undefined);
    server.on('connection', () => {
      connections += 1;
    });
    const named = url.replace('http://127.0.0.1', 'https://app.example');
    await expect(callOut({ ...call, url: named })).rejects.toMatchObject(failure);
    expect(connections).toBe(0);
  });

  const own = Object.values(networkInterfaces()).flatMap((list = []) => list);
  const address = own.find(({ internal, family }) => !internal && family === 'IPv4')?.address;
  it.skipIf(address === undefined)(
    'is made to any other (skipped on a machine without network)',
    async () => {
      names.set('app.example', [address ?? '']);
      const { url } = await serve(() => undefined, address);
      const named = url.replace(`http://${address}`, 'https://app.example');
      // The server speaks no TLS.
      await expect(callOut({ ...call, url: named })).rejects.toMatchObject({
        code: expect.stringMatching(/SSL|EPROTO/),
      });
    },
  );

  it('is not made by http', async () => {
    const failure = { code: 'NOT_HTTPS', message: 'the address is not https' };
    await expect(callOut({ ...call, url: 'http://app.example' })).rejects.toMatchObject(failure);
  });
});

describe('the sources of the service', () => {
  // A page has a script of its own, which calls from the browser.
  const inBrowser = /^(client\/|library\/|http\/pages\/render-page\.ts)/;
  const server = sourceFiles().filter((file) => !inBrowser.test(file));

  it('send requests through src/outgoing.ts only, and open proxies in src/proxy-agent.ts only', () => {
    const sends = /(?<!\w)fetch\(|\bfrom 'undici'|import \{[^}]*\b(request|get)\b[^}]*\} from 'node:https?'/;
    const senders = server.filter((file) => sends.test(readFileSync(new URL(file, SOURCES), 'utf8')));
    expect(senders).toEqual(['outgoing.ts', 'proxy-agent.ts']);
  });
});
