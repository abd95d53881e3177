// Rules: spec/operations.md#metrics
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Part } from '../../src/app/lifecycle.ts';
import { adminListenerPart, publicListenerPart } from '../../src/app/listeners/listener-parts.ts';
import { enginePart } from '../../src/app/parts/engine.ts';
import { createServiceHealth, healthPart } from '../../src/app/parts/health.ts';
import { keysPart } from '../../src/app/parts/keys.ts';
import { metricsPart } from '../../src/app/parts/metrics.ts';
import { storePart } from '../../src/app/parts/store.ts';
import { createWebhooksPart } from '../../src/app/parts/webhooks.ts';
import { Overload } from '../../src/http/limits/overload.ts';
import type { HttpServer } from '../../src/http/server.ts';
import type { Log } from '../../src/observability/log/log.ts';
import { createMetrics } from '../../src/observability/metrics/metrics.ts';
import type { Store } from '../../src/storage/store.ts';
import type { WebhooksParts } from '../../src/webhooks/deliverer.ts';

/** Lines that parts expose, again at each call. */
function linesOf(...parts: (Part | undefined)[]): () => Promise<string[]> {
  const metrics = createMetrics();
  onTestFinished(() => metrics.close());
  metrics.setReaders(parts.flatMap((part) => part?.metrics ?? []));
  return async () => (await metrics.exposition()).split('\n');
}

const down = (): Promise<never> => Promise.reject(new Error('down'));

/** The store, of which a test says what it holds. */
function storeWith(store: object, url = 'libsql:data/proofgate.db'): Part {
  const nothing = {
    rowCounts: async () => ({}),
    size: async () => ({ databaseBytes: 1, freeBytes: undefined }),
    roots: { listCurrent: async () => [] },
    worldId4Keys: { countKeys: async () => [] },
    backups: { last: async () => undefined },
  };
  const config = { storage: { url } } as Parameters<typeof storePart>[0]['config'];
  return storePart({ config, store: Object.setPrototypeOf(store, nothing) as Store, now: () => 61_000 });
}

function listener(certificateExpiresAt?: number): HttpServer {
  const load = { serving: 2, unfinished: 3, bodyBytes: 4096, connections: 7 };
  const library = { kind: 'uws', package: 'uws-pack', version: '20.0.8' };
  return { certificateExpiresAt, library, load: () => load } as unknown as HttpServer;
}

const publicPart = (certificateExpiresAt?: number): Part =>
  publicListenerPart(listener(certificateExpiresAt), { drainDelayMs: 0, timeoutMs: 0 }, {
    info: () => undefined,
  } as unknown as Log);

describe('metrics of the parts of the service', () => {
  it('have the current counts of the engine', async () => {
    let stats = {
      backend: 'native',
      arithmetic: 'adx',
      workers: 4,
      readyWorkers: 3,
      queueDepth: 3,
      brokenBatches: 2,
      workerRestarts: 1,
      queueWaitSeconds: { bounds: [0.001, 0.01], counts: [4, 6, 7], sum: 0.5, count: 7 },
      batchSize: { bounds: [1, 8], counts: [2, 3, 3], sum: 9, count: 3 },
    };
    type EngineOfPart = Parameters<typeof enginePart>[0];
    const lines = linesOf(enginePart({ stats: () => stats } as unknown as EngineOfPart));
    expect(await lines()).toEqual(
      expect.arrayContaining([
        'proofgate_engine_queue_depth{backend="native"} 3',
        'proofgate_engine_workers{backend="native",state="configured"} 4',
        'proofgate_engine_workers{backend="native",state="ready"} 3',
        'proofgate_engine_broken_batches_total{backend="native"} 2',
        'proofgate_engine_worker_restarts_total{backend="native"} 1',
        'proofgate_engine_backend_info{backend="native",arithmetic="adx"} 1',
        'proofgate_engine_queue_wait_seconds_bucket{backend="native",le="0.001"} 4',
        'proofgate_engine_queue_wait_seconds_bucket{backend="native",le="0.01"} 6',
        'proofgate_engine_queue_wait_seconds_bucket{backend="native",le="+Inf"} 7',
        'proofgate_engine_queue_wait_seconds_sum{backend="native"} 0.5',
        'proofgate_engine_queue_wait_seconds_count{backend="native"} 7',
        'proofgate_engine_batch_size_bucket{backend="native",le="8"} 3',
      ]),
    );
    stats = { ...stats, backend: 'wasm', workerRestarts: 1 };
    const next = (await lines()).join('\n');
    expect(next).toContain('proofgate_engine_worker_restarts_total{backend="wasm"} 1\n');
    expect(next).not.toContain('backend="native"');
  });

  it('have rows, ages and open exchanges, and omit the values of a failing source', async () => {
    const content = {
      rowCounts: async () => ({ nullifiers: 10 }),
      roots: {
        listCurrent: async () => [
          { environment: 'production', tree: 'orb', source: 'import', receivedAt: 1000 },
        ],
      },
      worldId4Keys: { countKeys: async () => [{ environment: 'staging', table: 'issuers4', count: 3 }] },
    };
    const lines = linesOf(publicPart(), adminListenerPart(listener()), storeWith(content));
    expect(await lines()).toEqual(
      expect.arrayContaining([
        'proofgate_worldid4_keys{environment="staging",table="issuers4"} 3',
        'proofgate_http_open_exchanges{listener="public"} 2',
        'proofgate_http_open_exchanges{listener="admin"} 2',
        'proofgate_http_unfinished_exchanges{listener="public"} 3',
        'proofgate_http_body_bytes{listener="public"} 4096',
        'proofgate_http_connections{listener="public"} 7',
        'proofgate_http_library_info{library="uws",package="uws-pack",version="20.0.8"} 1',
        'proofgate_store_rows{table="nullifiers"} 10',
        'proofgate_roots_current_age_seconds{environment="production",tree="orb",source="import"} 60',
      ]),
    );
    content.rowCounts = down;
    expect((await lines()).join('\n')).not.toContain('proofgate_store_rows{');
  });

  it('have build, limits, readiness, and what the store, its disk and the outbox hold', async () => {
    const config = {
      profile: 'production',
      engine: { maxQueue: 4096 },
      http: { maxOpenExchanges: 1, maxUnfinished: 2, maxBodyBytes: 3 },
    } as unknown as Parameters<typeof metricsPart>[1];
    const health = createServiceHealth({
      checks: {
        store: () => undefined,
        engine() {
          throw new Error('none');
        },
        roots: { report: () => ({ status: 'off' }), isBlocking: () => false },
      },
      overload: new Overload(),
      log: { warn: () => undefined } as unknown as Log,
    });
    await health.refresh();
    const webhooks = {
      config: { url: 'https://receiver.example', secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'] },
      outbox: { counts: async () => ({ pending: 2, dead: 1, oldestPendingAt: 10_000 }) },
      now: () => 100_000,
    } as unknown as WebhooksParts;
    const lines = await linesOf(
      metricsPart({ close: () => undefined }, config),
      healthPart(health),
      storeWith({
        size: async () => ({ databaseBytes: 8192, logBytes: 4096, freeBytes: 1e9 }),
        backups: { last: async () => ({ finishedAt: 1_700_000_000_500 }) },
      }),
      publicPart(1_800_000_000_000),
      createWebhooksPart(webhooks),
    )();
    expect(lines).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^proofgate_build_info\{version="\d.*",node="\d.*",profile="production"\} 1$/),
        'proofgate_limit{setting="engine.maxQueue"} 4096',
        'proofgate_limit{setting="http.maxBodyBytes"} 3',
        'proofgate_webhooks_unsent{state="pending"} 2',
        'proofgate_webhooks_unsent{state="dead"} 1',
        'proofgate_webhooks_oldest_seconds 90',
        'proofgate_ready 0',
        'proofgate_health_check_ok{check="store"} 1',
        'proofgate_health_check_ok{check="engine"} 0',
        'proofgate_store_bytes{part="database"} 8192',
        'proofgate_store_bytes{part="log"} 4096',
        'proofgate_store_free_bytes 1000000000',
        'proofgate_backup_last_timestamp_seconds 1700000000.5',
        'proofgate_tls_certificate_expiry_timestamp_seconds 1800000000',
      ]),
    );
    // It has no state that passes or fails.
    expect(lines.join('\n')).not.toContain('check="roots"');
  });

  it('omit times and sizes that are unknown, as 0 would be an alarm', async () => {
    const unknown =
      /^proofgate_(store_bytes|store_free_bytes|backup_last\w+|tls_certificate\w+|webhooks_\w+)[ {]/m;
    const content = {
      size: async () => ({ databaseBytes: 1, freeBytes: 1 }),
      backups: { last: async (): Promise<{ finishedAt: number } | undefined> => ({ finishedAt: 1 }) },
    };
    const lines = linesOf(storeWith(content), publicPart());
    expect((await lines()).join('\n')).toMatch(unknown);
    content.size = down;
    content.backups.last = down;
    expect((await lines()).join('\n')).not.toMatch(unknown);
    content.backups.last = async () => undefined;
    expect(await lines()).toContain('proofgate_backup_last_timestamp_seconds 0');
    const shared = await linesOf(storeWith(content, 'postgres://database.example/proofgate'))();
    expect(shared.join('\n')).not.toMatch(unknown);
  });

  it('have the age of each signing key, of retired ones only the oldest, and omit missing rotation times', async () => {
    const key = { use: 'signin', state: 'retired' };
    let ages = async () => [
      { use: 'signin', state: 'active', ageSeconds: 100, endsInSeconds: 900 },
      { use: 'signin', state: 'next', ageSeconds: 100, endsInSeconds: undefined },
      { ...key, ageSeconds: 70, endsInSeconds: 30 },
      { ...key, ageSeconds: 90, endsInSeconds: 10 },
      { ...key, ageSeconds: 80, endsInSeconds: 20 },
    ];
    const signingKeys = { ages: () => ages() } as unknown as Parameters<typeof keysPart>[0]['signingKeys'];
    const credentialKeys = { check: async () => undefined, ages: async () => [] };
    const lines = linesOf(keysPart({ signingKeys, credentialKeys, keyErrors: [] }));
    expect((await lines()).filter((line) => line.startsWith('proofgate_key_'))).toEqual([
      'proofgate_key_age_seconds{use="signin",state="retired"} 90',
      'proofgate_key_age_seconds{use="signin",state="active"} 100',
      'proofgate_key_age_seconds{use="signin",state="next"} 100',
      'proofgate_key_next_rotation_seconds{use="signin",state="retired"} 10',
      'proofgate_key_next_rotation_seconds{use="signin",state="active"} 900',
    ]);
    ages = down;
    expect((await lines()).filter((line) => line.startsWith('proofgate_key_'))).toEqual([]);
  });
});
