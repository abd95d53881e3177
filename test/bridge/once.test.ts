import { beforeAll, describe, expect, it } from 'vitest';
import { opened } from '../support/opened.ts';
import { useSharedApp } from '../support/signin/shared-service.ts';
import { type BridgeReply, call, newMessage, postRequest } from './support/bridge-client.ts';

const PARALLEL = 50;

describe('concurrent calls of the bridge', () => {
  let base: string;
  const app = opened(useSharedApp);
  beforeAll(async () => {
    base = `${app.publicUrl}/bridge`;
  });

  const inParallel = (line: string, body?: () => unknown): Promise<BridgeReply[]> =>
    Promise.all(Array.from({ length: PARALLEL }, () => call(base, line, body?.())));
  const statuses = (replies: readonly BridgeReply[]): Map<number, number> => {
    const counts = new Map<number, number>();
    for (const { status } of replies) counts.set(status, (counts.get(status) ?? 0) + 1);
    return counts;
  };

  it('return a request to one of 50 GETs', async () => {
    const message = newMessage();
    const id = await postRequest(base, message);
    const replies = await inParallel(`GET /request/${id}`);
    expect(statuses(replies)).toEqual(
      new Map([
        [200, 1],
        [404, PARALLEL - 1],
      ]),
    );
    expect(replies.find(({ status }) => status === 200)?.body).toEqual(message);
  });

  it('return an answer to one of 50 GETs', async () => {
    const id = await postRequest(base);
    const response = newMessage();
    await call(base, `PUT /response/${id}`, response);
    const replies = await inParallel(`GET /response/${id}`);
    expect(statuses(replies).get(200)).toBe(1);
    expect(statuses(replies).get(404)).toBe(PARALLEL - 1);
    expect(replies.find(({ status }) => status === 200)?.body).toEqual({ status: 'completed', response });
  });

  it('store one of 50 PUTs of an answer, and return that one', async () => {
    const id = await postRequest(base);
    const answers = Array.from({ length: PARALLEL }, () => newMessage());
    const replies = await Promise.all(answers.map((answer) => call(base, `PUT /response/${id}`, answer)));
    expect(statuses(replies)).toEqual(
      new Map([
        [201, 1],
        [400, PARALLEL - 1],
      ]),
    );
    const stored = answers[replies.findIndex(({ status }) => status === 201)];
    expect((await call(base, `GET /response/${id}`)).body).toEqual({ status: 'completed', response: stored });
  });

  it('store one of 50 POSTs with one request_id', async () => {
    const own = { request_id: 'the-id-of-the-caller' };
    const replies = await inParallel('POST /request', () => ({ ...newMessage(), ...own }));
    expect(statuses(replies).get(200)).toBe(1);
    expect(statuses(replies).get(409)).toBe(PARALLEL - 1);
  });
});
