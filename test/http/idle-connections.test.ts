// Rules: spec/operations.md#connections-and-memory
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors/index.ts';
import type { HttpResponse } from '../../src/http/exchange/exchange-types.ts';
import { RawClient, requestText } from '../support/server/raw-client.ts';
import { openListener, testRoute } from '../support/server/test-listener.ts';

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

describe('an idle connection', () => {
  it('is closed, whatever was answered before', async () => {
    const { port } = await openListener(ROUTES);
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
});
