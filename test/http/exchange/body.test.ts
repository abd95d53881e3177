// Rules: spec/operations.md#bodies
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderVerifyError } from '../../../src/http/errors/verify.ts';
import { BodyCollector } from '../../../src/http/exchange/body.ts';
import { headerOf, RawClient, rawRequest, requestText } from '../../support/server/raw-client.ts';
import {
  connect,
  describeRequest,
  openListener,
  type TestListener,
  testRoute,
} from '../../support/server/test-listener.ts';
import { pollUntil } from '../../support/until.ts';

const LIMIT = 1000;
/** Time that a connection stays open after an answer that ends it. */
const LINGER_MS = 100;

function echo(): Promise<TestListener> {
  const handler: typeof describeRequest = (request) => ({ status: 200, body: request.body });
  const routes = [
    testRoute('POST', '/t', handler, { bodyLimitBytes: LIMIT, renderError: renderVerifyError }),
    testRoute('GET', '/none', describeRequest, { bodyLimitBytes: 0 }),
  ];
  return openListener(routes, { limits: { lingerMs: LINGER_MS } });
}

function chunked(...chunks: string[]): string {
  return `${chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('')}0\r\n\r\n`;
}

// uWebSockets.js answers 505 when a packet ends inside the version of the request line (server.test.ts).
async function sendInBytes(client: RawClient, text: string): Promise<void> {
  const firstLine = text.indexOf('\r\n') + 2;
  client.send(text.slice(0, firstLine));
  await client.sendSlowly(text.slice(firstLine));
}

describe('a body that fits', () => {
  it('arrives whole when it is sent in one packet', async () => {
    const { port } = await echo();
    const answer = await rawRequest(port, requestText('POST /t', ['Content-Length: 3'], 'abc'));
    expect(answer.body.toString()).toBe('abc');
  });

  it('keeps every byte value', async () => {
    const { port } = await echo();
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
    const text = requestText('POST /t', ['Content-Length: 256'], bytes.toString('latin1'));
    expect((await rawRequest(port, text)).body.equals(bytes)).toBe(true);
  });

  it('arrives whole when the header lines and the body come in single bytes', async () => {
    const { port } = await echo();
    const client = await connect(port);
    await sendInBytes(client, requestText('POST /t', ['Content-Length: 40'], '\xc3\xa9'.repeat(20)));
    expect((await client.response()).body.toString()).toBe('é'.repeat(20));
  });

  it('may be exactly as long as the limit', async () => {
    const { port } = await echo();
    const body = 'x'.repeat(LIMIT);
    expect((await rawRequest(port, requestText('POST /t', ['Content-Length: 1000'], body))).status).toBe(200);
    const inChunks = requestText('POST /t', ['Transfer-Encoding: chunked'], chunked(body));
    expect((await rawRequest(port, inChunks)).body.toString()).toBe(body);
  });

  it('may be chunked, in one packet or in single bytes; the connection ends after the answer', async () => {
    const { port } = await echo();
    const text = requestText('POST /t', ['Transfer-Encoding: chunked'], chunked('ab', 'c', 'defgh'));
    for (const send of [(client: RawClient) => client.send(text), sendInBytes]) {
      const client = await RawClient.open(port);
      await send(client, text);
      const answer = await client.response();
      expect(answer.body.toString()).toBe('abcdefgh');
      expect(headerOf(answer, 'connection')).toBe('close');
      expect(await client.closed()).toBe('');
    }
  });

  it('accepts Chunked in any letter case', async () => {
    const { port } = await echo();
    const text = requestText('POST /t', ['Transfer-Encoding: Chunked'], chunked('abc'));
    expect((await rawRequest(port, text)).body.toString()).toBe('abc');
  });

  it('is empty without a length, with length 0 and with no chunk', async () => {
    const { port } = await echo();
    for (const headers of [[], ['Content-Length: 0']]) {
      const answer = await rawRequest(port, requestText('POST /t', headers));
      expect(answer).toMatchObject({ status: 200, body: Buffer.alloc(0) });
    }
    const none = await rawRequest(port, requestText('POST /t', ['Transfer-Encoding: chunked'], chunked()));
    expect(none).toMatchObject({ status: 200, body: Buffer.alloc(0) });
  });
});

describe('a body over the limit', () => {
  const detail = `Request body must not exceed ${LIMIT} bytes.`;

  it('is refused by its declared length before any byte arrives, and the connection ends', async () => {
    const { port, records } = await echo();
    const client = await RawClient.open(port);
    client.send(requestText('POST /t', ['Content-Length: 1001']));
    const answer = await client.response();
    expect(answer.status).toBe(413);
    expect(JSON.parse(answer.body.toString())).toEqual({
      success: false,
      code: 'payload_too_large',
      detail,
      attribute: null,
    });
    expect(headerOf(answer, 'connection')).toBe('close');
    expect(await client.closed()).toBe('');
    expect(records).toMatchObject([{ status: 413, code: 'http.body_too_large' }]);
  });

  it('is refused by its declared length when it arrives whole', async () => {
    const { port } = await echo();
    const text = requestText('POST /t', ['Content-Length: 1001'], 'x'.repeat(1001));
    expect((await rawRequest(port, text)).status).toBe(413);
  });

  it('is refused by its byte count when it is chunked, as soon as it exceeds the limit', async () => {
    const { port } = await echo();
    const client = await RawClient.open(port);
    // The last chunk is never sent: an answer shows that the server does not wait for it.
    client.send(requestText('POST /t', ['Transfer-Encoding: chunked'], `3e9\r\n${'x'.repeat(1001)}\r\n`));
    const answer = await client.response();
    expect(answer.status).toBe(413);
    expect(JSON.parse(answer.body.toString())).toMatchObject({ detail });
    expect(await client.closed()).toBe('');
  });

  it('is refused by its byte count when many small chunks add up', async () => {
    const { port } = await echo();
    const client = await connect(port);
    client.send(requestText('POST /t', ['Transfer-Encoding: chunked']));
    for (let i = 0; i < 101; i++) client.send(`a\r\n${'x'.repeat(10)}\r\n`);
    expect((await client.response()).status).toBe(413);
  });

  it('is any body when the route accepts none', async () => {
    const { port } = await echo();
    expect((await rawRequest(port, requestText('GET /none', ['Content-Length: 1'], 'x'))).status).toBe(413);
    const inChunks = requestText('GET /none', ['Transfer-Encoding: chunked'], chunked('x'));
    expect((await rawRequest(port, inChunks)).status).toBe(413);
    expect((await rawRequest(port, requestText('GET /none'))).status).toBe(200);
  });

  it('is measured by http.bodyLimitBytes when the route would accept more', async () => {
    const { port } = await openListener([testRoute('POST', '/t', describeRequest)], {
      limits: { bodyLimitBytes: 10 },
    });
    expect(
      (await rawRequest(port, requestText('POST /t', ['Content-Length: 11'], 'x'.repeat(11)))).status,
    ).toBe(413);
  });
});

describe('a body that no handler reads', () => {
  it('is skipped when it arrived with its head, and the connection stays usable', async () => {
    const { port } = await echo();
    const client = await connect(port);
    client.send(requestText('POST /unknown', ['Content-Length: 10'], 'abcdefghij'));
    expect((await client.response()).status).toBe(404);
    client.send(requestText('POST /t', ['Content-Length: 1'], 'z'));
    expect((await client.response()).body.toString()).toBe('z');
  });

  it('ends the connection when it has not arrived, whatever its length', async () => {
    const { port, server } = await echo();
    for (const header of ['Transfer-Encoding: chunked', 'Content-Length: 10', 'Content-Length: 99999999']) {
      const client = await RawClient.open(port);
      client.send(requestText('POST /unknown', [header]));
      const answer = await client.response();
      expect(answer.status).toBe(404);
      expect(headerOf(answer, 'connection')).toBe('close');
      await client.closed();
    }
    await pollUntil(() => server.openExchanges === 0);
  });
});

describe('BodyCollector', () => {
  it('collects the bytes of any division into chunks', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 9000 }), { maxLength: 8 }), (chunks) => {
        const whole = Buffer.concat(chunks);
        const collector = new BodyCollector(whole.length, undefined);
        let state = 'none';
        collector.whenSettled((settled) => {
          state = settled;
        });
        for (const chunk of chunks) collector.push(new Uint8Array(chunk).buffer, false);
        expect(state).toBe('none');
        collector.push(new ArrayBuffer(0), true);
        expect(state).toBe('whole');
        expect(Buffer.from(collector.bytes).equals(whole)).toBe(true);
      }),
    );
  });

  it('keeps its own copy of a chunk', () => {
    const chunk = new Uint8Array([1, 2, 3]);
    const collector = new BodyCollector(10, 3);
    collector.push(chunk.buffer, true);
    chunk.fill(0);
    expect([...collector.bytes]).toEqual([1, 2, 3]);
  });

  it('lends a single chunk to a synchronous reader without a copy, and copies several chunks', () => {
    const read = (chunks: readonly Uint8Array[]): { seen: number[]; isCopy: boolean; after: number } => {
      const collector = new BodyCollector(10, undefined);
      let [seen, isCopy]: [number[], boolean] = [[], false];
      collector.whenSettled(() => {
        seen = [...collector.bytes];
        isCopy = chunks.every(({ buffer }) => collector.bytes.buffer !== buffer);
      }, true);
      for (const [index, chunk] of chunks.entries())
        collector.push(chunk.buffer as ArrayBuffer, index === chunks.length - 1);
      return { seen, isCopy, after: collector.bytes.length };
    };
    expect(read([new Uint8Array([1, 2, 3])])).toEqual({ seen: [1, 2, 3], isCopy: false, after: 0 });
    expect(read([new Uint8Array([1]), new Uint8Array([2, 3])])).toEqual({
      seen: [1, 2, 3],
      isCopy: true,
      after: 3,
    });
  });

  it('reports a state that was reached before anyone listened, once', () => {
    const states: string[] = [];
    const collector = new BodyCollector(2, undefined);
    collector.push(new ArrayBuffer(3), false);
    collector.push(new ArrayBuffer(3), true);
    collector.whenSettled((state) => states.push(state));
    expect(states).toEqual(['too_large']);
  });
});
