import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ServiceError } from '../../src/errors/service-error.ts';
import { renderVerifyError } from '../../src/http/errors/verify.ts';
import type { HttpResponse, RateDecision, Route } from '../../src/http/exchange/exchange-types.ts';
import { expectRejected } from '../support/rejects.ts';
import { IS_NEWER_UWS, IS_NODE_HTTP } from '../support/server/http-library.ts';
import { headerOf, RawClient, rawRequest, requestText } from '../support/server/raw-client.ts';
import { connect, describeRequest, openListener, testRoute } from '../support/server/test-listener.ts';
import { pollUntil } from '../support/until.ts';

const POST = requestText('POST /api/v4/verify/rp_1', ['Content-Length: 2'], '{}');
const HEALTH = requestText('GET /health');

/** A verification route whose answers the test releases, and a health route. */
function heldRoutes(more: Partial<Route> = {}): {
  routes: Route[];
  held: ((answer: HttpResponse) => void)[];
} {
  const held: ((answer: HttpResponse) => void)[] = [];
  const wait = (): Promise<HttpResponse> => new Promise((resolve) => held.push(resolve));
  const renderError = renderVerifyError;
  return {
    held,
    routes: [
      testRoute('POST', '/api/v4/verify/:rp_id', wait, { renderError, ...more }),
      testRoute('GET', '/health', () => ({ status: 200, body: 'up' }), { isAlwaysServed: true }),
    ],
  };
}

async function sendHeld(port: number): Promise<RawClient> {
  const client = await RawClient.open(port);
  client.send(POST);
  return client;
}

describe('opening a listener', () => {
  it('reports the actual port when port 0 was requested', async () => {
    const { port, server } = await openListener([testRoute('GET', '/t', describeRequest)]);
    expect(port).toBeGreaterThan(0);
    expect(server.port).toBe(port);
    expect((await rawRequest(port, requestText('GET /t'))).status).toBe(200);
  });

  it('refuses a port that another listener of this process uses', async () => {
    const { port } = await openListener([]);
    await expect(openListener([], { port })).rejects.toMatchObject({ code: 'server.port_in_use' });
  });

  it('refuses a port that another program uses', async () => {
    const other = createServer();
    const port = await new Promise<number>((resolve) => {
      other.listen(0, '127.0.0.1', () => {
        const address = other.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
    onTestFinished(() => void other.close());
    const opening = openListener([], { port });
    await expect(opening).rejects.toBeInstanceOf(ServiceError);
    await expect(opening).rejects.toThrow(`127.0.0.1:${port}`);
  });

  it('refuses an address that this machine does not have', async () => {
    await expectRejected(openListener([], { host: '192.0.2.1' }), 'server.port_in_use');
  });

  it('frees the port when it closes', async () => {
    const { port, server } = await openListener([]);
    server.closeAll();
    const again = await openListener([], { port });
    expect(again.port).toBe(port);
  });
});

describe('one connection', () => {
  it('serves one request after another', async () => {
    const { port, records } = await openListener([testRoute('POST', '/t', async (r) => describeRequest(r))]);
    const client = await connect(port);
    for (const body of ['a', 'bb', 'ccc']) {
      client.send(requestText('POST /t', [`Content-Length: ${body.length}`], body));
      expect(JSON.parse((await client.response()).body.toString()).body).toBe(body);
    }
    expect(records).toHaveLength(3);
  });

  it('serves pipelined requests in order when handlers are synchronous', async () => {
    const { port } = await openListener([testRoute('POST', '/t/:id', describeRequest)]);
    const client = await connect(port);
    const one = (id: number): string => requestText(`POST /t/${id}`, ['Content-Length: 1'], String(id));
    client.send(one(1) + one(2) + one(3));
    for (const id of [1, 2, 3]) {
      expect(JSON.parse((await client.response()).body.toString())).toMatchObject({
        params: { id: String(id) },
        body: String(id),
      });
    }
  });

  it('is closed by the HTTP library when a request arrives before the previous one was answered', async () => {
    const { routes, held } = heldRoutes();
    const { port, records } = await openListener(routes);
    const client = await RawClient.open(port);
    client.send(POST + HEALTH);
    expect(await client.closed()).toBe('');
    expect(held).toHaveLength(1);
    held[0]?.({ status: 200, body: 'nobody reads this' });
    await pollUntil(() => records.length === 1);
    expect(records).toMatchObject([{ status: 0, isAborted: true }]);
  });
});

describe('admission', () => {
  it('answers 503 beyond http.maxOpenExchanges, and serves again once an exchange has ended', async () => {
    const { routes, held } = heldRoutes();
    const { port, server } = await openListener(routes, { limits: { maxOpenExchanges: 2 } });
    const clients = [await sendHeld(port), await sendHeld(port)];
    await pollUntil(() => held.length === 2);
    const refused = await rawRequest(port, POST);
    expect(refused.status).toBe(503);
    expect(headerOf(refused, 'retry-after')).toBe('1');
    expect(JSON.parse(refused.body.toString())).toEqual({
      success: false,
      code: 'service_unavailable',
      detail: 'The service is temporarily unavailable. Please try again.',
      attribute: null,
    });
    expect((await rawRequest(port, HEALTH)).body.toString()).toBe('up');
    for (const answer of held) answer({ status: 200 });
    for (const client of clients) expect((await client.response()).status).toBe(200);
    await pollUntil(() => server.openExchanges === 0);
    const last = await sendHeld(port);
    await pollUntil(() => held.length === 3);
    held[2]?.({ status: 200 });
    expect((await last.response()).status).toBe(200);
    for (const client of [...clients, last]) client.destroy();
  });

  it('checks in the order 405, 503, 429, 413', async () => {
    const faults = { isDown: true, isLimited: true };
    const refusal: RateDecision = { isAllowed: false, retryAfterSeconds: 7, isFirstRefusal: true };
    const allowed: RateDecision = { isAllowed: true, retryAfterSeconds: 0, isFirstRefusal: false };
    const { routes } = heldRoutes({
      bodyLimitBytes: 1,
      admit: () => {
        if (faults.isDown) throw new ServiceError('store.unreachable');
      },
      rateGuard: { consume: () => (faults.isLimited ? refusal : allowed) },
    });
    const { port } = await openListener(routes);
    const statusOf = async (text: string): Promise<[number, string | undefined]> => {
      const answer = await rawRequest(port, text);
      return [answer.status, headerOf(answer, 'retry-after')];
    };
    expect(await statusOf(requestText('PUT /api/v4/verify/rp_1', ['Content-Length: 2'], '{}'))).toEqual([
      405,
      undefined,
    ]);
    expect(await statusOf(POST)).toEqual([503, '5']);
    faults.isDown = false;
    expect(await statusOf(POST)).toEqual([429, '7']);
    faults.isLimited = false;
    expect(await statusOf(POST)).toEqual([413, undefined]);
  });

  it('answers 429 without waiting for the body', async () => {
    const refusal: RateDecision = { isAllowed: false, retryAfterSeconds: 1, isFirstRefusal: false };
    const { routes } = heldRoutes({ rateGuard: { consume: () => refusal } });
    const { port, records } = await openListener(routes);
    const answer = await rawRequest(port, requestText('POST /api/v4/verify/rp_1', ['Content-Length: 100']));
    expect(answer.status).toBe(429);
    expect(records).toMatchObject([{ code: 'http.rate_limited', isLogged: false }]);
  });

  it('keeps the body that arrives while the head is checked', async () => {
    let allow: () => void = () => {};
    const checked = new Promise<void>((resolve) => {
      allow = resolve;
    });
    const route = testRoute('POST', '/t', describeRequest, { checkHead: () => checked });
    const { port, server } = await openListener([route]);
    const client = await connect(port);
    client.send(requestText('POST /t', ['Content-Length: 4'], 'bo'));
    await pollUntil(() => server.openExchanges === 1);
    client.send('dy');
    await new Promise((resolve) => setImmediate(resolve));
    allow();
    expect(JSON.parse((await client.response()).body.toString()).body).toBe('body');
  });
});

describe('draining', () => {
  it('serves requests that arrive, completes open ones, and closes each connection', async () => {
    const { routes, held } = heldRoutes();
    const { port, server } = await openListener(routes);
    const open = await sendHeld(port);
    await pollUntil(() => held.length === 1);
    const kept = await RawClient.open(port);
    kept.send(HEALTH);
    expect(headerOf(await kept.response(), 'connection')).toBe('keep-alive');

    server.setDraining();
    kept.send(HEALTH);
    const health = await kept.response();
    expect(health.status).toBe(200);
    expect(headerOf(health, 'connection')).toBe('close');
    expect(await kept.closed()).toBe('');
    held[0]?.({ status: 200, body: 'finished' });
    const answer = await open.response();
    expect(answer.body.toString()).toBe('finished');
    expect(headerOf(answer, 'connection')).toBe('close');
    expect(await open.closed()).toBe('');
  });

  it('sends Connection: close with answers that have no body too', async () => {
    const { routes } = heldRoutes();
    const { port, server } = await openListener(routes);
    server.setDraining();
    const answer = await rawRequest(port, requestText('OPTIONS /health'));
    expect(answer.status).toBe(204);
    expect(headerOf(answer, 'connection')).toBe('close');
    expect(headerOf(answer, 'content-length')).toBeUndefined();
  });

  it('accepts no new connections after closeListening, and serves open ones', async () => {
    const { routes } = heldRoutes();
    const { port, server } = await openListener(routes);
    const client = await connect(port);
    server.closeListening();
    server.closeListening();
    await expect(RawClient.open(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    client.send(HEALTH);
    expect((await client.response()).status).toBe(200);
  });
});

describe('whenIdle', () => {
  it('is true when nothing is open', async () => {
    const { server } = await openListener([]);
    expect(await server.whenIdle(0)).toBe(true);
  });

  it('waits for a request that has arrived and is not read yet', async () => {
    const { routes } = heldRoutes();
    const { port, server, records } = await openListener(routes);
    const client = await connect(port);
    client.send(HEALTH);
    await client.response();
    server.setDraining();
    server.closeListening();
    client.send(HEALTH);
    // Sent, but this turn of the event loop has not read it.
    expect(await server.whenIdle(60_000)).toBe(true);
    server.closeAll();
    const answer = await client.response();
    expect([answer.status, headerOf(answer, 'connection')]).toEqual([200, 'close']);
    expect(records).toHaveLength(2);
  });

  it('is false when an exchange is still open at the timeout', async () => {
    const { routes, held } = heldRoutes();
    const { port, server } = await openListener(routes);
    const client = await sendHeld(port);
    await pollUntil(() => held.length === 1);
    expect(await server.whenIdle(10)).toBe(false);
    client.destroy();
  });

  it('is true as soon as the last exchange has ended, answered or aborted', async () => {
    const { routes, held } = heldRoutes();
    const { port, server } = await openListener(routes);
    const answered = await sendHeld(port);
    await pollUntil(() => held.length === 1);
    const lost = await sendHeld(port);
    await pollUntil(() => held.length === 2);
    const idle = server.whenIdle(60_000);
    held[0]?.({ status: 200 });
    expect((await answered.response()).status).toBe(200);
    expect(server.openExchanges).toBe(1);
    lost.destroy();
    expect(await idle).toBe(true);
    answered.destroy();
  });
});

describe('a request that expects 100-continue', () => {
  it('does not get it when the HTTP library refuses the request', async () => {
    const { port } = await openListener([testRoute('POST', '/t', describeRequest)]);
    const text = requestText('POST /t', ['Expect: 100-continue', 'Content-Length: 2']);
    expect((await rawRequest(port, text.replace('HTTP/1.1', 'HTTP/1.0'))).status).toBe(505);
  });
});

describe('a request that the HTTP library itself refuses', () => {
  it('has a head over 40 KiB: 431; a query of 40 kB passes', async () => {
    const { port, records } = await openListener([testRoute('GET', '/t', describeRequest)]);
    const large = requestText('GET /t', [`X-Large: ${'x'.repeat(41_000)}`]);
    expect((await rawRequest(port, large)).status).toBe(431);
    expect(records).toEqual([]);
    const query = 'q'.repeat(40_000);
    const answer = await rawRequest(port, requestText(`GET /t?${query}`));
    expect(JSON.parse(answer.body.toString()).query).toBe(query);
  });

  it('has more than 98 headers: 431', async () => {
    const { port } = await openListener([testRoute('GET', '/t', describeRequest)]);
    const headers = (count: number): string[] => Array.from({ length: count }, (_, i) => `X-H${i}: 1`);
    expect((await rawRequest(port, requestText('GET /t', headers(97)))).status).toBe(200);
    expect((await rawRequest(port, requestText('GET /t', headers(98)))).status).toBe(431);
  });

  it.each(['GET /t HTTP/1.0', 'GET http://test/t HTTP/1.0', 'OPTIONS * HTTP/1.0', 'GET /t HTTP/2.0'])(
    'has the request line %s: 505',
    async (line) => {
      const { port } = await openListener([testRoute('GET', '/t', describeRequest)]);
      expect((await rawRequest(port, `${line}\r\nHost: test\r\n\r\n`)).status).toBe(505);
    },
  );

  it.skipIf(IS_NODE_HTTP || IS_NEWER_UWS)(
    'has a packet boundary inside the version of the request line: 505',
    async () => {
      const { port } = await openListener([testRoute('GET', '/t', describeRequest)]);
      const client = await connect(port);
      client.send('GET /t HTT');
      expect((await client.response()).status).toBe(505);
    },
  );

  it('has a chunk size that is not a number: 400, and no handler runs', async () => {
    const { port, records } = await openListener([testRoute('POST', '/t', describeRequest)]);
    const client = await RawClient.open(port);
    client.send(requestText('POST /t', ['Transfer-Encoding: chunked'], 'zz\r\nabc\r\n0\r\n\r\n'));
    expect(await client.closed()).toMatch(/^HTTP\/1\.1 400 /);
    expect(records).toMatchObject([{ status: 0, isAborted: true }]);
  });
});
