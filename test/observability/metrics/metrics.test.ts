// Rules: spec/operations.md#metrics
import { describe, expect, it, onTestFinished } from 'vitest';
import { readInto } from '../../../src/observability/metrics/instruments.ts';
import { METRIC_TABLE, type MetricKey, metricName } from '../../../src/observability/metrics/metric-table.ts';
import { createMetrics, type Metrics } from '../../../src/observability/metrics/metrics.ts';

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

  it('calls the readers of its parts at each exposition, and omits a gauge whose source fails', async () => {
    const metrics = metricsOfTest();
    let rows = async (): Promise<number> => 10;
    metrics.setReaders([
      (instruments) => instruments.ready.set(1),
      ({ storeRows }) =>
        readInto(
          storeRows,
          () => rows(),
          (gauge, count) => gauge.set({ table: 'apps' }, count),
        ),
    ]);
    const text = await metrics.exposition();
    expect(text).toContain('proofgate_ready 1\n');
    expect(text).toContain('proofgate_store_rows{table="apps"} 10\n');
    rows = () => Promise.reject(new Error('down'));
    expect(await metrics.exposition()).not.toContain('proofgate_store_rows{');
  });
});
