// Rules: spec/operations.md#rate-limits and spec/sign-in.md#client-authentication
import { describe, expect, it } from 'vitest';
import {
  type BackChannel,
  basicOf,
  type Reply,
  startBackChannel,
  type TestClient,
} from '../support/back-channel.ts';
import { expectRefusal, REFUSALS } from '../support/refusals.ts';

const ENDPOINTS = ['/par', '/token', '/introspect', '/revoke'] as const;
type Endpoint = (typeof ENDPOINTS)[number];

/** Starts a service whose endpoints take this many calls of strangers per address and minute. */
function start(perMinute: number, settings: Readonly<Record<string, string>> = {}): Promise<BackChannel> {
  const limit = String(perMinute);
  const names = ENDPOINTS.map((path) => [`rateLimits.${path.slice(1)}`, limit]);
  return startBackChannel({ ...Object.fromEntries(names), ...settings });
}

/** Calls an endpoint with credentials; right ones get 200 or 400, wrong ones 401. */
function call(at: BackChannel, path: Endpoint, authorization: string): Promise<Reply> {
  return at.call(`POST ${path}`, { headers: { authorization }, form: { token: 'x' } });
}

async function statuses(times: number, send: () => Promise<Reply>): Promise<number[]> {
  const found: number[] = [];
  for (let i = 0; i < times; i++) found.push((await send()).status);
  return found;
}

const wrongOf = ({ id }: TestClient): string => basicOf(id, `sk_${'0'.repeat(48)}`);

describe.each(ENDPOINTS)('%s', (path) => {
  const served = path === '/introspect' || path === '/revoke' ? 200 : 400;

  it('is not limited by address for a client that has authenticated', async () => {
    const service = await start(2);
    const client = await service.addClient();
    expect(await statuses(6, () => call(service, path, client.basic))).toEqual(Array(6).fill(served));
  });

  it('counts wrong secrets against the address, and serves the client there all the same', async () => {
    const service = await start(2);
    const client = await service.addClient();
    expect((await call(service, path, client.basic)).status).toBe(served);
    const wrong = await statuses(8, () => call(service, path, wrongOf(client)));
    expect(wrong).toEqual([401, 401, ...Array(6).fill(429)]);
    expect((await call(service, path, client.basic)).status).toBe(served);
    expectRefusal(await call(service, path, wrongOf(client)), REFUSALS.rateLimited);
  });
});

describe('the limit of a client that has authenticated', () => {
  it('is counted over all endpoints, and leaves other clients alone', async () => {
    const service = await startBackChannel({ 'rateLimits.clientCalls': '3' });
    const [client, other] = [await service.addClient(), await service.addClient()];
    for (const path of ['/introspect', '/revoke', '/token'] as const) {
      expect((await call(service, path, client.basic)).status).not.toBe(429);
    }
    const refused = await call(service, '/introspect', client.basic);
    expectRefusal(refused, REFUSALS.rateLimited);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect((await call(service, '/introspect', other.basic)).status).toBe(200);
  });

  it('is not used up by others who send its id with a wrong secret', async () => {
    const service = await startBackChannel({ 'rateLimits.clientCalls': '2' });
    const client = await service.addClient();
    await statuses(5, () => call(service, '/introspect', wrongOf(client)));
    expect(await statuses(3, () => call(service, '/introspect', client.basic))).toEqual([200, 200, 429]);
  });
});

describe('behind an address that strangers have exhausted', () => {
  it('a client authenticates that is new there, by header or by body, while attempts are left', async () => {
    const service = await start(2);
    const [one, two, late] = [
      await service.addClient(),
      await service.addClient(),
      await service.addClient(),
    ];
    expect(await statuses(2, () => call(service, '/revoke', ''))).toEqual([401, 401]);
    expect((await call(service, '/revoke', one.basic)).status).toBe(200);
    const form = { token: 'x', client_id: two.id, client_secret: two.secret };
    expect((await service.call('POST /revoke', { form })).status).toBe(200);
    expect(await statuses(20, () => call(service, '/revoke', wrongOf(late)))).toEqual(Array(20).fill(429));
    expect((await call(service, '/revoke', late.basic)).status).toBe(429);
    expect((await call(service, '/revoke', one.basic)).status).toBe(200);
    expect((await service.call('POST /revoke', { form })).status).toBe(200);
  });

  it('a public client waits as a stranger does, since its id is no secret', async () => {
    const service = await start(2);
    const [app, server] = [
      await service.addClient({ tokenEndpointAuthMethod: 'none' }),
      await service.addClient(),
    ];
    const revoke = (): Promise<Reply> =>
      service.call('POST /revoke', { form: { token: 'x', client_id: app.id } });
    expect((await call(service, '/revoke', server.basic)).status).toBe(200);
    expect(await statuses(3, revoke)).toEqual([200, 200, 429]);
    expect((await call(service, '/revoke', server.basic)).status).toBe(200);
  });

  it('a malformed call is refused by the limit, before and after one of a client', async () => {
    const service = await start(1);
    const client = await service.addClient();
    const malformed = ['token=%zz', 'token=1&token=2', `token=${'a'.repeat(10)}&client_id=x`];
    expect((await service.call('POST /introspect', { form: 'token=%zz' })).status).toBe(400);
    for (const _ of [1, 2]) {
      for (const form of malformed) {
        expectRefusal(await service.call('POST /introspect', { form }), REFUSALS.rateLimited);
      }
      await call(service, '/introspect', client.basic);
    }
    expectRefusal(await service.call('POST /introspect', { contentType: '' }), REFUSALS.rateLimited);
  });

  it('another endpoint has a limit of its own', async () => {
    const service = await start(1);
    await statuses(3, () => call(service, '/introspect', ''));
    expect((await call(service, '/revoke', '')).status).toBe(401);
  });
});
