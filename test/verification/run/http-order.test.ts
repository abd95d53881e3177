// Rules: spec/verification.md#order-of-checks
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { setAppStatus, updateApp } from '../../../src/apps/apps.ts';
import type { Store } from '../../../src/storage/store.ts';
import { startAppOfTest } from '../../support/server/app-of-test.ts';
import {
  headerOf,
  RawClient,
  type RawResponse,
  rawRequest,
  requestText,
} from '../../support/server/raw-client.ts';
import { type StartedApp, startApp } from '../../support/server/start-app.ts';
import { until } from '../../support/until.ts';
import { addApps, rootOf } from '../support/registered-app.ts';
import { bodyOf, itemOf, vector } from '../support/vectors.ts';
import {
  expectError,
  expectHeaders,
  expectRawError,
  failedItem,
  internalItem,
  post,
  REFUSED,
} from '../support/verify-client.ts';

const entry = vector(0);
const RP_ID = entry.rp_id ?? '';
const APP_ID = entry.app_id ?? '';
const LIMIT = 262_144;
const NOT_MIGRATED = {
  code: 'app_not_migrated',
  detail: 'This rp_id or app_id is unknown here: no app with it is registered for verification.',
};
const TOO_LARGE = { code: 'payload_too_large', detail: `Request body must not exceed ${LIMIT} bytes.` };
const portOf = (app: StartedApp): number => Number(new URL(app.publicUrl).port);
const head = (id: string, headers: readonly string[] = [], body = ''): string =>
  requestText(`POST /api/v4/verify/${id}`, headers, body);

describe('checks of POST /api/v4/verify in their order', () => {
  let app: StartedApp;
  let store: Store;
  let now = Date.UTC(2026, 0, 15, 9, 30);
  beforeAll(async () => {
    app = await startApp({ now: () => now });
    store = await app.openStore();
    await addApps(store, [vector(2)], now);
  });
  afterAll(async () => {
    await store.close();
    await app.stop();
  });

  it.each(['GET', 'PUT', 'DELETE', 'PATCH', 'HEAD'])('method: refuses %s', async (method) => {
    const reply = await rawRequest(portOf(app), requestText(`${method} /api/v4/verify/x`));
    expect([reply.status, headerOf(reply, 'allow')]).toEqual([405, 'POST, OPTIONS']);
    const detail = `HTTP method '${method}' is not allowed for this endpoint.`;
    if (method !== 'HEAD') expectRawError(reply, 405, { code: 'method_not_allowed', detail });
  });

  it('method: answers OPTIONS with 204, Allow and no CORS headers', async () => {
    const reply = await rawRequest(
      portOf(app),
      requestText(`OPTIONS /api/v4/verify/${RP_ID}`, ['Origin: https://a.example']),
    );
    expect([reply.status, headerOf(reply, 'allow'), reply.body.length]).toEqual([204, 'POST, OPTIONS', 0]);
    expect(reply.headers.filter(([name]) => name.startsWith('access-control'))).toEqual([]);
  });

  it.each(['/api/v4/verify', '/api/v4/verify/', '/api/v4/verify/a/b', '/api/v4/other', '//api/v4/verify/x'])(
    'path: answers 404 at %s',
    async (path) => {
      const reply = await rawRequest(portOf(app), requestText(`POST ${path}`, ['Content-Length: 2'], '{}'));
      expect(reply.status).toBe(404);
      if (path.startsWith('/api/v4/')) expectRawError(reply, 404, REFUSED.notFound);
    },
  );

  it('body-size: refuses a declared body over the limit and closes the connection', async () => {
    const client = await RawClient.open(portOf(app));
    client.send(head(RP_ID, [`Content-Length: ${LIMIT + 1}`]));
    const reply = await client.response();
    expectRawError(reply, 413, TOO_LARGE);
    await client.closed();
  });

  it('body-size: refuses a chunked body over the limit and closes the connection', async () => {
    const client = await RawClient.open(portOf(app));
    const chunk = 'x'.repeat(65_536);
    client.send(head(RP_ID, ['Transfer-Encoding: chunked']));
    for (let sent = 0; sent < 5; sent++) client.send(`10000\r\n${chunk}\r\n`);
    const reply = await client.response();
    expectRawError(reply, 413, TOO_LARGE);
    await client.closed();
  });

  it('body-size: accepts a body of exactly the limit', async () => {
    const body = JSON.stringify(bodyOf(entry, { padding: '' }));
    const reply = await post(
      app.publicUrl,
      RP_ID,
      body.replace('"padding":""', `"padding":"${'x'.repeat(LIMIT - body.length)}"`),
    );
    expect(reply.status).toBe(200);
  });

  const BAD_JSON = { code: 'invalid_request', detail: 'Invalid JSON in request body' };
  it.each([
    ['empty', ''],
    ['cut', '{"action":'],
    ['not UTF-8', Uint8Array.of(0x7b, 0x22, 0xc3, 0x22, 0x3a, 0x31, 0x7d)],
    ['UTF-16', Buffer.from(JSON.stringify(bodyOf(entry)), 'utf16le')],
  ])('json: refuses a body that is %s before it checks the id', async (_name, body) => {
    expectError(await post(app.publicUrl, 'sent-id', body), 400, { ...BAD_JSON, app_id: 'sent-id' });
  });

  it('json: refuses a request without a body', async () => {
    const reply = await rawRequest(portOf(app), head('some%20id', ['Content-Length: 0']));
    expectRawError(reply, 400, { ...BAD_JSON, app_id: 'some id' });
  });

  it('json: does not decode a content encoding', async () => {
    const reply = await post(app.publicUrl, RP_ID, Buffer.from([0x1f, 0x8b, 8, 0]), {
      'content-encoding': 'gzip',
    });
    expectError(reply, 400, { ...BAD_JSON, app_id: RP_ID });
  });

  it('schema: refuses before it checks the id, without an app_id', async () => {
    const reply = await post(app.publicUrl, 'sent-id', {});
    expectError(reply, 400, {
      code: 'validation_error',
      detail: 'action is required',
      attribute: 'action',
    });
  });

  it.each(['sent-id', 'rp_123', 'RP_319b46aa7eae89bf', `app_${'a'.repeat(125)}`])(
    'id-form: refuses the malformed id %s',
    async (id) => {
      expectError(await post(app.publicUrl, id, bodyOf(entry)), 400, {
        code: 'invalid_request',
        detail: 'Invalid ID format. Expected app_id (app_xxx) or rp_id (rp_xxx).',
        attribute: 'app_id',
        app_id: id,
      });
    },
  );

  it.each([
    'rp_0000000000000000',
    'rp_ABCDEF0000000000',
    'app_unknown',
    'app_00000000000000000000000000000000',
  ])('app-known: refuses the unknown id %s', async (id) => {
    expectError(await post(app.publicUrl, id, bodyOf(entry)), 400, { ...NOT_MIGRATED, app_id: id });
  });

  it('app-known to app-enabled: checks the state of the app in this order', async () => {
    const { app_id: appId = '', rp_id: rpId = '' } = vector(2);
    const postOnceCacheExpired = async () => {
      now += 6000;
      return post(app.publicUrl, rpId, bodyOf(vector(2)));
    };
    await setAppStatus(store.apps, appId, 'disabled', now);
    expectError(await postOnceCacheExpired(), 404, {
      code: 'not_found',
      detail: 'App not found. App may be no longer active.',
      app_id: appId,
    });
    for (const verification of ['pending', 'failed', 'deactivated'] as const) {
      await updateApp(store.apps, appId, { verification }, now);
      expectError(await postOnceCacheExpired(), 400, {
        code: 'rp_not_active',
        detail: 'RP registration is not active.',
        app_id: appId,
      });
    }
    await updateApp(store.apps, appId, { verification: 'none' }, now);
    expectError(await postOnceCacheExpired(), 400, { ...NOT_MIGRATED, app_id: rpId });
  });

  it('internal-items: answers 500 with results when an internal error prevents any success', async () => {
    // a root whose key is missing, which no command would add
    await store.roots.put([rootOf(entry, now, { environment: 'staging', keyId: 'lost' })]);
    const responses = [itemOf(entry), itemOf(entry, { proof: '0x' })];
    const reply = await post(app.publicUrl, RP_ID, bodyOf(entry, { environment: 'staging', responses }));
    expectError(reply, 500, {
      ...REFUSED.internal,
      app_id: APP_ID,
      results: [internalItem(entry), expect.objectContaining({ code: 'invalid_format', attribute: 'proof' })],
    });
    expect(app.log()).toContain('no verifying key lost in profile test');
  });

  it('all-failed: answers 400 with results when no item is valid', async () => {
    const reply = await post(app.publicUrl, RP_ID, bodyOf(entry, { action: 'another' }));
    expectError(reply, 400, {
      code: 'all_verifications_failed',
      detail: 'All proof verifications failed.',
      app_id: APP_ID,
      results: [failedItem(entry, 'invalid_proof', 'The provided proof is invalid.')],
    });
  });

  it.each([undefined, 'text/plain', 'application/x-www-form-urlencoded', 'nonsense'])(
    'accepts a body with any Content-Type (%s)',
    async (type) => {
      const body = JSON.stringify(bodyOf(entry));
      const headers = [
        `Content-Length: ${body.length}`,
        ...(type === undefined ? [] : [`Content-Type: ${type}`]),
      ];
      expect((await rawRequest(portOf(app), head(RP_ID, headers, body))).status).toBe(200);
    },
  );

  it('accepts an rp_id in either case, an app_id, and a percent-encoded id', async () => {
    for (const id of [RP_ID, RP_ID.toUpperCase().replace('RP_', 'rp_'), APP_ID, RP_ID.replace('_', '%5F')]) {
      expect((await post(app.publicUrl, id, bodyOf(entry))).status).toBe(200);
    }
    const twice = await post(app.publicUrl, RP_ID.replace('_', '%255F'), bodyOf(entry));
    expect(twice.body.app_id).toBe(RP_ID.replace('_', '%5F'));
  });

  it('accepts a body that arrives byte by byte', async () => {
    const client = await RawClient.open(portOf(app));
    const body = JSON.stringify(bodyOf(entry));
    client.send(head(RP_ID, [`Content-Length: ${body.length}`]));
    await client.sendSlowly(body);
    expect((await client.response()).status).toBe(200);
    client.destroy();
  });
});

describe('refusals of POST /api/v4/verify', () => {
  it('path: answers 404 when verification is disabled', async () => {
    const app = await startAppOfTest({ settings: { 'verify.enabled': 'false' } });
    const reply = await post(app.publicUrl, RP_ID, bodyOf(entry));
    expectError(reply, 404, REFUSED.notFound);
  });

  it('availability: refuses beyond the maximum of open exchanges', async () => {
    // Each of several front ends serves at least one.
    const settings = { 'http.maxOpenExchanges': '1', 'server.frontEnds': '1' };
    const app = await startAppOfTest({ settings });
    const body = JSON.stringify(bodyOf(entry));
    const whole = head(RP_ID, [`Content-Length: ${body.length}`], body);
    const clients = [await RawClient.open(portOf(app)), await RawClient.open(portOf(app))] as const;
    const other = await RawClient.open(portOf(app));
    let refused: RawResponse | undefined;
    // repeats until one of two parallel requests is refused
    while (refused === undefined) {
      for (const client of clients) client.send(whole);
      other.send(requestText(`GET /api/v4/verify/${RP_ID}`));
      const responses = await Promise.all(clients.map((client) => client.response()));
      expect((await other.response()).status).toBe(405);
      refused = responses.find(({ status }) => status === 503);
    }
    expectRawError(refused, 503, REFUSED.unavailable);
    expect(Number(headerOf(refused, 'retry-after'))).toBeGreaterThanOrEqual(1);
    for (const client of [...clients, other]) client.destroy();
  });

  it('serves what arrives while it drains, ends each connection, and finishes an accepted request', async () => {
    // It is stopped.
    const app = await startApp();
    const body = JSON.stringify(bodyOf(entry));
    const [accepted, idle] = [await RawClient.open(portOf(app)), await RawClient.open(portOf(app))];
    const probe = head(RP_ID, [`Content-Length: ${body.length}`], body);
    idle.send(probe);
    expect((await idle.response()).status).toBe(200);
    accepted.send(head(RP_ID, [`Content-Length: ${body.length}`], body.slice(0, 10)));
    // the answer to this later request shows that the earlier one has arrived
    idle.send(probe);
    expect((await idle.response()).status).toBe(200);
    const stopped = app.stop();
    let reply: Awaited<ReturnType<typeof idle.response>>;
    do {
      idle.send(probe);
      reply = await idle.response();
      expect(reply.status).toBe(200);
    } while (headerOf(reply, 'connection') !== 'close');
    accepted.send(body.slice(10));
    expect((await accepted.response()).status).toBe(200);
    expect(await stopped).toBe(true);
  });

  it('rate-limit: refuses an address over its rate before it reads the body', async () => {
    const app = await startAppOfTest({
      settings: { 'verify.rateLimitPerSecond': '1', 'verify.rateLimitBurst': '2' },
    });
    const replies = [];
    for (let sent = 0; sent < 12; sent++) replies.push(await post(app.publicUrl, 'x', 'not JSON'));
    expect(replies[0]?.status).toBe(400);
    const refused = replies.find(({ status }) => status === 429);
    if (!refused) throw new Error('expected a 429 among 12 answers');
    expectError(refused, 429, REFUSED.tooMany);
  });
});

describe('POST /api/v4/verify for one person', () => {
  it('verifies the worked example of the specification', async () => {
    const app = await startAppOfTest();
    const store = await app.openStore();
    onTestFinished(() => store.close());
    const { nullifier_hash, signal_hash, merkle_root, proof } = entry;
    const before = Date.now();
    const body = {
      protocol_version: '3.0',
      nonce: '0x01',
      action: 'testing',
      responses: [
        { identifier: 'orb', merkle_root, nullifier: nullifier_hash, proof, signal_hash, max_age: 7200 },
      ],
    };
    const first = await post(app.publicUrl, RP_ID, body);
    expect(first.status).toBe(200);
    expectHeaders(first.headers);
    const createdAt = String(first.body.created_at);
    expect(createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Date.parse(createdAt)).toBeGreaterThanOrEqual(before);
    const answer = {
      success: true,
      action: 'testing',
      nullifier: nullifier_hash,
      created_at: createdAt,
      environment: 'production',
      protocol_version: '3.0',
      results: [{ identifier: 'orb', success: true, nullifier: nullifier_hash }],
      message: 'Proof verified successfully',
    };
    expect(first.body).toEqual(answer);
    const reuse = { ...answer, message: 'Proof verified successfully (nullifier reuse)' };
    expect((await post(app.publicUrl, RP_ID, body)).body).toEqual(reuse);
    expect((await post(app.publicUrl, APP_ID, body)).body).toEqual(reuse);

    // the same person against a later root, with the nullifier in another spelling
    const second = vector(1);
    const unknown = await post(app.publicUrl, RP_ID, bodyOf(second));
    expect(unknown.body).toMatchObject({
      code: 'all_verifications_failed',
      results: [{ code: 'invalid_merkle_root' }],
    });
    await store.roots.put([rootOf(second, Date.now())]);
    const sent = nullifier_hash.slice(2).toUpperCase();
    const later = await post(
      app.publicUrl,
      RP_ID,
      bodyOf(second, { responses: [itemOf(second, { nullifier: sent })] }),
    );
    expect(later.body).toEqual({
      ...reuse,
      results: [{ identifier: 'orb', success: true, nullifier: sent }],
    });

    // each environment has its own roots and records
    const staging = { ...body, environment: 'staging' };
    expect((await post(app.publicUrl, RP_ID, staging)).body).toMatchObject({
      results: [{ code: 'invalid_merkle_root' }],
    });
    await store.roots.put([
      rootOf(entry, Date.now(), { environment: 'staging', keyId: 'semaphore-depth30' }),
    ]);
    expect((await post(app.publicUrl, RP_ID, staging)).body).toMatchObject({
      environment: 'staging',
      message: 'Proof verified successfully',
    });

    // one valid and one false item
    const responses = [itemOf(entry, { nullifier: '0x1' }), itemOf(entry)];
    const mixed = await post(app.publicUrl, RP_ID, bodyOf(entry, { responses }));
    expect(mixed.status).toBe(200);
    expect(mixed.body.results).toMatchObject([{ success: false, code: 'invalid_proof' }, { success: true }]);

    const metrics = await (await fetch(`${app.adminUrl}/metrics`)).text();
    expect(metrics).toContain(
      'proofgate_verify_requests_total{status="200",code="reuse",protocol="3.0",kind="uniqueness"} 4',
    );
    expect(metrics).toContain(
      'proofgate_verify_requests_total{status="400",code="all_verifications_failed",protocol="3.0",kind="uniqueness"} 2',
    );
    expect(metrics).toContain(
      'proofgate_roots_current_age_seconds{environment="staging",tree="orb",source="operator"}',
    );
    await until(() => app.log().includes('"itemCodes":"item.root_unknown"'));
  });
});
