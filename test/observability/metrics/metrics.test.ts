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
    expect(text).toContain('proofgate_process_cpu_user_seconds_total');
    expect(text).toContain('proofgate_nodejs_gc_duration_seconds');
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
