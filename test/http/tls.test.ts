// Rules: spec/operations.md#tls
import { spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { connect, type SecureVersion } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { HttpRequest, HttpResponse } from '../../src/http/exchange/exchange-types.ts';
import { makeCertificate } from '../support/server/certificate.ts';
import { HTTP_LIBRARIES } from '../support/server/http-library.ts';
import { proxyHeader } from '../support/server/proxy-protocol.ts';
import { RawClient, requestText } from '../support/server/raw-client.ts';
import { describeRequest, openListener, testRoute } from '../support/server/test-listener.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder('tls', afterAll);
const certFile = join(folder, 'cert.pem');
const keyFile = join(folder, 'key.pem');
const tls = { certFile, keyFile };
let ca = '';

beforeAll(async () => {
  const { cert, key } = await makeCertificate('localhost');
  ca = cert;
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key, { mode: 0o600 });
});

interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

function send(
  port: number,
  method: string,
  path: string,
  body: Uint8Array = new Uint8Array(),
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      servername: 'localhost',
      port,
      method,
      path,
      ca,
      agent: false as const,
    };
    const outgoing = request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }));
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

async function connectSecurely(port: number): Promise<RawClient> {
  const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'secureConnect');
  // Several records in one packet.
  socket.setMaxSendFragment(512);
  return new RawClient(socket);
}

/** Whether the installed `openssl` completes a handshake. */
function handshake(port: number, options: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn('openssl', ['s_client', '-connect', `127.0.0.1:${port}`, ...options], {
      stdio: ['ignore', 'ignore', 'ignore'],
    });
    child.on('close', (code) => resolve(code === 0));
  });
}

describe('a listener with a certificate', () => {
  it('serves over TLS, including large request and response bodies', async () => {
    const large = (size: number): HttpResponse => ({ status: 200, body: Buffer.alloc(size, 7) });
    const { port, server } = await openListener(
      [
        testRoute('GET', '/t', describeRequest),
        testRoute('GET', '/large', () => large(3_000_000)),
        testRoute('POST', '/t', async ({ body }: HttpRequest) => ({ status: 200, body }), {
          bodyLimitBytes: 1_000_000,
        }),
      ],
      { tls },
    );
    expect(server.scheme).toBe('https');
    const { status, body } = await send(port, 'GET', '/t?a=1');
    expect(status).toBe(200);
    expect(JSON.parse(body.toString())).toMatchObject({ path: '/t', query: 'a=1', address: '127.0.0.1' });
    expect((await send(port, 'GET', '/large')).body).toHaveLength(3_000_000);
    const sent = Buffer.alloc(900_000, 'x');
    expect((await send(port, 'POST', '/t', sent)).body.equals(sent)).toBe(true);
  });

  it('accepts a head of 40 kB and refuses a larger one, as without TLS', async () => {
    const { port } = await openListener([testRoute('GET', '/t', describeRequest)], { tls });
    const { body } = await send(port, 'GET', `/t?${'q'.repeat(40_000)}`);
    expect(JSON.parse(body.toString()).query).toHaveLength(40_000);
    expect((await send(port, 'GET', `/t?${'q'.repeat(41_000)}`)).status).toBe(431);
  });

  it.each<[SecureVersion, boolean]>([
    ['TLSv1.1', false],
    ['TLSv1.2', true],
    ['TLSv1.3', true],
  ])('supports %s: %s', async (version, isSupported) => {
    const { port } = await openListener([], { tls });
    const options = { minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' };
    const protocol = await new Promise<string>((resolve) => {
      const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca, ...options }, () => {
        resolve(socket.getProtocol() ?? '');
        socket.destroy();
      });
      socket.on('error', () => resolve(''));
    });
    expect(protocol).toBe(isSupported ? version : '');
  });

  describe.each(HTTP_LIBRARIES)('by %s', (library) => {
    /** Which of the suites an OpenSSL client agrees on with one of the listeners, one by one. */
    async function accepted(ports: readonly number[], suites: readonly string[]): Promise<string[]> {
      const found: string[] = [];
      for (const suite of suites) {
        const handshakes = ports.map((port) =>
          handshake(port, ['-tls1_2', '-cipher', `${suite}:@SECLEVEL=0`]),
        );
        if ((await Promise.all(handshakes)).includes(true)) found.push(suite);
      }
      return found;
    }

    it.each(['public', 'admin'])(
      'has forward secrecy and authenticated encryption with every suite of TLS 1.2: the %s listener',
      async (listener) => {
        const rsa = {
          certFile: join(folder, `rsa-${library}.pem`),
          keyFile: join(folder, `rsa-${library}-key.pem`),
        };
        const { cert, key } = await makeCertificate('localhost', 30, ['rsa:2048']);
        writeFileSync(rsa.certFile, cert);
        writeFileSync(rsa.keyFile, key, { mode: 0o600 });
        const limits = { library };
        const ports = [
          (await openListener([], { tls, listener, limits })).port,
          (await openListener([], { tls: rsa, listener, limits })).port,
        ];
        const good = [
          'ECDHE-ECDSA-AES128-GCM-SHA256',
          'ECDHE-ECDSA-AES256-GCM-SHA384',
          'ECDHE-ECDSA-CHACHA20-POLY1305',
          'ECDHE-RSA-AES128-GCM-SHA256',
          'ECDHE-RSA-AES256-GCM-SHA384',
          'ECDHE-RSA-CHACHA20-POLY1305',
        ];
        const bad = [
          'AES128-SHA',
          'AES256-SHA',
          'AES128-GCM-SHA256',
          'AES256-GCM-SHA384',
          'AES128-CCM',
          'CAMELLIA128-SHA',
          'DHE-RSA-AES128-GCM-SHA256',
          'ECDHE-RSA-AES128-SHA',
          'ECDHE-RSA-AES256-SHA',
          'ECDHE-RSA-AES128-SHA256',
          'ECDHE-ECDSA-AES128-SHA',
          'ECDHE-ECDSA-AES256-SHA384',
          'NULL-SHA256',
          'AECDH-AES128-SHA',
          // Every other suite of this OpenSSL at once.
          ['ALL', 'COMPLEMENTOFALL', ...good.map((suite) => `!${suite}`)].join(':'),
        ];
        expect(await accepted(ports, [...good, ...bad])).toEqual(good);
      },
    );
  });

  it('does not serve plain HTTP, with or without a PROXY header', async () => {
    const { port, records } = await openListener([testRoute('GET', '/t', describeRequest)], { tls });
    for (const before of [Buffer.alloc(0), proxyHeader('203.0.113.7')]) {
      const client = await RawClient.open(port);
      client.send(Buffer.concat([before, Buffer.from(requestText('GET /t'))]));
      expect(await client.closed()).not.toContain('HTTP/1.1 200');
    }
    expect(records).toEqual([]);
  });

  it('keeps the connection for a request that comes right behind the answer to the one before it', async () => {
    let client: RawClient | undefined;
    const sizes = [1, 20_000, 65_000];
    const post = (target: string): string =>
      requestText(`POST ${target}`, ['Content-Length: 2000'], 'x'.repeat(2000));
    const routes = sizes.map((size) =>
      testRoute('POST', `/${size}`, async ({ query }) => {
        // Sent in the turn of the event loop that writes the answer, so it comes before a turn has passed.
        const sendNext = (): void => client?.send(post(`/${size}`));
        if (query === 'first') setImmediate(sendNext);
        return { status: 200, body: Buffer.alloc(size, 7) };
      }),
    );
    const { port, records } = await openListener(routes, { tls });
    for (const size of sizes) {
      client = await connectSecurely(port);
      client.send(post(`/${size}?first`));
      for (const _ of ['first', 'next']) expect((await client.response()).body).toHaveLength(size);
    }
    await expect.poll(() => records.map(({ status }) => status)).toEqual(Array(6).fill(200));
  });

  it('serves the requests of one packet whose answers need no waiting, in order', async () => {
    const { port } = await openListener([testRoute('GET', '/t', describeRequest)], { tls });
    const client = await connectSecurely(port);
    const indices = [0, 1, 2, 3, 4];
    client.send(indices.map((index) => requestText(`GET /t?${index}`)).join(''));
    for (const index of indices) {
      expect(JSON.parse((await client.response()).body.toString()).query).toBe(String(index));
    }
  });

  it('asks for the body of a request that expects 100-continue', async () => {
    const { port } = await openListener([testRoute('POST', '/t', describeRequest)], { tls });
    const client = await connectSecurely(port);
    client.send(requestText('POST /t', ['Expect: 100-continue', 'Content-Length: 2']));
    expect((await client.response(true)).status).toBe(100);
    client.send('ab');
    expect((await client.response()).status).toBe(200);
  });

  it('takes the client address from a trusted proxy', async () => {
    const proxy = { trusted: ['127.0.0.1'], header: 'x-forwarded-for', protocolV2: false } as const;
    const { port } = await openListener([testRoute('GET', '/t', describeRequest)], { tls, proxy });
    const options = {
      host: '127.0.0.1',
      servername: 'localhost',
      port,
      path: '/t',
      ca,
      agent: false as const,
    };
    const text = await new Promise<string>((resolve, reject) => {
      const send = request({ ...options, headers: { 'X-Forwarded-For': '203.0.113.7' } }, (response) => {
        response.toArray().then((chunks: Buffer[]) => resolve(Buffer.concat(chunks).toString()), reject);
      });
      send.on('error', reject);
      send.end();
    });
    expect(JSON.parse(text).address).toBe('203.0.113.7');
  });
});

describe('the end of a certificate chain', () => {
  it('is that of the certificate that ends first', async () => {
    const chainFile = join(folder, 'chain.pem');
    const issuer = (await makeCertificate('issuer', 5)).cert;
    writeFileSync(chainFile, `${ca}${issuer}`);
    const chain = await openListener([], { tls: { certFile: chainFile, keyFile } });
    expect(chain.server.certificateExpiresAt).toBe(Date.parse(new X509Certificate(issuer).validTo));
    const single = await openListener([], { tls });
    expect(single.server.certificateExpiresAt).toBe(Date.parse(new X509Certificate(ca).validTo));
  });
});

describe('a listener with unusable certificate or key files', () => {
  const absent = join(folder, 'absent.pem');

  it('is not opened when a file is missing, and the error names the file', async () => {
    const withoutCert = openListener([], { tls: { certFile: absent, keyFile } });
    await expect(withoutCert).rejects.toMatchObject({ code: 'tls.unreadable', spec: { exit: 78 } });
    await expect(withoutCert).rejects.toThrow(`tls.certFile ${absent}: ENOENT`);
    const withoutKey = openListener([], { tls: { certFile, keyFile: absent } });
    await expect(withoutKey).rejects.toThrow(`tls.keyFile ${absent}: ENOENT`);
  });

  it('is not opened with the key of another certificate or a file of the wrong kind', async () => {
    const other = join(folder, 'other.pem');
    writeFileSync(other, (await makeCertificate('localhost')).key);
    const mismatched = openListener([], { tls: { certFile, keyFile: other } });
    await expect(mismatched).rejects.toMatchObject({ code: 'tls.unreadable' });
    await expect(mismatched).rejects.toThrow('key values mismatch');
    for (const files of [
      { certFile: keyFile, keyFile },
      { certFile, keyFile: certFile },
    ]) {
      await expect(openListener([], { tls: files })).rejects.toMatchObject({ code: 'tls.unreadable' });
    }
  });

  it('serves plain HTTP when neither file is configured', async () => {
    const { server } = await openListener([], { tls: { certFile: undefined, keyFile: undefined } });
    expect(server.scheme).toBe('http');
    expect(server.certificateExpiresAt).toBeUndefined();
  });
});
