// Rules: spec/operations.md#connections-and-memory. Everything that waits until uWebSockets.js ends an idle connection, which
// takes ten seconds or, with 20.57, thirty, waits at the same time.
import { describe, it } from 'vitest';
import { ServiceError } from '../../src/errors/service-error.ts';
import type { HttpResponse } from '../../src/http/exchange/exchange-types.ts';
import { IS_NEWER_UWS, IS_NODE_HTTP } from '../support/server/http-library.ts';
import { proxyHeader } from '../support/server/proxy-protocol.ts';
import { RawClient, requestText } from '../support/server/raw-client.ts';
import { describeRequest, openListener, testRoute } from '../support/server/test-listener.ts';

const soon = (answer: HttpResponse): Promise<HttpResponse> =>
  new Promise((resolve) => setTimeout(() => resolve(answer), 20));
const refuse = (): never => {
  throw new ServiceError('http.not_found');
};
const ROUTES = [
  testRoute('GET', '/at-once', () => ({ status: 200, body: 'x' })),
  testRoute('HEAD', '/at-once', () => ({ status: 200, body: 'x' })),
  testRoute('GET', '/later', () => soon({ status: 200, body: 'x' })),
  testRoute('HEAD', '/later', () => soon({ status: 200, body: 'x' })),
  testRoute('GET', '/empty', () => ({ status: 204 })),
  testRoute('POST', '/read', () => ({ status: 200, body: 'x' })),
  testRoute('POST', '/unread', () => ({ status: 200, body: 'x' }), { admit: refuse }),
];
const LENGTH = ['Content-Length: 2'];

/** Packets to send, by the answer they lead to. */
const CASES: Readonly<Record<string, readonly string[]>> = {
  'nothing sent': [],
  'answered immediately': [requestText('GET /at-once')],
  'HEAD answered immediately': [requestText('HEAD /at-once')],
  'answered later': [requestText('GET /later')],
  'HEAD answered later': [requestText('HEAD /later')],
  'an answer without a body': [requestText('GET /empty')],
  'OPTIONS answered': [requestText('OPTIONS /read')],
  'an unknown path': [requestText('GET /unknown')],
  'a read body': [requestText('POST /read', LENGTH, '{}')],
  'an unread body': [requestText('POST /unread', LENGTH, '{}')],
  'a read body in two packets': [requestText('POST /read', LENGTH, '{'), '}'],
  'an unread body in two packets': [requestText('POST /unread', LENGTH, '{'), '}'],
};

describe.concurrent('an idle connection', () => {
  it('is closed, whatever was answered before', async ({ expect, onTestFinished }) => {
    const { port } = await openListener(ROUTES, {}, onTestFinished);
    const answers = Object.entries(CASES).map(async ([title, packets]) => {
      const client = await RawClient.open(port);
      for (const [index, packet] of packets.entries()) {
        if (index > 0) await new Promise((resolve) => setTimeout(resolve, 50));
        client.send(packet);
      }
      const received = await client.closed();
      return [title, received.match(/HTTP\/1\.1 /g)?.length ?? 0] as const;
    });
    const expected = Object.entries(CASES).map(([title, { length }]) => [title, Math.min(1, length)]);
    expect(await Promise.all(answers)).toEqual(expected);
  });

  it('is closed while its client reads nothing of a large answer, the last one or not', async ({
    expect,
    onTestFinished,
  }) => {
    const body = Buffer.alloc(24_000_000);
    const routes = [
      testRoute('GET', '/huge', () => ({ status: 200, body })),
      testRoute('POST', '/refused', refuse, { admit: refuse, renderError: () => ({ status: 400, body }) }),
    ];
    const { port, records } = await openListener(routes, {}, onTestFinished);
    // uWebSockets.js stops the time of the last answer when the rest of the body comes.
    const early = IS_NODE_HTTP ? [[requestText('POST /refused', LENGTH, '{'), '}']] : [];
    const cases = [[requestText('GET /huge')], [requestText('GET /huge', ['Connection: close'])], ...early];
    for (const packets of cases) {
      const client = await RawClient.open(port);
      onTestFinished(() => client.destroy());
      client.socket.pause();
      for (const packet of packets) {
        client.send(packet);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
    await expect.poll(() => records, { timeout: 45_000 }).toHaveLength(cases.length);
    expect(records).toMatchObject(Array(cases.length).fill({ status: 0, isAborted: true }));
  });

  it('is closed by the library after a request without a Host, or with a folded header line', async ({
    expect,
    onTestFinished,
  }) => {
    const routes = [testRoute('GET', '/t', describeRequest)];
    const { port, records } = await openListener(routes, {}, onTestFinished);
    const clients = await Promise.all([RawClient.open(port), RawClient.open(port)]);
    clients[0]?.send('GET /t HTTP/1.1\r\n\r\n');
    clients[1]?.send('GET /t HTTP/1.1\r\nHost: test\r\nX-A: 1\r\n folded\r\n\r\n');
    const end = IS_NEWER_UWS ? /^HTTP\/1\.1 400 / : /^$/;
    for (const client of clients) expect(await client.closed()).toMatch(end);
    expect(records).toEqual([]);
  });

  it('is closed without an answer after a PROXY header that is longer than 36 bytes', async ({
    expect,
    onTestFinished,
  }) => {
    const proxy = { trusted: ['127.0.0.0/8'], header: 'none', protocolV2: true } as const;
    const { port } = await openListener([testRoute('GET', '/t', describeRequest)], { proxy }, onTestFinished);
    const client = await RawClient.open(port);
    const header = proxyHeader('203.0.113.7', Buffer.from(`040016${'00'.repeat(22)}`, 'hex'));
    client.send(Buffer.concat([header, Buffer.from(requestText('GET /t'))]));
    expect(await client.closed()).toBe('');
  });
});
