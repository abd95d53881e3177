// Rules: spec/operations.md#health and spec/operations.md#metrics

import { describe, expect, it } from 'vitest';
import { createAuthenticate } from '../../../src/admin/admin-tokens.ts';
import { renderAdminError } from '../../../src/http/errors/admin.ts';
import { Limits } from '../../../src/http/limits/limits.ts';
import { metricsRoute } from '../../../src/http/routes/admin/metrics.ts';
import { liveRoute, readyRoute } from '../../../src/http/routes/admin/ready.ts';
import { createRequireCaller } from '../../../src/http/routes/admin/require-caller.ts';
import { healthzRoutes } from '../../../src/http/routes/public/healthz.ts';
import { createHealth } from '../../../src/observability/health.ts';
import { createMetrics } from '../../../src/observability/metrics/metrics.ts';
import { endWaitsAtOnce } from '../../support/end-waits.ts';
import { headerOf, type RawResponse, rawRequest, requestText } from '../../support/server/raw-client.ts';
import { openListener } from '../../support/server/test-listener.ts';

const ADMIN = { listener: 'admin', fallbacks: [], renderUnknown: renderAdminError };
const jsonOf = (answer: RawResponse): unknown => JSON.parse(answer.body.toString());

describe('GET /healthz', () => {
  it('answers 200 when ready and 503 without detail when not', async () => {
    let isReady = false;
    const { port } = await openListener(healthzRoutes('', () => isReady));
    const down = await rawRequest(port, requestText('GET /healthz'));
    expect([down.status, jsonOf(down)]).toEqual([503, { status: 'unavailable' }]);
    expect(headerOf(down, 'retry-after')).toBe('1');
    isReady = true;
    const up = await rawRequest(port, requestText('GET /healthz'));
    expect([up.status, jsonOf(up)]).toEqual([200, { status: 'ok' }]);
    expect(headerOf(up, 'content-type')).toBe('application/json');
    expect(headerOf(up, 'cache-control')).toBe('no-store');
  });

  it('answers 405 to another method', async () => {
    const { port } = await openListener(healthzRoutes('', () => true));
    const answer = await rawRequest(port, requestText('POST /healthz'));
    expect(answer.status).toBe(405);
    expect(headerOf(answer, 'allow')).toBe('GET, OPTIONS');
  });
});

describe('GET /health/live and /health/ready', () => {
  it('distinguish liveness from readiness, and report each check with its age', async () => {
    let now = 5000;
    const health = createHealth({
      checks: {
        store: () => 'journal_mode=wal',
        engine: () => Promise.reject(new Error('no worker is ready')),
      },
      now: () => now,
    });
    const { port } = await openListener([liveRoute(), readyRoute(() => health.report())], ADMIN);
    await health.refresh();
    now += 250;
    expect((await rawRequest(port, requestText('GET /health/live'))).status).toBe(200);
    const ready = await rawRequest(port, requestText('GET /health/ready'));
    expect(ready.status).toBe(503);
    expect(jsonOf(ready)).toEqual({
      status: 'unavailable',
      checks: {
        store: { status: 'ok', ageMs: 250, detail: 'journal_mode=wal' },
        engine: { status: 'failed', ageMs: 250, detail: 'no worker is ready' },
      },
    });
  });

  it('answers 200 when every check passes', async () => {
    const health = createHealth({ checks: { store: () => undefined } });
    await health.start();
    const { port } = await openListener([readyRoute(() => health.report())], ADMIN);
    expect((await rawRequest(port, requestText('GET /health/ready'))).status).toBe(200);
    health.stop();
  });
});

describe('GET /metrics', () => {
  const TOKEN = 'a-token-of-the-operator';
  const metricsWith = async (
    requiredToken: string | undefined,
    failuresPerMinute = 0,
  ): Promise<(authorization?: string) => Promise<RawResponse>> => {
    const metrics = createMetrics();
    metrics.verifyRequestsTotal.inc({ status: '200', code: 'ok', protocol: '3.0', kind: 'uniqueness' });
    const { contentType, exposition } = metrics;
    const requireCaller =
      requiredToken === undefined
        ? undefined
        : createRequireCaller(
            createAuthenticate(() => requiredToken, { find: async () => undefined }, Date.now),
            new Limits().failuresPerMinute('test', failuresPerMinute),
          );
    const { port } = await openListener([metricsRoute({ contentType, exposition, requireCaller })], ADMIN);
    metrics.close();
    return (authorization) =>
      rawRequest(
        port,
        requestText('GET /metrics', authorization === undefined ? [] : [`Authorization: ${authorization}`]),
      );
  };

  it('serves Prometheus text to any client when no token is required', async () => {
    const call = await metricsWith(undefined);
    const answer = await call();
    expect(answer.status).toBe(200);
    expect(headerOf(answer, 'content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(answer.body.toString()).toContain(
      'proofgate_verify_requests_total{status="200",code="ok",protocol="3.0",kind="uniqueness"} 1\n',
    );
  });

  it('requires the token when one is configured', async () => {
    const call = await metricsWith(TOKEN);
    expect((await call(`Bearer ${TOKEN}`)).status).toBe(200);
    expect((await call(`bearer  ${TOKEN}`)).status).toBe(200);
    for (const wrong of [undefined, '', TOKEN, `Bearer ${TOKEN}x`, `Bearer ${TOKEN} x`, `Basic ${TOKEN}`]) {
      const answer = await call(wrong);
      expect(answer.status).toBe(401);
      expect(headerOf(answer, 'www-authenticate')).toBe('Bearer realm="proofgate admin"');
      expect(jsonOf(answer)).toMatchObject({ code: 'http.unauthenticated', status: 401 });
      expect(answer.body.toString()).not.toContain(TOKEN);
    }
  });

  it('rate-limits failed tokens only', async () => {
    endWaitsAtOnce(5000);
    const call = await metricsWith(TOKEN, 2);
    const statuses = [];
    for (const token of [TOKEN, TOKEN, TOKEN, 'x', 'x', 'x', TOKEN]) {
      statuses.push((await call(`Bearer ${token}`)).status);
    }
    expect(statuses).toEqual([200, 200, 200, 401, 401, 429, 200]);
  });
});

it('the admin listener answers an unknown path as problem+json with the request id', async () => {
  const { port } = await openListener([liveRoute()], ADMIN);
  const answer = await rawRequest(port, requestText('GET /unknown'));
  expect(answer.status).toBe(404);
  expect(headerOf(answer, 'content-type')).toBe('application/problem+json');
  expect(jsonOf(answer)).toMatchObject({
    code: 'http.not_found',
    requestId: headerOf(answer, 'x-request-id'),
  });
});
