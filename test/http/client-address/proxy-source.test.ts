// Rules: spec/operations.md#client-address
import { describe, expect, it } from 'vitest';
import type { Config } from '../../../src/config/settings/types.ts';
import type { HttpResponse } from '../../../src/http/exchange/exchange-types.ts';
import { Limits } from '../../../src/http/limits/limits.ts';
import { IS_NODE_HTTP } from '../../support/server/http-library.ts';
import { localHeader, proxyHeader } from '../../support/server/proxy-protocol.ts';
import {
  headerOf,
  RawClient,
  type RawResponse,
  rawRequest,
  requestText,
} from '../../support/server/raw-client.ts';
import { connect, describeRequest, openListener, testRoute } from '../../support/server/test-listener.ts';

const LOOPBACK = '127.0.0.0/8';
const CLIENT = '203.0.113.7';
const FORGED = '6.6.6.6';

function proxyOf(change: Partial<Config['proxy']>): Config['proxy'] {
  return { trusted: [LOOPBACK, '10.0.0.0/8', 'fd00::/8'], header: 'none', protocolV2: false, ...change };
}

async function listenWith(change: Partial<Config['proxy']>): Promise<number> {
  const route = testRoute('GET', '/t', describeRequest);
  return (await openListener([route], { proxy: proxyOf(change) })).port;
}

async function seen(port: number, headers: readonly string[]): Promise<string> {
  const answer = await rawRequest(port, requestText('GET /t', headers));
  return (JSON.parse(answer.body.toString()) as { address: string }).address;
}

describe('the client behind proxies', () => {
  const xff = { header: 'x-forwarded-for' } as const;
  const forwarded = { header: 'forwarded' } as const;

  it('is the last address that is not a trusted proxy', async () => {
    const port = await listenWith(xff);
    expect(await seen(port, [`X-Forwarded-For: ${FORGED}, ${CLIENT}`])).toBe(CLIENT);
    expect(await seen(port, [`X-Forwarded-For: ${FORGED}, ${CLIENT}, 10.1.2.3, fd00::1`])).toBe(CLIENT);
    expect(await seen(port, [`x-forwarded-for: ${FORGED}, ${CLIENT}`, 'X-FORWARDED-FOR: 10.1.2.3'])).toBe(
      CLIENT,
    );
    expect(await seen(port, ['X-Forwarded-For: 2001:DB8:0:0:0:0:0:7'])).toBe('2001:db8::7');
  });

  it('is the first hop when the whole chain is trusted, and the peer of the socket without a header', async () => {
    const port = await listenWith(xff);
    expect(await seen(port, ['X-Forwarded-For: 10.0.0.1, 10.0.0.2'])).toBe('10.0.0.1');
    expect(await seen(port, [])).toBe('127.0.0.1');
    expect(await seen(port, ['X-Forwarded-For: '])).toBe('127.0.0.1');
  });

  it('is the last valid hop when an element is malformed', async () => {
    const port = await listenWith(xff);
    expect(await seen(port, [`X-Forwarded-For: ${CLIENT}, unknown, 10.0.0.2`])).toBe('10.0.0.2');
    expect(await seen(port, [`X-Forwarded-For: ${CLIENT}, unknown`])).toBe('127.0.0.1');
  });

  it('is read from Forwarded when that header is configured', async () => {
    const port = await listenWith(forwarded);
    const client = 'for="[2001:db8::7]:4711";proto=https';
    expect(await seen(port, [`Forwarded: for=${FORGED}, ${client}, for=10.0.0.2`])).toBe('2001:db8::7');
    expect(await seen(port, [`Forwarded: for=${FORGED};x="`, `Forwarded: ${client}`])).toBe('2001:db8::7');
    expect(await seen(port, [`Forwarded: for=${CLIENT}, for=unknown, for=10.0.0.2`])).toBe('10.0.0.2');
  });

  it('is never read from a header that is not configured', async () => {
    const headers = [`X-Forwarded-For: ${FORGED}`];
    expect(await seen(await listenWith(forwarded), headers)).toBe('127.0.0.1');
    expect(await seen(await listenWith(xff), [`Forwarded: for=${FORGED}`])).toBe('127.0.0.1');
    expect(await seen(await listenWith({}), [...headers, `Forwarded: for=${FORGED}`])).toBe('127.0.0.1');
  });

  it('is the peer of the socket when that is not a trusted proxy', async () => {
    for (const header of ['forwarded', 'x-forwarded-for'] as const) {
      const port = await listenWith({ header, trusted: ['10.0.0.0/8'] });
      const headers = [`X-Forwarded-For: ${FORGED}`, `Forwarded: for=${FORGED}`];
      expect(await seen(port, headers)).toBe('127.0.0.1');
    }
  });

  it('is searched for in at most 32 hops', async () => {
    const port = await listenWith(xff);
    const hops = Array.from({ length: 40 }, (_, i) => `10.0.0.${i}`).join(', ');
    expect(await seen(port, [`X-Forwarded-For: ${CLIENT}, ${hops}`])).toBe('10.0.0.8');
  });

  it('is the address that a rate guard counts', async () => {
    const guard = new Limits().perMinute('test', 1);
    const rateGuard = guard === undefined ? {} : { rateGuard: guard };
    const route = testRoute('GET', '/t', describeRequest, rateGuard);
    const { port } = await openListener([route], { proxy: proxyOf(xff) });
    const statusFor = async (client: string): Promise<number> =>
      (await rawRequest(port, requestText('GET /t', [`X-Forwarded-For: ${client}`]))).status;
    expect(await statusFor(CLIENT)).toBe(200);
    expect(await statusFor('203.0.113.8')).toBe(200);
    expect(await statusFor(CLIENT)).toBe(429);
    expect(await statusFor(`${FORGED}, ${CLIENT}`)).toBe(429);
  });
});

describe('X-Request-Id', () => {
  async function idFor(trusted: string[], headers: readonly string[]): Promise<string | undefined> {
    const route = testRoute('GET', '/t', describeRequest);
    const { port, records } = await openListener([route], { proxy: proxyOf({ trusted }) });
    const answer = await rawRequest(port, requestText('GET /t', headers));
    const { requestId } = JSON.parse(answer.body.toString()) as { requestId: string };
    const id = headerOf(answer, 'x-request-id');
    expect(requestId).toBe(id);
    expect(records[0]?.requestId).toBe(id);
    return id;
  }

  it.each(['abcdefgh', 'A.b_c-1234', 'x'.repeat(64)])('is accepted from a trusted proxy: %s', async (id) => {
    expect(await idFor([LOOPBACK], [`X-Request-Id: ${id}`])).toBe(id);
  });

  const generated = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  const refused: [string, string[]][] = [
    ['too short', ['X-Request-Id: abcdefg']],
    ['too long', [`X-Request-Id: ${'x'.repeat(65)}`]],
    ['with a space', ['X-Request-Id: abcd efgh']],
    ['with a quote', ['X-Request-Id: abcd"efgh']],
    ['sent twice', ['X-Request-Id: abcdefgh', 'X-Request-Id: ijklmnop']],
  ];
  it.each(refused)('is generated when the given one is %s', async (_why, headers) => {
    expect(await idFor([LOOPBACK], headers)).toMatch(generated);
  });

  it('is generated for any other client', async () => {
    expect(await idFor(['10.0.0.0/8'], ['X-Request-Id: abcdefgh'])).toMatch(generated);
  });
});

const GET = Buffer.from(requestText('GET /t'));

async function exchange(port: number, ...pieces: Uint8Array[]): Promise<RawResponse> {
  const client = await RawClient.open(port);
  try {
    client.send(Buffer.concat(pieces));
    return await client.response();
  } finally {
    client.destroy();
  }
}

const addressIn = (answer: RawResponse): unknown => JSON.parse(answer.body.toString()).address;

describe('PROXY protocol, version 2', () => {
  it('names the client on a connection from a trusted proxy', async () => {
    const port = await listenWith({ protocolV2: true });
    expect(addressIn(await exchange(port, proxyHeader(CLIENT), GET))).toBe(CLIENT);
    expect(addressIn(await exchange(port, proxyHeader('2001:db8:0:0:0:0:0:7'), GET))).toBe('2001:db8::7');
    expect(addressIn(await exchange(port, proxyHeader('0:0:0:0:0:ffff:cb00:7107'), GET))).toBe(CLIENT);
  });

  it('leaves the address of the proxy when the header names no client or is missing', async () => {
    const port = await listenWith({ protocolV2: true });
    expect(addressIn(await exchange(port, localHeader(), GET))).toBe('127.0.0.1');
    expect(addressIn(await exchange(port, GET))).toBe('127.0.0.1');
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['a part of it', proxyHeader(CLIENT).subarray(0, 9)],
    ['a malformed one', Buffer.from('0d0a0d0a000d0a515549540a51110000', 'hex')],
  ])('ends with the connection, when its client has sent %s', async (_, sent) => {
    const { port, server } = await openListener([], { proxy: proxyOf({ protocolV2: true }) });
    const client = await connect(port);
    await expect.poll(() => server.load().connections).toBe(1);
    client.socket.end(sent);
    // Sooner than an idle connection.
    await expect.poll(() => server.load().connections, { timeout: 5000 }).toBe(0);
  });

  it('is ignored from untrusted peers and, by uWebSockets.js, when it is not enabled', async () => {
    const untrusted = await listenWith({ protocolV2: true, trusted: ['10.0.0.0/8'] });
    expect(addressIn(await exchange(untrusted, proxyHeader(FORGED), GET))).toBe('127.0.0.1');
    const notSet = await listenWith({});
    const unread = await exchange(notSet, proxyHeader(FORGED), GET);
    if (IS_NODE_HTTP) expect(unread.status).toBe(501);
    else expect(addressIn(unread)).toBe('127.0.0.1');
  });

  it('counts as one hop before the header: a trusted proxy behind a load balancer names the client', async () => {
    const port = await listenWith({ protocolV2: true, header: 'x-forwarded-for' });
    const request = Buffer.from(
      requestText('GET /t', [`X-Forwarded-For: ${CLIENT}`, 'X-Request-Id: of-the-proxy']),
    );
    const behind = await exchange(port, proxyHeader('10.0.0.5'), request);
    expect(addressIn(behind)).toBe(CLIENT);
    expect(headerOf(behind, 'x-request-id')).toBe('of-the-proxy');
    const direct = await exchange(port, proxyHeader('198.51.100.1'), request);
    expect(addressIn(direct)).toBe('198.51.100.1');
    expect(headerOf(direct, 'x-request-id')).not.toBe('of-the-proxy');
  });

  it('may arrive byte by byte, and with further fields up to 36 bytes in total', async () => {
    const port = await listenWith({ protocolV2: true });
    const client = await RawClient.open(port);
    await client.sendSlowly(proxyHeader(CLIENT).toString('latin1'));
    client.send(GET);
    expect(addressIn(await client.response())).toBe(CLIENT);
    client.destroy();
    const noop = Buffer.from('0400020000', 'hex');
    expect(addressIn(await exchange(port, proxyHeader(CLIENT, noop), GET))).toBe(CLIENT);
  });
});

describe('a second request on a connection from a trusted proxy with PROXY', () => {
  const answers: [string, string, HttpResponse][] = [
    ['GET', 'a short body', { status: 200, body: 'first' }],
    ['GET', 'an empty body', { status: 200 }],
    ['GET', '1 MB', { status: 200, body: 'x'.repeat(1_000_000) }],
    ['GET', '204', { status: 204 }],
    ['HEAD', 'headers only', { status: 200, body: 'first' }],
    ['OPTIONS', '204', { status: 204 }],
    ['GET', 'an error', { status: 404 }],
  ];

  async function listenFor(
    response: HttpResponse,
    isLater: boolean,
  ): Promise<{ port: number; paths: string[] }> {
    const paths: string[] = [];
    const answer = (path: string): HttpResponse => {
      paths.push(path);
      return response;
    };
    const handler = isLater
      ? async ({ path }: { path: string }) => {
          await new Promise((resolve) => setImmediate(resolve));
          return answer(path);
        }
      : ({ path }: { path: string }) => answer(path);
    const routes = [
      testRoute('GET', '/t', handler, { head: true }),
      testRoute('GET', '/forged', ({ path }) => {
        paths.push(path);
        return { status: 200 };
      }),
    ];
    const { port } = await openListener(routes, { proxy: proxyOf({ protocolV2: true }) });
    return { port, paths };
  }

  const second = Buffer.concat([proxyHeader(FORGED), Buffer.from(requestText('GET /forged'))]);

  describe.each([false, true])('after an asynchronous answer: %s', (isLater) => {
    it.each(answers)(
      'is not served in the same packet as the first, %s answered with %s',
      async (method, _how, response) => {
        const { port, paths } = await listenFor(response, isLater);
        const client = await RawClient.open(port);
        client.send(Buffer.concat([proxyHeader(CLIENT), Buffer.from(requestText(`${method} /t`)), second]));
        await client.closed();
        expect(paths).not.toContain('/forged');
      },
    );

    it.each(answers)(
      'is not served after the answer, %s answered with %s',
      async (method, _how, response) => {
        const { port, paths } = await listenFor(response, isLater);
        const client = await RawClient.open(port);
        client.send(Buffer.concat([proxyHeader(CLIENT), Buffer.from(requestText(`${method} /t`))]));
        const answer = await client.response(method === 'HEAD');
        expect(answer.status).toBe(method === 'OPTIONS' ? 204 : response.status);
        expect(headerOf(answer, 'connection')).toBe('close');
        client.send(second);
        await client.closed();
        expect(paths).not.toContain('/forged');
      },
    );
  });

  it('is served to any other client', async () => {
    const { port } = await openListener([testRoute('GET', '/t', describeRequest)], {
      proxy: proxyOf({ protocolV2: true, trusted: ['10.0.0.0/8'] }),
    });
    const client = await connect(port);
    for (let i = 0; i < 2; i++) {
      client.send(GET);
      expect(headerOf(await client.response(), 'connection')).toBe('keep-alive');
    }
  });
});
