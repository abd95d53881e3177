// Rules: spec/operations.md#connections-and-memory, for what holds for node:http alone. The seconds of the library are those of
// its interval, which the tests let pass, while the sockets are real.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { makeCertificate } from '../../support/server/certificate.ts';
import { headerOf, RawClient, requestText } from '../../support/server/raw-client.ts';
import { connect, openListener, type TestListener, testRoute } from '../../support/server/test-listener.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const ROUTES = [
  testRoute('GET', '/t', () => ({ status: 200, body: 'x' })),
  testRoute('POST', '/t', () => ({ status: 200, body: 'x' })),
];
const GET = requestText('GET /t');

const open = (keepAliveSeconds: number, tls?: { certFile: string; keyFile: string }): Promise<TestListener> =>
  openListener(ROUTES, { limits: { library: 'node', keepAliveSeconds }, ...(tls && { tls }) });

const passSeconds = (seconds: number): void => void vi.advanceTimersByTime(seconds * 1000);

/** Waits until what was sent is read, and what was closed is seen. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

describe('a connection that node:http keeps', () => {
  it.each([1, 10, 75, 620])(
    'is kept for the %i seconds that it announces, after each answer anew',
    async (seconds) => {
      const { port } = await open(seconds);
      const client = await connect(port);
      for (let round = 0; round < 3; round++) {
        client.send(GET);
        expect(headerOf(await client.response(), 'keep-alive')).toBe(`timeout=${seconds}`);
        passSeconds(seconds);
        await settle();
        expect(client.isClosed).toBe(false);
      }
      passSeconds(2);
      expect(await client.closed()).toBe('');
    },
  );

  it('does not hold a connection without a request, or with an unfinished head or body, for longer', async () => {
    const { port } = await open(620);
    const silent = await connect(port);
    const inHead = await connect(port);
    const inBody = await connect(port);
    const kept = await connect(port);
    for (const client of [inHead, inBody, kept]) {
      client.send(GET);
      await client.response();
    }
    passSeconds(8);
    inHead.send('GET /t HTTP/1.1\r\nHost: a');
    inBody.send(requestText('POST /t', ['Content-Length: 2'], 'a'));
    await settle();
    passSeconds(12);
    for (const client of [silent, inHead, inBody]) expect(await client.closed()).toBe('');
    kept.send(GET);
    expect((await kept.response()).status).toBe(200);
  });

  it('does not live longer by single bytes of a head', async () => {
    const { port } = await open(620);
    const client = await connect(port);
    client.send(GET);
    await client.response();
    for (let second = 0; second < 15 && !client.isClosed; second++) {
      client.send('G');
      await settle();
      passSeconds(1);
      await settle();
    }
    expect(client.isClosed).toBe(true);
  });

  it.each(['plain', 'TLS'])('serves a request that has arrived when its time ends: %s', async (kind) => {
    const tls = kind === 'TLS' ? await certificateFiles() : undefined;
    const { port, records } = await open(5, tls);
    const client = tls === undefined ? await connect(port) : await connectSecurely(port);
    client.send(GET);
    await client.response();
    await settle();
    passSeconds(6);
    // In the buffer of the kernel; the same turn of the event loop ends the time.
    client.send(GET);
    passSeconds(1);
    expect((await client.response()).status).toBe(200);
    expect(records).toHaveLength(2);
    passSeconds(6);
    await settle();
    expect(client.isClosed).toBe(false);
  });

  it('serves the rest of a head of which the first bytes have arrived when its time ends', async () => {
    const { port } = await open(5);
    const client = await connect(port);
    client.send(GET);
    await client.response();
    await settle();
    passSeconds(6);
    client.send(GET.slice(0, 10));
    passSeconds(1);
    await settle();
    client.send(GET.slice(10));
    expect((await client.response()).status).toBe(200);
  });
});

async function certificateFiles(): Promise<{ certFile: string; keyFile: string }> {
  const folder = temporaryFolder('idle', onTestFinished);
  const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
  const { cert, key } = await makeCertificate('localhost');
  writeFileSync(files.certFile, cert);
  writeFileSync(files.keyFile, key, { mode: 0o600 });
  return files;
}

async function connectSecurely(port: number): Promise<RawClient> {
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
  onTestFinished(() => void socket.destroy());
  await new Promise((resolve) => socket.once('secureConnect', resolve));
  return new RawClient(socket);
}
