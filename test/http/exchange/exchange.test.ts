// Rules: spec/operations.md#answers
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors/service-error.ts';
import type { CancelSignal } from '../../../src/http/exchange/cancellation.ts';
import type { HttpRequest, HttpResponse } from '../../../src/http/exchange/exchange-types.ts';
import { gate } from '../../support/gate.ts';
import { headerOf, RawClient, rawRequest, requestText } from '../../support/server/raw-client.ts';
import { connect, describeRequest, openListener, testRoute } from '../../support/server/test-listener.ts';
import { pollUntil } from '../../support/until.ts';

const GET = requestText('GET /t');
const NOTHING = undefined as unknown as HttpResponse;

describe('an exchange whose handler fails', () => {
  const faults: [string, () => Promise<HttpResponse> | HttpResponse][] = [
    ['throws', () => raise()],
    ['rejects', async () => raise()],
    ['rejects after real I/O', () => realIo().then(raise)],
    ['returns no answer', () => NOTHING],
    ['resolves with no answer', async () => NOTHING],
    ['returns a status that does not exist', () => ({ status: 299 })],
    ['returns an interim status', () => ({ status: 100 })],
  ];

  it.each(faults)('answers 500 when the handler %s, and serves the next request', async (_name, handler) => {
    const { port, records } = await openListener([
      testRoute('GET', '/t', handler),
      testRoute('GET', '/next', () => ({ status: 200, body: 'next' })),
    ]);
    const client = await connect(port);
    client.send(GET);
    const answer = await client.response();
    expect(answer.status).toBe(500);
    expect(JSON.parse(answer.body.toString())).toMatchObject({ code: 'server_error' });
    expect(answer.body.toString()).not.toContain('planted');
    client.send(requestText('GET /next'));
    expect((await client.response()).body.toString()).toBe('next');
    expect(records[0]).toMatchObject({ status: 500, code: 'internal.unforeseen', route: '/t' });
    expect(records[0]?.error).toBeInstanceOf(Error);
  });

  it('answers a bare 500 when the renderer of the route fails too', async () => {
    const { port } = await openListener([
      testRoute('GET', '/t', () => raise(), { renderError: () => raise() }),
    ]);
    const answer = await rawRequest(port, GET);
    expect(answer.status).toBe(500);
    expect(answer.body.length).toBe(0);
    expect(headerOf(answer, 'x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('answers 503 and fires the signal when the handler times out', async () => {
    const signals: CancelSignal[] = [];
    const { port, server } = await openListener(
      [testRoute('GET', '/t', ({ signal }) => new Promise(() => signals.push(signal)))],
      { limits: { handlerTimeoutMs: 20 } },
    );
    const answer = await rawRequest(port, GET);
    expect(answer.status).toBe(503);
    expect(headerOf(answer, 'retry-after')).toBe('1');
    await pollUntil(() => signals[0]?.aborted === true);
    expect(server.openExchanges).toBe(0);
  });

  it('drops the answer of a handler that comes after the 503', async () => {
    let finish: (response: HttpResponse) => void = () => {};
    const { port, records } = await openListener(
      [testRoute('GET', '/t', () => new Promise((resolve) => (finish = resolve)))],
      {
        limits: { handlerTimeoutMs: 20 },
      },
    );
    const client = await connect(port);
    client.send(GET);
    expect((await client.response()).status).toBe(503);
    finish({ status: 200, body: 'late' });
    client.send(GET);
    expect((await client.response()).status).toBe(503);
    expect(records.map(({ status }) => status)).toEqual([503, 503]);
  });
});

describe('the request a handler sees', () => {
  it('is complete after real I/O', async () => {
    const { port } = await openListener([
      testRoute('POST', '/r/:id/x', async (request) => {
        await realIo();
        return describeRequest(request);
      }),
    ]);
    const text = requestText(
      'POST /r/a%2Fb/x?q=%41&q=2',
      ['X-One: 1', 'X-One: 2', 'Content-Length: 4'],
      'body',
    );
    const seen = JSON.parse((await rawRequest(port, text)).body.toString());
    expect(seen).toMatchObject({
      method: 'POST',
      path: '/r/a%2Fb/x',
      params: { id: 'a/b' },
      query: 'q=%41&q=2',
      address: '127.0.0.1',
      body: 'body',
      headers: { host: 'localhost', 'x-one': '1', 'content-length': '4' },
    });
    expect(seen.requestId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('has the same request id as its answer, and each request has its own', async () => {
    const { port } = await openListener([testRoute('GET', '/t', describeRequest)]);
    const answers = await Promise.all([rawRequest(port, GET), rawRequest(port, GET)]);
    const ids = answers.map((answer) => headerOf(answer, 'x-request-id'));
    expect(ids).toEqual(answers.map(({ body }) => JSON.parse(body.toString()).requestId));
    expect(new Set(ids).size).toBe(2);
  });

  it('does not accept a request id from the client', async () => {
    const { port } = await openListener([testRoute('GET', '/t', describeRequest)]);
    const answer = await rawRequest(port, requestText('GET /t', ['X-Request-Id: planted-by-client']));
    expect(headerOf(answer, 'x-request-id')).not.toBe('planted-by-client');
  });
});

describe('a client that disconnects', () => {
  it('fires the signal of the running handler, and nothing more is written', async () => {
    const signals: CancelSignal[] = [];
    const late = gate<HttpResponse>();
    const { port, records, server } = await openListener([
      testRoute('GET', '/t', ({ signal }) => {
        signals.push(signal);
        return late.promise;
      }),
    ]);
    const client = await RawClient.open(port);
    client.send(GET);
    await pollUntil(() => signals.length === 1);
    expect(signals[0]?.aborted).toBe(false);
    client.destroy();
    await pollUntil(() => signals[0]?.aborted === true);
    late.open({ status: 200, body: 'nobody reads this' });
    await realIo();
    expect(records).toMatchObject([{ status: 0, isAborted: true }]);
    expect(server.openExchanges).toBe(0);
  });

  it('leaves an aborted signal for a handler that reads it afterwards', async () => {
    let isAborted: boolean | undefined;
    let go: (() => void) | undefined;
    const { port, records } = await openListener([
      testRoute('GET', '/t', async (request) => {
        await new Promise<void>((resolve) => {
          go = resolve;
        });
        isAborted = request.signal.aborted;
        return { status: 200 };
      }),
    ]);
    const client = await RawClient.open(port);
    client.send(GET);
    await pollUntil(() => go !== undefined);
    client.destroy();
    await pollUntil(() => records.length === 1);
    go?.();
    await pollUntil(() => isAborted !== undefined);
    expect(isAborted).toBe(true);
  });

  it('never starts the handler when the body did not arrive whole', async () => {
    let calls = 0;
    const handler = (): HttpResponse => {
      calls++;
      return { status: 200 };
    };
    const { port, records } = await openListener([testRoute('POST', '/t', handler)]);
    const client = await RawClient.open(port);
    client.send(requestText('POST /t', ['Content-Length: 10'], 'half'));
    await realIo();
    client.destroy();
    await pollUntil(() => records.length === 1);
    expect(records[0]).toMatchObject({ status: 0, isAborted: true });
    expect(calls).toBe(0);
  });
});

describe('an answer', () => {
  it('is one status line, then headers, then the body, also after an await', async () => {
    const { port } = await openListener([
      testRoute('GET', '/t', async () => {
        await realIo();
        return { status: 404, headers: { 'X-One': '1', 'X-Two': '2' }, body: 'é' };
      }),
    ]);
    const client = await RawClient.open(port);
    client.send(requestText('GET /t', ['Connection: close']));
    const bytes = await client.closed();
    expect(bytes).toMatch(/^HTTP\/1\.1 404 Not Found\r\n/);
    expect(bytes.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(bytes).toMatch(/X-One: 1\r\nX-Two: 2\r\n/);
    expect(bytes).toMatch(/\r\nContent-Length: 2\r\n(?:Date: .*\r\n)?\r\n\xc3\xa9$/);
  });

  const evil = ['a\r\nX-Evil: 1', 'a\nX-Evil: 1', 'a\rb', 'a\0b', 'tab\tb', 'ü', '\x7f'];
  it.each(evil)('is a 500 instead when a header value holds %j', async (value) => {
    const { port } = await openListener([
      testRoute('GET', '/t', () => ({ status: 200, headers: { 'X-Value': value }, body: 'fine' })),
    ]);
    const answer = await rawRequest(port, GET);
    expect(answer.status).toBe(500);
    expect(headerOf(answer, 'x-evil')).toBeUndefined();
    expect(headerOf(answer, 'x-value')).toBeUndefined();
  });

  it('is a 500 instead when a header name is not a token', async () => {
    const { port } = await openListener([
      testRoute('GET', '/t', () => ({ status: 200, headers: { 'X: a\r\nY': '1' } })),
    ]);
    expect((await rawRequest(port, GET)).status).toBe(500);
  });

  it('has the headers of listener and route, which the handler may replace in any letter case', async () => {
    const { port } = await openListener(
      [
        testRoute('GET', '/t', () => ({ status: 200, headers: { 'cache-control': 'max-age=1' } }), {
          headers: { 'Cache-Control': 'no-store', 'X-Route': 'r' },
        }),
        testRoute('GET', '/fail', () => raise(), { headers: { 'X-Route': 'r' } }),
      ],
      { baseUrl: 'https://id.example.org' },
    );
    const answer = await rawRequest(port, GET);
    expect(headerOf(answer, 'cache-control')).toBe('max-age=1');
    expect(headerOf(answer, 'x-route')).toBe('r');
    const failed = await rawRequest(port, requestText('GET /fail'));
    expect(headerOf(failed, 'x-route')).toBe('r');
    const unknown = await rawRequest(port, requestText('GET /unknown'));
    for (const each of [answer, failed, unknown]) {
      expect(headerOf(each, 'x-content-type-options')).toBe('nosniff');
      expect(headerOf(each, 'strict-transport-security')).toBe('max-age=31536000');
    }
  });

  it('has no Strict-Transport-Security when the public address is http', async () => {
    const { port } = await openListener([testRoute('GET', '/t', () => ({ status: 200 }))]);
    expect(headerOf(await rawRequest(port, GET), 'strict-transport-security')).toBeUndefined();
  });

  it('with status 204 has neither body nor Content-Length, and the connection stays usable', async () => {
    const { port } = await openListener([testRoute('GET', '/t', () => ({ status: 204, body: 'dropped' }))]);
    const client = await connect(port);
    for (let i = 0; i < 3; i++) {
      client.send(GET);
      const answer = await client.response();
      expect(answer.status).toBe(204);
      expect(headerOf(answer, 'content-length')).toBeUndefined();
    }
    client.send(requestText('GET /unknown'));
    expect((await client.response()).status).toBe(404);
  });

  it('to HEAD has the length of the GET and no body, and the connection stays usable', async () => {
    const { port } = await openListener([
      testRoute('GET', '/t', () => ({ status: 200, body: 'hello' }), { head: true }),
    ]);
    const client = await connect(port);
    for (let i = 0; i < 3; i++) {
      client.send(requestText('HEAD /t'));
      const answer = await client.response(true);
      expect(answer.status).toBe(200);
      expect(headerOf(answer, 'content-length')).toBe('5');
    }
    client.send(GET);
    expect((await client.response()).body.toString()).toBe('hello');
  });

  it('ends the connection when the handler requests it', async () => {
    const { port } = await openListener([
      testRoute('GET', '/t', () => ({ status: 200, body: 'bye', closeConnection: true })),
    ]);
    const client = await RawClient.open(port);
    client.send(GET);
    const answer = await client.response();
    expect(headerOf(answer, 'connection')).toBe('close');
    expect(await client.closed()).toBe('');
  });
});

describe('backpressure', () => {
  const BODY = Buffer.alloc(24_000_000);
  for (let i = 0; i < BODY.length; i += 4) BODY.writeUInt32LE(i, i);

  it('sends a large body completely to a reader that pauses and resumes', async () => {
    const { port, server } = await openListener([
      testRoute('GET', '/t', () => ({ status: 200, body: BODY })),
    ]);
    const client = await connect(port);
    client.socket.pause();
    client.send(GET);
    await pollUntil(() => server.openExchanges === 1 && client.socket.bytesRead > 0);
    await realIo();
    // `end` would have copied all of it, and the exchange would have ended.
    expect(server.openExchanges).toBe(1);
    client.socket.resume();
    const answer = await client.response();
    expect(sha256(answer.body)).toBe(sha256(BODY));
    await pollUntil(() => server.openExchanges === 0);
    client.send(GET);
    expect((await client.response()).body.length).toBe(BODY.length);
  });

  it('sends a text body over 64 KiB completely', async () => {
    const text = 'é'.repeat(50_000);
    const { port } = await openListener([testRoute('GET', '/t', async () => ({ status: 200, body: text }))]);
    expect((await rawRequest(port, GET)).body.toString()).toBe(text);
  });

  it('counts an answer after which the client wants the connection to end, until it has read it', async () => {
    const { port, server } = await openListener([
      testRoute('GET', '/t', () => ({ status: 200, body: BODY })),
    ]);
    const client = await RawClient.open(port);
    client.socket.pause();
    client.send(requestText('GET /t', ['Connection: close']));
    await pollUntil(() => server.load().unfinished === 1 && client.socket.bytesRead > 0);
    await realIo();
    expect(server.openExchanges).toBe(1);
    client.socket.resume();
    const answer = await client.response();
    expect(sha256(answer.body)).toBe(sha256(BODY));
    expect(await client.closed()).toBe('');
    await pollUntil(() => server.openExchanges === 0);
  });

  it('ends the exchange when the reader disconnects in between', async () => {
    const { port, server, records } = await openListener([
      testRoute('GET', '/t', () => ({ status: 200, body: BODY })),
    ]);
    const client = await RawClient.open(port);
    client.socket.pause();
    client.send(GET);
    await pollUntil(() => server.openExchanges === 1);
    client.destroy();
    await pollUntil(() => server.openExchanges === 0);
    expect(records).toMatchObject([{ status: 0, isAborted: true }]);
  });
});

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function raise(): never {
  throw new Error('planted: this text must not reach a client', { cause: new ServiceError('store.failed') });
}

async function realIo(): Promise<void> {
  await readFile(fileURLToPath(import.meta.url));
}

describe('the address of the client', () => {
  /**
   * Addresses that a handler reads: at its start if `isReadAtStart`, and after the client has disconnected.
   */
  const addressesRead = async (isReadAtStart: boolean, readsAddressLazily: boolean): Promise<string[]> => {
    const seen: string[] = [];
    const handler = async (request: HttpRequest): Promise<HttpResponse> => {
      if (isReadAtStart) seen.push(request.address);
      const isGone = new Promise<void>((resolve) =>
        request.signal.addEventListener('abort', () => resolve()),
      );
      client.destroy();
      await isGone;
      seen.push(request.address);
      return { status: 200 };
    };
    const { port } = await openListener([testRoute('GET', '/t', handler, { readsAddressLazily })]);
    const client = await RawClient.open(port);
    client.send(GET);
    await pollUntil(() => seen.length === (isReadAtStart ? 2 : 1));
    return seen;
  };

  it('is known after the client has disconnected', async () => {
    expect(await addressesRead(false, false)).toEqual(['127.0.0.1']);
  });

  it('is read on demand when the route says so: known later only if it was read while the client was connected', async () => {
    expect(await addressesRead(true, true)).toEqual(['127.0.0.1', '127.0.0.1']);
    expect(await addressesRead(false, true)).toEqual(['unknown']);
  });
});
