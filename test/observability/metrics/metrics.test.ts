// Rules: spec/operations.md#metrics
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createMetrics,
  METRIC_TABLE,
  type MetricKey,
  type Metrics,
  metricName,
} from '../../../src/observability/index.ts';

function metricsOfTest(): Metrics {
  const metrics = createMetrics();
  onTestFinished(() => metrics.close());
  return metrics;
}

const KEYS = Object.keys(METRIC_TABLE) as MetricKey[];

describe('the metric table', () => {
  it.each(KEYS)('%s has a help text, a unit, an alert and a conventional name', (key) => {
    const spec = METRIC_TABLE[key];
    expect(spec.help).toMatch(/^[A-Z].*\.$/);
    expect(spec.unit).not.toBe('');
    expect(spec.alert).not.toBe('');
    expect(metricName(key)).toMatch(/^proofgate_[a-z0-9_]+$/);
    expect(metricName(key).endsWith('_total')).toBe(spec.type === 'counter');
  });

  it('spells names as the specification does', () => {
    expect(metricName('verifyIntegrityBundleIgnoredTotal')).toBe(
      'proofgate_verify_integrity_bundle_ignored_total',
    );
  });
});

describe('createMetrics', () => {
  it('exposes every row with its type and help text', async () => {
    const text = await metricsOfTest().exposition();
    for (const key of KEYS) {
      expect(text).toContain(`# HELP ${metricName(key)} ${METRIC_TABLE[key].help}`);
      expect(text).toContain(`# TYPE ${metricName(key)} ${METRIC_TABLE[key].type}`);
    }
    for (const name of [
      'process_cpu_user_seconds_total',
      'nodejs_gc_duration_seconds',
      'nodejs_heap_size_used_bytes',
    ]) {
      expect(text).toContain(`\n# HELP ${name} `);
      expect(text).not.toContain(`proofgate_${name}`);
    }
  });

  it('refuses a label that the table does not have', () => {
    const metrics = metricsOfTest();
    const labels = { client: 'app_1' } as unknown as { status: string };
    expect(() => metrics.verifyRequestsTotal.inc(labels)).toThrow('client');
  });

  it('adds counts by cells and by labels to the same values', async () => {
    const metrics = metricsOfTest();
    const cell = metrics.verifyRequestsTotal.at('200', 'ok', '3.0', 'uniqueness');
    cell.add();
    cell.add(2);
    metrics.verifyRequestsTotal.at('400', 'ok', '3.0', 'uniqueness').add();
    metrics.verifyRequestsTotal.inc({ status: '200', code: 'ok', protocol: '3.0', kind: 'uniqueness' });
    expect(await metrics.exposition()).toContain(
      'proofgate_verify_requests_total{status="200",code="ok",protocol="3.0",kind="uniqueness"} 4\n',
    );
    metrics.verifyRequestsTotal.at('200', 'ok', '3.0', 'uniqueness').add();
    const lines = (await metrics.exposition()).split('\n');
    expect(lines).toContain(
      'proofgate_verify_requests_total{status="200",code="ok",protocol="3.0",kind="uniqueness"} 5',
    );
    expect(lines).toContain(
      'proofgate_verify_requests_total{status="400",code="ok",protocol="3.0",kind="uniqueness"} 1',
    );
  });

  it('exposes a histogram with cumulative buckets, like Prometheus', async () => {
    const metrics = metricsOfTest();
    const ages = metrics.verifyRootAgeSeconds.at('production', 'orb', 'true');
    for (const seconds of [60, 61, 604_800, 604_801]) ages.observe(seconds);
    const lines = (await metrics.exposition()).split('\n');
    const labels = 'environment="production",tree="orb",accepted="true"';
    const name = 'proofgate_verify_root_age_seconds';
    for (const [bound, count] of [
      ['60', 1],
      ['300', 2],
      ['259200', 2],
      ['604800', 3],
      ['+Inf', 4],
    ]) {
      expect(lines).toContain(`${name}_bucket{${labels},le="${bound}"} ${count}`);
    }
    expect(lines).toContain(`${name}_sum{${labels}} ${60 + 61 + 604_800 + 604_801}`);
    expect(lines).toContain(`${name}_count{${labels}} 4`);
  });

  it('exposes a histogram without labels before its first value', async () => {
    const metrics = metricsOfTest();
    expect(await metrics.exposition()).toContain('proofgate_nullifier_commit_rows_count 0\n');
    metrics.nullifierCommitRows.observe(3);
    expect(await metrics.exposition()).toContain('proofgate_nullifier_commit_rows_sum 3\n');
  });

  it('keeps the registries of two services separate', async () => {
    const [first, second] = [metricsOfTest(), metricsOfTest()];
    first.verifyNullifierReuseTotal.inc({ environment: 'production' });
    expect(await second.exposition()).not.toContain('proofgate_verify_nullifier_reuse_total{');
  });

  it('exposes the current counts of the engine', async () => {
    const metrics = metricsOfTest();
    const sample = {
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
    metrics.setSources({ engine: () => sample });
    const text = await metrics.exposition();
    for (const line of [
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
    ]) {
      expect(text.split('\n')).toContain(line);
    }
    metrics.setSources({ engine: () => ({ ...sample, backend: 'wasm', workerRestarts: 1 }) });
    const next = await metrics.exposition();
    expect(next).toContain('proofgate_engine_worker_restarts_total{backend="wasm"} 1\n');
    expect(next).not.toContain('backend="native"');
  });

  it('reads rows, ages and open exchanges, and omits the values of a failing source', async () => {
    const metrics = metricsOfTest();
    metrics.setSources({
      listeners: () => ({
        public: { serving: 2, unfinished: 3, bodyBytes: 4096, connections: 7 },
        admin: { serving: 1, unfinished: 0, bodyBytes: 0, connections: 1 },
      }),
      storeRows: async () => ({ nullifiers: 10 }),
      rootAges: async () => [{ environment: 'production', tree: 'orb', source: 'import', ageSeconds: 60 }],
      worldId4Keys: async () => [{ environment: 'staging', table: 'issuers4', count: 3 }],
    });
    const text = await metrics.exposition();
    expect(text).toContain('proofgate_worldid4_keys{environment="staging",table="issuers4"} 3\n');
    expect(text).toContain('proofgate_http_open_exchanges{listener="public"} 2\n');
    expect(text).toContain('proofgate_store_rows{table="nullifiers"} 10\n');
    expect(text).toContain(
      'proofgate_roots_current_age_seconds{environment="production",tree="orb",source="import"} 60\n',
    );
    metrics.setSources({ storeRows: () => Promise.reject(new Error('down')) });
    expect(await metrics.exposition()).not.toContain('proofgate_store_rows{');
  });

  it('exposes build, limits, readiness, stale sources, and what the store and its disk hold', async () => {
    const metrics = metricsOfTest();
    metrics.setSources({
      build: { version: '1.2.3', node: '20.19.0', profile: 'production' },
      limits: { 'engine.maxQueue': 4096 },
      readiness: () => ({ isReady: true, checks: { store: true, engine: false } }),
      rootSources: () => [
        { source: 'a', status: 'stale', lagSeconds: 7200, backfillBlocksLeft: 0 },
        { source: 'b', status: 'ok', lagSeconds: 1, backfillBlocksLeft: 0 },
      ],
      storeSize: async () => ({ parts: { database: 8192, log: 4096 }, freeBytes: 1e9 }),
      lastBackupAt: async () => 1_700_000_000_500,
      certificateExpiresAt: 1_800_000_000_000,
      webhooks: async () => ({ pending: 2, dead: 1, oldestSeconds: 90 }),
    });
    const lines = (await metrics.exposition()).split('\n');
    for (const line of [
      'proofgate_build_info{version="1.2.3",node="20.19.0",profile="production"} 1',
      'proofgate_limit{setting="engine.maxQueue"} 4096',
      'proofgate_webhooks_unsent{state="pending"} 2',
      'proofgate_webhooks_unsent{state="dead"} 1',
      'proofgate_webhooks_oldest_seconds 90',
      'proofgate_ready 1',
      'proofgate_health_check_ok{check="store"} 1',
      'proofgate_health_check_ok{check="engine"} 0',
      'proofgate_roots_source_stale{source="a"} 1',
      'proofgate_roots_source_stale{source="b"} 0',
      'proofgate_store_bytes{part="database"} 8192',
      'proofgate_store_bytes{part="log"} 4096',
      'proofgate_store_free_bytes 1000000000',
      'proofgate_backup_last_timestamp_seconds 1700000000.5',
      'proofgate_tls_certificate_expiry_timestamp_seconds 1800000000',
    ]) {
      expect(lines).toContain(line);
    }
  });

  it('omits times and sizes that are unknown, as 0 would be an alarm', async () => {
    const metrics = metricsOfTest();
    const unknown =
      /^proofgate_(store_bytes|store_free_bytes|backup_last\w+|tls_certificate\w+|webhooks_\w+)[ {]/m;
    expect(await metrics.exposition()).not.toMatch(unknown);
    metrics.setSources({
      storeSize: async () => ({ parts: { database: 1 }, freeBytes: 1 }),
      lastBackupAt: async () => 1,
      certificateExpiresAt: 1,
    });
    expect(await metrics.exposition()).toMatch(unknown);
    metrics.setSources({
      storeSize: () => Promise.reject(new Error('down')),
      lastBackupAt: () => Promise.reject(new Error('down')),
    });
    expect(await metrics.exposition()).not.toMatch(unknown);
    metrics.setSources({ lastBackupAt: async () => 0 });
    expect(await metrics.exposition()).toContain('proofgate_backup_last_timestamp_seconds 0\n');
  });

  it('exposes the age of each signing key, of retired ones only the oldest, and omits missing rotation times', async () => {
    const metrics = metricsOfTest();
    const key = { use: 'signin', state: 'retired' };
    metrics.setSources({
      keyAges: async () => [
        { use: 'signin', state: 'active', ageSeconds: 100, endsInSeconds: 900 },
        { use: 'signin', state: 'next', ageSeconds: 100, endsInSeconds: undefined },
        { ...key, ageSeconds: 70, endsInSeconds: 30 },
        { ...key, ageSeconds: 90, endsInSeconds: 10 },
        { ...key, ageSeconds: 80, endsInSeconds: 20 },
      ],
    });
    const lines = (await metrics.exposition())
      .split('\n')
      .filter((line) => line.startsWith('proofgate_key_'));
    expect(lines).toEqual([
      'proofgate_key_age_seconds{use="signin",state="retired"} 90',
      'proofgate_key_age_seconds{use="signin",state="active"} 100',
      'proofgate_key_age_seconds{use="signin",state="next"} 100',
      'proofgate_key_next_rotation_seconds{use="signin",state="retired"} 10',
      'proofgate_key_next_rotation_seconds{use="signin",state="active"} 900',
    ]);
    metrics.setSources({ keyAges: () => Promise.reject(new Error('down')) });
    expect(await metrics.exposition()).not.toContain('proofgate_key_age_seconds{');
    expect(await metrics.exposition()).not.toContain('proofgate_key_next_rotation_seconds{');
  });
});
