// Rules: spec/refresh.md#order-of-checks
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { createRefreshParts, refreshRoutesOf } from '../../../src/app/parts/refresh.ts';
import { loadConfig } from '../../../src/config/sources/load.ts';
import { createEngine } from '../../../src/engine/create-engine.ts';
import { Limits } from '../../../src/http/limits/limits.ts';
import { createKeyRegistry } from '../../../src/membership/keys/key-registry.ts';
import { createLog } from '../../../src/observability/log/log.ts';
import { createMetrics } from '../../../src/observability/metrics/metrics.ts';
import type { Store } from '../../../src/storage/store.ts';
import { openRefreshClient, type RefreshAnswer, type RefreshClient } from '../../support/refresh/client.ts';
import { testHolder } from '../../support/refresh/holder.ts';
import {
  enrolHolders,
  REFRESH_SETTINGS,
  type RefreshService,
  startRefreshService,
} from '../../support/refresh/service.ts';
import { openMigratedStore } from '../../support/server/migrated-store.ts';
import { openListener } from '../../support/server/test-listener.ts';

const START = Date.UTC(2026, 5, 1, 12);
const HOLDER = testHolder('switch');
const DISABLED = { success: false, message: 'Credential refresh is disabled' };

let clock = START;
let service: RefreshService | undefined;

afterEach(async () => {
  await service?.end();
  service = undefined;
});

async function serve(settings: Readonly<Record<string, string>> = {}): Promise<RefreshService> {
  clock = START;
  service = await startRefreshService({ settings, now: () => clock });
  await service.enrol([HOLDER]);
  return service;
}

function expectDisabled(answer: RefreshAnswer): void {
  expect(answer.body).toEqual(DISABLED);
  expect(answer.status).toBe(503);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
}

describe('refresh.enabled false', () => {
  it('answers 503 without error, lists keys, and needs no key to start', async () => {
    const { client, store, logLine } = await serve({
      'refresh.enabled': 'false',
      'refresh.verificationKey': 'absent',
    });
    const answer = await client.refresh(HOLDER);
    expectDisabled(answer);
    await expect(logLine(answer)).resolves.toMatchObject({ refusal: 'DISABLED', check: 1 });
    const call = await client.call(HOLDER);
    expectDisabled(await client.send({ ...call, headers: { 'Content-Type': 'text/plain' } }));
    await expect((await client.get('/api/v1/issuer-keys')).json()).resolves.toEqual({ keys: [] });
    await expect(store.issuerKeys.listAll()).resolves.toEqual([]);
  });

  it('is logged once a minute, without a stack, however often a wallet calls', async () => {
    const { app, client } = await serve({ 'refresh.enabled': 'false', 'refresh.verificationKey': 'absent' });
    const call = await client.call(HOLDER);
    for (let count = 0; count < 25; count += 1) expectDisabled(await client.send(call));
    expect(app.logLines('refresh.disabled')).toEqual([
      expect.objectContaining({ level: 'info', msg: 'request', status: 503, refusal: 'DISABLED', check: 1 }),
    ]);
    expect(app.log()).not.toContain('"level":"error"');
    expect(app.log()).not.toContain('"stack"');
    clock += 60_000;
    expectDisabled(await client.send(call));
    expect(app.logLines('refresh.disabled')).toHaveLength(2);
    const metrics = await (await fetch(`${app.adminUrl}/metrics`)).text();
    expect(metrics).toContain('proofgate_refresh_refusals_total{package="unknown",error="DISABLED"} 26');
  });

  it('leaves the service ready', async () => {
    const { app } = await serve({ 'refresh.enabled': 'false', 'refresh.verificationKey': 'absent' });
    expect((await fetch(`${app.adminUrl}/health/ready`)).status).toBe(200);
  });
});

describe('a missing verifying key of refresh', () => {
  it('makes the service unready', async () => {
    const { app } = await serve({ 'refresh.verificationKey': 'absent' });
    const report = await fetch(`${app.adminUrl}/health/ready`);
    expect(report.status).toBe(503);
    await expect(report.text()).resolves.toContain('"keys"');
  });
});

describe('the stored switch', () => {
  it('takes effect in a running service within storage.cacheSeconds, both ways', async () => {
    const { client, store } = await serve({ 'storage.cacheSeconds': '5' });
    expect((await client.refresh(HOLDER)).status).toBe(200);
    await store.refreshGuards.switch(false, clock);
    clock += 5001;
    expectDisabled(await client.refresh(HOLDER));
    const call = await client.call(HOLDER);
    expectDisabled(await client.send({ ...call, headers: { 'Content-Type': 'text/plain' } }));
    const keys = (await (await client.get('/api/v1/issuer-keys')).json()) as { keys: unknown[] };
    expect(keys.keys).toHaveLength(1);
    await store.refreshGuards.switch(true, clock);
    clock += 5001;
    expect((await client.refresh(HOLDER)).status).toBe(200);
  });
});

describe('an unreachable store', () => {
  it('is answered with 503 TEMPORARILY_UNAVAILABLE and Retry-After, unless the setting disables refresh', async () => {
    for (const enabled of [true, false]) {
      const { client, store } = await serveOverStore(enabled);
      if (enabled) expect((await client.refresh(HOLDER)).status).toBe(200);
      await store.close();
      const answer = await client.refresh(HOLDER);
      if (!enabled) {
        expectDisabled(answer);
        continue;
      }
      expect(answer.body).toMatchObject({ success: false, error: 'TEMPORARILY_UNAVAILABLE' });
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toBe('5');
    }
  });
});

/** Serves the routes of refresh over a store that the test can close. */
async function serveOverStore(enabled: boolean): Promise<{ client: RefreshClient; store: Store }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'proofgate-switch-'));
  const { config } = await loadConfig({
    env: {},
    cwd: dataDir,
    flags: { profile: 'test', dataDir, ...REFRESH_SETTINGS, 'refresh.enabled': String(enabled) },
  });
  const store = await openMigratedStore(config.storage);
  await enrolHolders(store, [HOLDER], START);
  const engine = await createEngine({ ...config.engine, workers: 0 });
  const keys = createKeyRegistry({ engine, store, profile: config.profile, bindings: {} });
  const log = createLog({ ...config.log, level: 'silent' });
  const metrics = createMetrics();
  const parts = { config, store, engine, keys, limits: new Limits(), log, metrics, now: () => START };
  const refresh = await createRefreshParts(parts);
  const { port } = await openListener(refreshRoutesOf(refresh, parts));
  const client = await openRefreshClient(`http://127.0.0.1:${port}`);
  onTestFinished(async () => {
    await client.close();
    metrics.close();
    await engine.close();
    rmSync(dataDir, { recursive: true });
  });
  return { client, store };
}
