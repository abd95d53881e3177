// Rules: spec/operations.md#two-http-libraries, for what holds for node:http alone.
import { describe, expect, it } from 'vitest';
import type { HttpResponse } from '../../../src/http/exchange/exchange-types.ts';
import { IS_NODE_HTTP } from '../../support/server/http-library.ts';
import { requestText } from '../../support/server/raw-client.ts';
import { connect, openListener, testRoute } from '../../support/server/test-listener.ts';

describe.skipIf(!IS_NODE_HTTP)('malformed bytes behind the last request of a connection', () => {
  it('are not read while its answer is being made', async () => {
    let answer: (response: HttpResponse) => void = () => {};
    const handled = new Promise<HttpResponse>((resolve) => {
      answer = resolve;
    });
    const { port } = await openListener([testRoute('POST', '/t', () => handled)]);
    const client = await connect(port);
    client.send(requestText('POST /t', ['Transfer-Encoding: chunked'], '0\r\n\r\n'));
    client.send(Buffer.alloc(64_000_000, '\x01'));
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(client.socket.writableLength).toBeGreaterThan(0);
    answer({ status: 200, body: 'x' });
    expect((await client.response()).status).toBe(200);
  });
});

describe.skipIf(!IS_NODE_HTTP)('bytes that the parser of Node skips without counting them', () => {
  it.each([
    ['line ends before a request line', '\r\n'],
    ['spaces before a target', ' '],
  ])('end their connection within seconds: %s', async (_name, filling) => {
    const { port } = await openListener([testRoute('GET', '/t', () => ({ status: 200 }))]);
    const client = await connect(port);
    const start = performance.now();
    client.socket.on('error', () => {});
    const packet = Buffer.alloc(1_000_000, filling);
    client.send(filling === ' ' ? 'GET ' : '');
    while (!client.isClosed && performance.now() - start < 8000) {
      if (client.socket.writableLength < packet.length) client.socket.write(packet);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(client.isClosed).toBe(true);
  });
});
