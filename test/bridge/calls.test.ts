// Rules: spec/sign-in.md#bridge-calls
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { opened } from '../support/opened.ts';
import { rawRequest, requestText } from '../support/server/raw-client.ts';
import { connect } from '../support/server/test-listener.ts';
import { useSharedApp } from '../support/signin/shared-service.ts';
import {
  type BridgeReply,
  call,
  expectHeaders,
  expectRefusal,
  newId,
  newMessage,
  postRequest,
} from './support/bridge-client.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
let base: string;
const app = opened(useSharedApp);
beforeAll(async () => {
  base = `${app.publicUrl}/bridge`;
});

const go = (line: string, body?: unknown): Promise<BridgeReply> => call(base, line, body);

describe('POST /request', () => {
  it('stores a request under a new UUID', async () => {
    const reply = await go('POST /request', newMessage());
    expect([reply.status, reply.body]).toEqual([200, { request_id: expect.stringMatching(UUID) }]);
    expect(reply.headers.get('content-type')).toBe('application/json');
    expectHeaders(reply);
  });

  it('stores it under the request_id of the caller, in lower case', async () => {
    const message = newMessage();
    const id = `Own-ID_${newId()}.A`;
    const reply = await go('POST /request', { ...message, request_id: id });
    expect([reply.status, reply.body]).toEqual([200, { request_id: id.toLowerCase() }]);
    expect((await go(`GET /request/${id.toUpperCase()}`)).body).toEqual(message);
  });

  it('ignores other members, and treats null as no request_id', async () => {
    const more = { supports_app_overrides: true, app_id: 'app_x', status: 'completed', request_id: null };
    const reply = await go('POST /request', { ...newMessage(), ...more });
    expect([reply.status, reply.body]).toEqual([200, { request_id: expect.stringMatching(UUID) }]);
  });

  it('answers 409 while a request waits under the id', async () => {
    const first = { ...newMessage(), request_id: newId() };
    await go('POST /request', first);
    const second = { ...newMessage(), request_id: first.request_id };
    expectRefusal(await go('POST /request', second), 409, 'request_id');
    const { request_id: id, ...message } = first;
    expect((await go(`GET /request/${id}`)).body).toEqual(message);
  });

  it('reuses an id whose request was taken or answered, and drops the old answer', async () => {
    const first = { ...newMessage(), request_id: newId() };
    const { request_id: id, ...message } = first;
    await go('POST /request', first);
    await go(`GET /request/${id}`);
    expect((await go('POST /request', first)).status).toBe(200);
    expect((await go(`GET /request/${id}`)).body).toEqual(message);
    expect((await go(`PUT /response/${id}`, newMessage())).status).toBe(201);
    expect((await go('POST /request', first)).status).toBe(200);
    expect((await go(`GET /response/${id}`)).body).toEqual({ status: 'initialized', response: null });
  });

  it('accepts any text as iv and payload, because the relay cannot read them', async () => {
    const message = { iv: 'test_iv', payload: '' };
    const id = await go('POST /request', message);
    const { request_id } = id.body as { readonly request_id: string };
    expect((await go(`GET /request/${request_id}`)).body).toEqual(message);
  });

  it('accepts any Content-Type, and none', async () => {
    const body = JSON.stringify(newMessage());
    for (const header of [[], ['Content-Type: text/plain'], ['Content-Type: application/json; charset=x']]) {
      const headers = [...header, `Content-Length: ${body.length}`];
      const port = Number(new URL(base).port);
      const answer = await rawRequest(port, requestText('POST /bridge/request', headers, body));
      expect(answer.status).toBe(200);
    }
  });
});

describe('HEAD /request/{id}', () => {
  it('answers 200 while the request waits, without taking it, and otherwise 404', async () => {
    const message = newMessage();
    const id = await postRequest(base, message);
    for (let i = 0; i < 3; i++) expect((await go(`HEAD /request/${id}`)).status).toBe(200);
    expect((await go(`GET /response/${id}`)).body).toMatchObject({ status: 'initialized' });
    expect((await go(`GET /request/${id}`)).body).toEqual(message);
    expect((await go(`HEAD /request/${id}`)).status).toBe(404);
    expect((await go(`HEAD /request/${randomUUID()}`)).status).toBe(404);
    expect((await go('HEAD /request/short')).status).toBe(400);
  });

  it.each(['request', 'response'])('has no body, whatever its status: %s', async (kind) => {
    const id = await postRequest(base);
    const client = await connect(Number(new URL(base).port));
    for (const [path, status] of [
      [id, 200],
      [randomUUID(), 404],
      ['short', 400],
    ] as const) {
      client.send(requestText(`HEAD /bridge/${kind}/${path}`));
      const answer = await client.response(true);
      expect(answer.status).toBe(status);
      expect(answer.headers).toContainEqual(['access-control-allow-origin', '*']);
      expect(answer.headers).toContainEqual(['cache-control', 'no-store']);
      // A body would be read as the start of this answer.
      client.send(requestText('GET /healthz'));
      expect((await client.response()).status).toBe(200);
    }
  });
});

describe('GET /request/{id}', () => {
  it('returns the request once, and sets its status to retrieved', async () => {
    const message = newMessage();
    const id = await postRequest(base, message);
    const reply = await go(`GET /request/${id}`);
    expect([reply.status, reply.body]).toEqual([200, message]);
    expect(reply.headers.get('content-type')).toBe('application/json');
    expectHeaders(reply);
    expectRefusal(await go(`GET /request/${id}`), 404, 'request_id');
    expect((await go(`GET /response/${id}`)).body).toEqual({ status: 'retrieved', response: null });
  });

  it('answers 404 for an unknown id and for one that has only an answer', async () => {
    expectRefusal(await go(`GET /request/${randomUUID()}`), 404, 'request_id');
    const { body } = await go('POST /response', newMessage());
    const { request_id: id } = body as { request_id: string };
    expectRefusal(await go(`GET /request/${id}`), 404, 'request_id');
  });
});

describe('PUT /response/{id}', () => {
  it.each(['before', 'after'])('answers 201 without a body %s the request was taken', async (order) => {
    const id = await postRequest(base);
    if (order === 'after') await go(`GET /request/${id}`);
    const reply = await go(`PUT /response/${id.toUpperCase()}`, newMessage());
    expect([reply.status, reply.text]).toEqual([201, '']);
    expectHeaders(reply);
    expect((await go(`HEAD /response/${id}`)).status).toBe(404);
  });

  it('answers 400 for an id without a status: unknown, already answered, or its answer taken', async () => {
    expectRefusal(await go(`PUT /response/${randomUUID()}`, newMessage()), 400, 'request_id');
    const id = await postRequest(base);
    const answer = newMessage();
    await go(`PUT /response/${id}`, answer);
    expectRefusal(await go(`PUT /response/${id}`, newMessage()), 400, 'request_id');
    expect((await go(`GET /response/${id}`)).body).toEqual({ status: 'completed', response: answer });
    expectRefusal(await go(`PUT /response/${id}`, newMessage()), 400, 'request_id');
  });

  it('answers 409 if the id got a new request while an answer waits', async () => {
    const id = await postRequest(base);
    const answer = newMessage();
    await go(`PUT /response/${id}`, answer);
    await go(`PUT /request/${id}`, newMessage());
    expectRefusal(await go(`PUT /response/${id}`, newMessage()), 409, 'request_id');
    expect((await go(`GET /response/${id}`)).body).toEqual({ status: 'completed', response: answer });
  });

  it('ignores a request_id in the body', async () => {
    const id = await postRequest(base);
    expect((await go(`PUT /response/${id}`, { ...newMessage(), request_id: 7 })).status).toBe(201);
  });
});

describe('GET /response/{id}', () => {
  it('returns the status until there is an answer, then the answer once, then 404', async () => {
    const id = await postRequest(base);
    const answer = newMessage();
    const poll = (): Promise<BridgeReply> => go(`GET /response/${id}`);
    for (let i = 0; i < 3; i++)
      expect((await poll()).body).toEqual({ status: 'initialized', response: null });
    await go(`GET /request/${id}`);
    for (let i = 0; i < 3; i++) expect((await poll()).body).toEqual({ status: 'retrieved', response: null });
    await go(`PUT /response/${id}`, answer);
    const reply = await poll();
    expect([reply.status, reply.body]).toEqual([200, { status: 'completed', response: answer }]);
    expect(reply.headers.get('content-type')).toBe('application/json');
    expectHeaders(reply);
    expectRefusal(await poll(), 404, 'request_id');
  });

  it('answers 404 for an unknown id', async () => {
    expectRefusal(await go(`GET /response/${randomUUID()}`), 404, 'request_id');
  });
});

describe('HEAD /response/{id}', () => {
  it('answers 200 while a status exists, and otherwise 404', async () => {
    const id = await postRequest(base);
    const head = async (): Promise<number> => (await go(`HEAD /response/${id}`)).status;
    expect(await head()).toBe(200);
    await go(`GET /request/${id}`);
    expect(await head()).toBe(200);
    await go(`PUT /response/${id}`, newMessage());
    expect(await head()).toBe(404);
    expect((await go(`GET /response/${id}`)).status).toBe(200);
    expect(await head()).toBe(404);
    expect((await go('HEAD /response/short')).status).toBe(400);
  });
});

describe('POST /response', () => {
  it('stores an answer without a request, which can be taken once', async () => {
    const answer = newMessage();
    const reply = await go('POST /response', { ...answer, request_id: newId() });
    expect([reply.status, reply.body]).toEqual([201, { request_id: expect.stringMatching(UUID) }]);
    expectHeaders(reply);
    const { request_id: id } = reply.body as { request_id: string };
    expect((await go(`GET /response/${id}`)).body).toEqual({ status: 'completed', response: answer });
    expectRefusal(await go(`GET /response/${id}`), 404, 'request_id');
  });
});

describe('PUT /request/{id}', () => {
  it('stores or overwrites a request, and resets the status of the id', async () => {
    const id = newId();
    const [first, second] = [newMessage(), newMessage()];
    const reply = await go(`PUT /request/${id.toUpperCase()}`, first);
    expect([reply.status, reply.text]).toEqual([201, '']);
    expectHeaders(reply);
    expect((await go(`GET /request/${id}`)).body).toEqual(first);
    expect((await go(`PUT /request/${id}`, first)).status).toBe(201);
    expect((await go(`PUT /request/${id}`, second)).status).toBe(201);
    expect((await go(`GET /response/${id}`)).body).toEqual({ status: 'initialized', response: null });
    expect((await go(`GET /request/${id}`)).body).toEqual(second);
  });
});

describe('malformed ids and bodies', () => {
  const ID = 'a'.repeat(16);
  const MESSAGE = newMessage();
  const longest = 'aA0._-'.padEnd(256, 'z');

  it('of 16 to 256 allowed characters are valid ids', async () => {
    for (const id of ['0123456789abcdef', '.'.repeat(16), '-_'.repeat(8), longest]) {
      expect((await go(`PUT /request/${id}`, MESSAGE)).status).toBe(201);
      expect((await go(`HEAD /request/${id}`)).status).toBe(200);
      expect((await go(`GET /request/${id}`)).body).toEqual(MESSAGE);
    }
  });

  it.each([
    'a'.repeat(15),
    `${longest}z`,
    `${ID}%20`,
    `${ID}%0A`,
    `${ID}%2F`,
    `${ID}%00`,
    `${ID}%C3%A9`,
    // U+212A, whose lower case is the letter k
    `${ID}%E2%84%AA`,
    `${ID}+`,
    `${ID}:`,
  ])('are answered with 400 by every call: the id %s', async (id) => {
    expectRefusal(await go(`GET /request/${id}`), 400, 'request_id');
    expectRefusal(await go(`GET /response/${id}`), 400, 'request_id');
    expectRefusal(await go(`PUT /response/${id}`, MESSAGE), 400, 'request_id');
    expectRefusal(await go(`PUT /request/${id}`, MESSAGE), 400, 'request_id');
    const sent = decodeURIComponent(id);
    expectRefusal(await go('POST /request', { ...MESSAGE, request_id: sent }), 400, 'request_id');
  });

  const bodies: [string, unknown, string | null][] = [
    ['no body', '', null],
    ['text that is not JSON', '{"iv":', null],
    ['a list', '[1]', null],
    ['null', 'null', null],
    ['text', '"iv"', null],
    ['no iv', { payload: MESSAGE.payload }, 'iv'],
    ['no payload', { iv: MESSAGE.iv }, 'payload'],
    ['an iv that is null', { ...MESSAGE, iv: null }, 'iv'],
    ['a payload that is a number', { ...MESSAGE, payload: 1234 }, 'payload'],
    ['U+0000', { ...MESSAGE, payload: 'YWF\0' }, 'payload'],
    ['an unpaired surrogate', { ...MESSAGE, iv: '\ud800' }, 'iv'],
  ];

  it.each(bodies)('are answered with 400: a body with %s', async (_name, body, attribute) => {
    const id = await postRequest(base);
    expectRefusal(await go('POST /request', body), 400, attribute);
    expectRefusal(await go('POST /response', body), 400, attribute);
    expectRefusal(await go(`PUT /response/${id}`, body), 400, attribute);
    expectRefusal(await go(`PUT /request/${id}`, body), 400, attribute);
    expect((await go(`GET /response/${id}`)).body).toEqual({ status: 'initialized', response: null });
  });

  it('are answered with 400: a body that is not UTF-8', async () => {
    const body = `{"iv":"${MESSAGE.iv}","payload":"${MESSAGE.payload}","more":"\xff"}`;
    const headers = [`Content-Length: ${body.length}`];
    const answer = await rawRequest(
      Number(new URL(base).port),
      requestText('POST /bridge/request', headers, body),
    );
    expect(answer.status).toBe(400);
  });

  it.each([7, true, {}, [], ''])('are answered with 400: the request_id %j', async (id) => {
    expectRefusal(await go('POST /request', { ...MESSAGE, request_id: id }), 400, 'request_id');
  });

  it('are never repeated in an answer or in the log', async () => {
    const reply = await go('POST /request', '{"iv":"planted-secret", "payload": planted }');
    expectRefusal(reply, 400);
    const second = await go('POST /request', { iv: 'planted\0secret', payload: 'planted' });
    expectRefusal(second, 400, 'iv');
    expect(reply.text + second.text + app.log()).not.toContain('planted');
  });
});
