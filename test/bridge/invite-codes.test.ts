/** Requests under ids that follow from a code that a person types: 64 hex digits (spec/sign-in.md#bridge-calls). */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { startAppOfTest } from '../support/server/app-of-test.ts';
import { call, expectRefusal, newMessage } from './support/bridge-client.ts';

const LIFE_MS = 900_000;

describe('a request with an invite code', () => {
  it('lives 900 s under its id, which nobody else can take meanwhile', async () => {
    let now = 1_700_000_000_000;
    const app = await startAppOfTest({ settings: { 'bridge.rootAlias': 'true' }, now: () => now });
    for (const base of [app.publicUrl, `${app.publicUrl}/bridge`]) {
      const request_id = randomBytes(32).toString('hex');
      const message = newMessage();
      const reply = await call(base, 'POST /request', { ...message, request_id });
      expect([reply.status, reply.body]).toEqual([200, { request_id }]);
      now += LIFE_MS - 1;
      expectRefusal(await call(base, 'POST /request', { ...newMessage(), request_id }), 409, 'request_id');
      expect((await call(base, `HEAD /request/${request_id}`)).status).toBe(200);
      now += 1;
      expectRefusal(await call(base, `GET /request/${request_id}`), 404, 'request_id');
      const next = newMessage();
      expect((await call(base, 'POST /request', { ...next, request_id })).status).toBe(200);
      expect((await call(base, `GET /request/${request_id}`)).body).toEqual(next);
      const answer = newMessage();
      expect((await call(base, `PUT /response/${request_id}`, answer)).status).toBe(201);
      const taken = await call(base, `GET /response/${request_id}`);
      expect(taken.body).toEqual({ status: 'completed', response: answer });
    }
  });
});
