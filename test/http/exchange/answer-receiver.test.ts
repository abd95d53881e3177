// Rules: spec/operations.md#answers
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  type AnswerReceiver,
  DEFERRED,
  type HttpResponse,
  type Route,
} from '../../../src/http/exchange/exchange-types.ts';
import { rawRequest, requestText } from '../../support/server/raw-client.ts';
import { connect, openListener, testRoute } from '../../support/server/test-listener.ts';

const GET = requestText('GET /t');
const NOTHING = undefined as unknown as HttpResponse;

describe('an answer that a handler passes to the receiver', () => {
  const later =
    (deliver: (receiver: AnswerReceiver) => void): Route['handler'] =>
    (_request, receiver) => {
      deliver(receiver);
      return DEFERRED;
    };
  const good: HttpResponse = { status: 200, body: 'good' };

  it.each([
    ['before it returns', (receiver: AnswerReceiver) => receiver.answer(good)],
    ['in a microtask', (receiver: AnswerReceiver) => queueMicrotask(() => receiver.answer(good))],
    ['after real I/O', (receiver: AnswerReceiver) => void realIo().then(() => receiver.answer(good))],
  ])('is sent: %s', async (_name, deliver) => {
    const { port, server, records } = await openListener([testRoute('GET', '/t', later(deliver))]);
    const client = await connect(port);
    for (let number = 1; number <= 3; number++) {
      client.send(GET);
      expect((await client.response()).body.toString()).toBe('good');
    }
    expect(records.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(server.openExchanges).toBe(0);
  });

  it.each([
    ['an error', (receiver: AnswerReceiver) => receiver.fail(new Error('planted'))],
    ['a value that is not an answer', (receiver: AnswerReceiver) => receiver.answer(NOTHING)],
  ])('is replaced by a 500 when it is %s', async (_name, deliver) => {
    const { port } = await openListener([
      testRoute('GET', '/now', later(deliver)),
      testRoute(
        'GET',
        '/io',
        later((receiver) => void realIo().then(() => deliver(receiver))),
      ),
    ]);
    for (const path of ['/now', '/io']) {
      const answer = await rawRequest(port, requestText(`GET ${path}`));
      expect(answer.status).toBe(500);
      expect(answer.body.toString()).not.toContain('planted');
    }
  });

  it('may be given at a deadline that the handler has set', async () => {
    const handler = later((receiver) => receiver.startDeadline(1, () => receiver.answer(good)));
    const { port } = await openListener([testRoute('GET', '/t', handler)]);
    expect((await rawRequest(port, GET)).body.toString()).toBe('good');
  });

  it.each([
    ['after the deadline', 5, 1],
    ['without the deadline if that is not earlier', 20, 0],
  ])('is replaced by 503 when the handler times out, %s', async (_name, deadlineMs, expected) => {
    let passed = 0;
    const handler = later((receiver) => receiver.startDeadline(deadlineMs, () => passed++));
    const limits = { handlerTimeoutMs: 20 };
    const { port, records } = await openListener([testRoute('GET', '/t', handler)], { limits });
    expect((await rawRequest(port, GET)).status).toBe(503);
    expect(records.map(({ code }) => code)).toEqual(['http.handler_timeout']);
    expect(passed).toBe(expected);
  });

  it('ends the wait for the deadline', async () => {
    let passed = 0;
    const handler = later((receiver) => {
      receiver.startDeadline(1, () => passed++);
      receiver.answer(good);
    });
    const { port } = await openListener([
      testRoute('GET', '/t', handler),
      testRoute(
        'GET',
        '/later',
        later((receiver) => receiver.startDeadline(2, () => receiver.answer(good))),
      ),
    ]);
    expect((await rawRequest(port, GET)).status).toBe(200);
    expect((await rawRequest(port, requestText('GET /later'))).status).toBe(200);
    expect(passed).toBe(0);
  });

  it('is sent only once, also when a second answer or a throw follows', async () => {
    const { port, records } = await openListener([
      testRoute(
        'GET',
        '/twice',
        later((receiver) => {
          receiver.answer(good);
          receiver.answer({ status: 404 });
        }),
      ),
      testRoute('GET', '/throws', (_request, receiver) => {
        receiver.answer(good);
        throw new Error('planted');
      }),
    ]);
    expect((await rawRequest(port, requestText('GET /twice'))).status).toBe(200);
    expect((await rawRequest(port, requestText('GET /throws'))).status).toBe(200);
    expect(records.map(({ status }) => status)).toEqual([200, 200]);
  });

  it('is replaced by a 503 when it does not arrive in time, and is dropped afterwards', async () => {
    const receivers: AnswerReceiver[] = [];
    const { port, records } = await openListener(
      [
        testRoute(
          'GET',
          '/t',
          later((receiver) => receivers.push(receiver)),
        ),
      ],
      { limits: { handlerTimeoutMs: 20 } },
    );
    const client = await connect(port);
    client.send(GET);
    expect((await client.response()).status).toBe(503);
    receivers[0]?.answer(good);
    client.send(GET);
    expect((await client.response()).status).toBe(503);
    expect(records.map(({ status }) => status)).toEqual([503, 503]);
  });
});

async function realIo(): Promise<void> {
  await readFile(fileURLToPath(import.meta.url));
}
