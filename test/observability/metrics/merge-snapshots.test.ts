// Rules: spec/operations.md#metrics
import { AggregatorRegistry } from 'prom-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type ExposedMetric,
  type MetricsSnapshot,
  mergeSnapshots,
  totalsOf,
} from '../../../src/observability/metrics/merge-snapshots.ts';
import { createMetrics } from '../../../src/observability/metrics/metrics.ts';

/** Returns the snapshot of a thread with counters, histograms with and without labels, and gauges. */
async function snapshotWith(status: string, amount: number): Promise<MetricsSnapshot> {
  const metrics = createMetrics('front_end_1');
  onTestFinished(() => metrics.close());
  metrics.verifyRequestsTotal.at(status, 'ok', '3.0', 'session').add(amount);
  metrics.verifyRequestsTotal.inc({ code: 'ok', kind: 'session', protocol: '4.0', status: '200' }, amount);
  metrics.codeReplayTotal.inc(amount);
  metrics.httpRequestDurationSeconds.at('/token', 'POST', status).observe(amount);
  metrics.nullifierCommitRows.observe(amount);
  metrics.httpConnections.set({ listener: 'public' }, amount);
  metrics.limit.set({ setting: `of ${status}` }, amount);
  metrics.limit.set({ setting: 'of both' }, amount);
  metrics.reloadUnusedChanges.set({ reason: 'restart' }, amount);
  metrics.healthCheckOk.set({ check: 'store' }, amount);
  return metrics.snapshot();
}

const find = (snapshot: MetricsSnapshot, name: string): ExposedMetric =>
  snapshot.find((metric) => metric.name === `proofgate_${name}`) as ExposedMetric;

describe('merged snapshots', () => {
  it('have the sums that prom-client has', async () => {
    const snapshots = [
      await snapshotWith('200', 1),
      await snapshotWith('400', 2),
      await snapshotWith('200', 3),
    ];
    const expected = await AggregatorRegistry.aggregate(
      snapshots.map(totalsOf) as object[],
    ).getMetricsAsJSON();
    const merged = totalsOf(mergeSnapshots(snapshots));
    const shown = (metrics: MetricsSnapshot): unknown =>
      metrics.map(({ name, type, values }) => [name, type, values]);
    expect(shown(merged)).toEqual(shown(expected as unknown as MetricsSnapshot));
    expect(find(merged, 'code_replay_total').values).toMatchObject([{ value: 6 }]);
  });

  it('have the gauges that the metric table asks for', async () => {
    const merged = mergeSnapshots([await snapshotWith('200', 2), await snapshotWith('400', 3)]);
    const valuesOf = (name: string): unknown => find(merged, name).values.map(({ value }) => value);
    expect(valuesOf('http_connections')).toEqual([5]);
    expect(valuesOf('reload_unused_changes')).toEqual([3]);
    expect(valuesOf('health_check_ok')).toEqual([2]);
    expect(find(merged, 'limit').values).toEqual([
      { labels: { setting: 'of 200' }, value: 2 },
      { labels: { setting: 'of both' }, value: 2 },
      { labels: { setting: 'of 400' }, value: 3 },
    ]);
  });

  it('take a series for the same in whatever order its labels are', async () => {
    const [snapshot] = [await snapshotWith('200', 1)];
    const turned = snapshot.map((metric) => ({
      ...metric,
      values: metric.values.map((sample) => ({
        ...sample,
        labels: Object.fromEntries(Object.entries(sample.labels).reverse()),
      })),
    }));
    const merged = mergeSnapshots([snapshot, turned]);
    expect(find(merged, 'verify_requests_total').values).toHaveLength(2);
  });
});
