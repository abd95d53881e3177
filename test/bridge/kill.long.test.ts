import { describe, expect, it, onTestFinished } from 'vitest';
import { startServer } from '../support/server/server-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { call, newMessage, postRequest } from './support/bridge-client.ts';

describe('an acknowledged message', () => {
  it('survives kill -9 in every state', async () => {
    const dataDir = temporaryFolder('bridge', onTestFinished);
    const first = await startServer(dataDir);
    const before = `${first.publicUrl}/bridge`;
    const [request, answer] = [newMessage(), newMessage()];
    const waiting = await postRequest(before, request);
    const taken = await postRequest(before);
    await call(before, `GET /request/${taken}`);
    const answered = await postRequest(before);
    expect((await call(before, `PUT /response/${answered}`, answer)).status).toBe(201);
    const over = await postRequest(before);
    await call(before, `PUT /response/${over}`, answer);
    expect((await call(before, `GET /response/${over}`)).status).toBe(200);
    await first.end('SIGKILL');

    const second = await startServer(dataDir);
    const after = `${second.publicUrl}/bridge`;
    expect((await call(after, `GET /request/${waiting}`)).body).toEqual(request);
    expect((await call(after, `GET /request/${taken}`)).status).toBe(404);
    expect((await call(after, `GET /response/${taken}`)).body).toEqual({
      status: 'retrieved',
      response: null,
    });
    const response = await call(after, `GET /response/${answered}`);
    expect(response.body).toEqual({ status: 'completed', response: answer });
    expect((await call(after, `GET /response/${over}`)).status).toBe(404);
    expect((await second.end('SIGTERM')).code).toBe(0);
  });
});
