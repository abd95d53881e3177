import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { opened } from '../support/opened.ts';
import { startProductionApp } from '../support/server/production-app.ts';
import { type StartedApp, startApp } from '../support/server/start-app.ts';
import { useSharedApp } from '../support/signin/shared-service.ts';
import { pollUntil } from '../support/until.ts';
import {
  type BridgeReply,
  call,
  expectHeaders,
  expectRefusal,
  newId,
  newMessage,
  postRequest,
} from './support/bridge-client.ts';

const PRODUCTION = { baseUrl: 'https://id.example/proofs' };

async function start(settings: Readonly<Record<string, string>> = {}): Promise<StartedApp> {
  const app = await startApp({ settings });
  onTestFinished(async () => {
    await app.stop();
  });
  return app;
}
/** A service with default test settings, and one in profile production, for tests that do not affect each other. */
const shared = opened(useSharedApp);
const production = opened(() => startProductionApp({ settings: PRODUCTION }), 'stop');

const allowOf = ({ headers }: BridgeReply): string | null => headers.get('allow');

describe('pages of other origins', () => {
  it('may read every kind of answer', async () => {
    const { publicUrl } = shared;
    for (const base of [`${publicUrl}/bridge`, publicUrl]) {
      const id = await postRequest(base);
      const lines: [string, unknown, number][] = [
        ['POST /request', newMessage(), 200],
        [`HEAD /request/${id}`, undefined, 200],
        [`GET /request/${id}`, undefined, 200],
        [`GET /request/${id}`, undefined, 404],
        [`HEAD /request/${id}`, undefined, 404],
        [`GET /response/${id}`, undefined, 200],
        [`HEAD /response/${id}`, undefined, 200],
        [`PUT /response/${id}`, newMessage(), 201],
        [`PUT /response/${id}`, newMessage(), 400],
        [`PUT /request/${id}`, newMessage(), 201],
        [`PUT /response/${id}`, newMessage(), 409],
        ['POST /response', newMessage(), 201],
        ['POST /response', '{', 400],
        ['POST /response', 'x'.repeat(65_537), 413],
        ['GET /request/%zz', undefined, 400],
        ['DELETE /response', undefined, 405],
        ['GET /request', undefined, 405],
        ['POST /request/0123456789abcdef', newMessage(), 405],
        ['OPTIONS /request', undefined, 204],
        [`OPTIONS /response/${id}`, undefined, 204],
      ];
      for (const [line, body, status] of lines) {
        const reply = await call(base, line, body);
        expect(reply.status, line).toBe(status);
        expectHeaders(reply);
      }
    }
  });

  it('receive a preflight answer with methods and headers', async () => {
    const { publicUrl } = shared;
    for (const path of ['/bridge/request', '/bridge/response', `/bridge/response/${newId()}`, '/request']) {
      const reply = await fetch(publicUrl + path, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://wallet.example',
          'access-control-request-method': 'PUT',
          'access-control-request-headers': 'content-type',
        },
      });
      expect(reply.status).toBe(204);
      expect(await reply.text()).toBe('');
      expect(reply.headers.get('access-control-allow-origin')).toBe('*');
      expect(reply.headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST, PUT, OPTIONS');
      expect(reply.headers.get('access-control-allow-headers')).toBe('*');
      expect(reply.headers.get('access-control-max-age')).toBe('600');
    }
  });

  it('may read that a path below the bridge is unknown', async () => {
    const { publicUrl } = shared;
    for (const line of [
      'GET /bridge/',
      'POST /bridge/other',
      'GET /bridge/request/a/b',
      'OPTIONS /bridge/x',
    ]) {
      expectRefusal(await call(publicUrl, line), 404);
    }
    const reply = await call(publicUrl, 'GET /bridges');
    expect([reply.status, reply.headers.get('access-control-allow-origin')]).toEqual([404, null]);
  });

  it('may not call the verification interface', async () => {
    const { publicUrl } = shared;
    const reply = await call(publicUrl, 'OPTIONS /api/v4/verify/rp_0123456789abcdef');
    expect([reply.status, reply.headers.get('access-control-allow-origin')]).toEqual([204, null]);
  });
});

describe('the methods of each path', () => {
  it('are those of the specification, with PUT for a request outside production', async () => {
    const base = `${shared.publicUrl}/bridge`;
    const id = newId();
    const refused = async (line: string): Promise<string | null> => {
      const reply = await call(base, line);
      expectRefusal(reply, 405);
      return allowOf(reply);
    };
    expect(await refused('GET /request')).toBe('POST, OPTIONS');
    expect(await refused('PUT /response')).toBe('POST, OPTIONS');
    expect(await refused(`DELETE /request/${id}`)).toBe('GET, HEAD, PUT, OPTIONS');
    expect(await refused(`POST /response/${id}`)).toBe('GET, HEAD, PUT, OPTIONS');
  });

  it('do not include PUT for a request in production', async () => {
    const { publicUrl } = production;
    const base = `${publicUrl}/proofs/bridge`;
    const reply = await call(base, `PUT /request/${newId()}`, newMessage());
    expectRefusal(reply, 405);
    expect(allowOf(reply)).toBe('GET, HEAD, OPTIONS');
    expect((await call(base, `HEAD /request/${await postRequest(base)}`)).status).toBe(200);
  });
});

describe('the address of the bridge', () => {
  it('is below the path of baseUrl, and also the root of the origin', async () => {
    const { publicUrl } = await start({ baseUrl: 'http://localhost:8080/a/b' });
    const message = newMessage();
    const id = await postRequest(`${publicUrl}/a/b/bridge`, message);
    expect((await call(publicUrl, `GET /request/${id}`)).body).toEqual(message);
    expect((await call(`${publicUrl}/bridge`, 'POST /request', message)).status).toBe(404);
    expectRefusal(await call(publicUrl, 'GET /a/b/bridge/other'), 404);
  });

  const withAlias = async (): Promise<StartedApp> => {
    const app = await startProductionApp({ settings: { ...PRODUCTION, 'bridge.rootAlias': 'true' } });
    onTestFinished(async () => {
      await app.stop();
    });
    return app;
  };
  it.each([
    ['test', 'false', false, () => start({ 'bridge.rootAlias': 'false' })],
    ['production', undefined, false, async () => production],
    ['production', 'true', true, withAlias],
  ] as const)('is also the root in profile %s with bridge.rootAlias %s: %s', async (...row) => {
    const [, , isServed, started] = row;
    const { publicUrl } = await started();
    const reply = await call(publicUrl, 'POST /request', newMessage());
    expect(reply.status).toBe(isServed ? 200 : 404);
    expect((await call(publicUrl, `GET /response/${newId()}`)).status).toBe(404);
    expect((await call(publicUrl, 'OPTIONS /response')).status).toBe(isServed ? 204 : 404);
  });

  it('does not exist with bridge.enabled false', async () => {
    const { publicUrl } = await start({
      'bridge.enabled': 'false',
      'signin.enabled': 'false',
      'refresh.enabled': 'false',
      'http.bodyLimitBytes': '1024',
    });
    for (const line of ['POST /bridge/request', 'POST /request', `GET /bridge/response/${newId()}`]) {
      const reply = await call(publicUrl, line, line.startsWith('POST') ? newMessage() : undefined);
      expect([reply.status, reply.body]).toEqual([404, expect.objectContaining({ code: 'not_found' })]);
      expect(reply.headers.get('access-control-allow-origin')).toBeNull();
    }
  });
});

describe('a store whose file was moved away', () => {
  it('makes every call answer 503, readable from every origin, also when the file is back', async () => {
    // Readiness is checked by an interval.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const { publicUrl, dataDir } = await start();
    const base = `${publicUrl}/bridge`;
    const id = await postRequest(base);
    const file = join(dataDir, 'proofgate.db');
    renameSync(file, `${file}.away`);
    const head = async (): Promise<number> => (await call(base, `HEAD /response/${id}`)).status;
    const isRefusedAfterCheck = async (): Promise<boolean> => {
      vi.advanceTimersByTime(1000);
      return (await head()) === 503;
    };
    // Readiness alone says too little: it may end for a check that was late.
    await pollUntil(isRefusedAfterCheck);
    for (const line of [`GET /request/${id}`, `GET /response/${id}`, 'POST /response']) {
      const reply = await call(base, line, line.startsWith('POST') ? newMessage() : undefined);
      expectRefusal(reply, 503);
      expect(reply.headers.get('retry-after')).toBe('5');
    }
    renameSync(`${file}.away`, file);
    for (let check = 0; check < 3; check++) expect(await isRefusedAfterCheck()).toBe(true);
  });
});

describe('log and metrics of the bridge', () => {
  it('contain call and status, and nothing of ids and messages', async () => {
    const app = await start();
    const base = `${app.publicUrl}/bridge`;
    const messages = [newMessage(), newMessage(), newMessage()] as const;
    const id = newId();
    await call(base, 'POST /request', { ...messages[0], request_id: id });
    await call(base, 'POST /request', { ...messages[0], request_id: id });
    await call(base, `HEAD /request/${id}`);
    await call(base, `GET /request/${id}`);
    await call(base, `GET /request/${id}`);
    await call(base, `PUT /response/${id}`, messages[1]);
    await call(base, `PUT /response/${id}`, { ...messages[1], iv: 'planted' });
    await call(base, `GET /response/${id}`);
    await call(base, `HEAD /response/${id}`);
    await call(base, 'POST /response', messages[2]);
    await call(base, `PUT /request/${id}`, messages[2]);
    await call(base, `DELETE /request/${id}`);
    const metrics = await (await fetch(`${app.adminUrl}/metrics`)).text();
    const counted = metrics.split('\n').filter((line) => line.startsWith('proofgate_bridge_messages_total{'));
    const expected = [
      ['post_request', 200],
      ['post_request', 409],
      ['head_request', 200],
      ['get_request', 200],
      ['get_request', 404],
      ['put_response', 201],
      ['put_response', 400],
      ['get_response', 200],
      ['head_response', 404],
      ['post_response', 201],
      ['put_request', 201],
    ].map(([name, status]) => `proofgate_bridge_messages_total{call="${name}",status="${status}"} 1`);
    expect(counted.sort()).toEqual(expected.sort());
    expect(metrics).toContain('proofgate_store_rows{table="bridge_messages"} 2\n');

    const log = app.log();
    expect(log).toContain('"route":"/bridge/request/:request_id","method":"GET","status":200');
    for (const secret of [id, 'planted', ...messages.flatMap(({ iv, payload }) => [iv, payload])]) {
      expect(log + metrics).not.toContain(secret);
    }
  });
});
