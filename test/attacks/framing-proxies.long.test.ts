import { describe, expect, it, onTestFinished } from 'vitest';
import { requestText } from '../support/server/raw-client.ts';
import { openListener, testRoute } from '../support/server/test-listener.ts';
import { isInstalled, PROXY_EXAMPLES, type RunningProxy, startProxy } from './support/framing/proxies.ts';

const BYSTANDERS = 4;
const ATTACKS_PER_SECOND = 5;
const ATTACK_ROUNDS = 2;
/** Below the 10 s that uWebSockets.js waits for the rest of a head, which is what a hanging bystander waits for. */
const HANG_MS = 8000;

const BODY = '5\r\nhello\r\n0\r\n';
const ATTACKS: readonly string[] = [
  chunked([], 'xxget: /healthz HTTP/1.1\r\nx: a\x0bb\r\n\r\n'),
  chunked([], 'XXGET: /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'),
  chunked(['Trailer: xxget, x'], 'xxget: /healthz HTTP/1.1\r\nx: a\r\n\r\n'),
  chunked(['Trailer: XXGET, Host'], 'XXGET: /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'),
  chunked(['Trailer: xxget, x'], 'xxget: /healthz HTTP/1.1\r\nx: a\x0bb\r\n\r\n'),
  // uWebSockets.js takes a line without a name as the end of the head, so that the body becomes a request
  ...['GET', 'POST'].map((method) => hidden(method, ': x')),
  hidden('POST', ':'),
  hidden('POST', 'Content-Length: \xa00'),
];

function chunked(headers: readonly string[], tail: string): string {
  return requestText('POST /echo/attack', ['Transfer-Encoding: chunked', ...headers], BODY + tail).replace(
    'Host: test',
    'Host: localhost',
  );
}

/** Makes a request whose body is a request too, after a line that hides its length from the library. */
function hidden(method: string, line: string): string {
  const body = 'GET /hidden HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const lines = ['Host: localhost', line, `Content-Length: ${body.length}`];
  return [`${method} /echo/attack HTTP/1.1`, ...lines, '', body].join('\r\n');
}

describe.each(PROXY_EXAMPLES)('behind $name', (example) => {
  const isAbsent = !isInstalled(example.program);

  it.skipIf(isAbsent)('other clients neither hang nor get foreign answers during the attack', async () => {
    let hiddenServed = 0;
    const { port } = await openListener(
      [
        testRoute('GET', '/hidden', () => {
          hiddenServed++;
          return { status: 200 };
        }),
        testRoute('GET', '/healthz', () => ({ status: 200, body: 'healthz' })),
        testRoute('GET', '/echo/:id', ({ params }) => ({ status: 200, body: params.id ?? '' })),
        testRoute('POST', '/echo/:id', async ({ params, body }) => {
          await new Promise((resolve) => setImmediate(resolve));
          return { status: 200, body: `${params.id} ${Buffer.from(body).toString('latin1')}` };
        }),
      ],
      { proxy: example.settings },
    );
    const proxy = await startProxy(example, port);
    onTestFinished(() => proxy.stop());
    let isOver = false;
    const bystanders = Array.from({ length: BYSTANDERS }, (_, number) =>
      standBy(proxy, number, () => isOver),
    );
    for (let round = 0; round < ATTACK_ROUNDS; round++) {
      for (const attack of ATTACKS) {
        const client = await proxy.connect();
        client.send(attack);
        setTimeout(() => client.destroy(), 3000).unref();
        await new Promise((resolve) => setTimeout(resolve, 1000 / ATTACKS_PER_SECOND));
      }
    }
    isOver = true;
    const counts = await Promise.all(bystanders);
    expect(Math.min(...counts)).toBeGreaterThan(0);
    expect(hiddenServed).toBe(0);
  });
});

/** Sends requests one after the other, on a new connection every ten requests, and returns their number. */
async function standBy(proxy: RunningProxy, number: number, isOver: () => boolean): Promise<number> {
  let count = 0;
  while (!isOver()) {
    const client = await proxy.connect();
    for (let turn = 0; turn < 10 && !client.isClosed; turn++) {
      const id = `${number}-${count++}`;
      const isPost = count % 2 === 0;
      const text = isPost
        ? requestText(`POST /echo/${id}`, ['Content-Length: 2'], 'by')
        : requestText(`GET /echo/${id}`);
      client.send(text);
      const hang = setTimeout(() => client.destroy(), HANG_MS);
      const answer = await client.response();
      clearTimeout(hang);
      expect(`${answer.status} ${answer.body.toString()}`).toBe(`200 ${id}${isPost ? ' by' : ''}`);
      // behind a proxy that passes bytes on, the service serves one request per connection
      if (answer.headers.some(([name, value]) => name === 'connection' && value === 'close')) break;
    }
    client.destroy();
  }
  return count;
}
