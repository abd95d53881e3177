import { describe, expect, it } from 'vitest';
import { figuresOf, readingOf } from '../../../src/client/admin/charts/figures.ts';
import {
  bucketsOf,
  parseMetrics,
  quantileBetween,
  sumOf,
} from '../../../src/client/admin/charts/prometheus.ts';
import { createMetrics } from '../../../src/observability/metrics/metrics.ts';

describe('the Prometheus text format', () => {
  it('is parsed with labels, escapes, time stamps, comments and special values', () => {
    const text = [
      '# HELP a_total What "it" counts.',
      '# TYPE a_total counter',
      'a_total 3',
      'a_total{route="/x",status="200"} 1.5e3 1700000000000',
      'a_total{text="quote \\" comma , brace } back \\\\ line\\n",} 7',
      'b +Inf',
      'b{x=""} -Inf',
      'c NaN',
      '',
    ].join('\n');
    expect(parseMetrics(text)).toEqual([
      { name: 'a_total', labels: {}, value: 3 },
      { name: 'a_total', labels: { route: '/x', status: '200' }, value: 1500 },
      { name: 'a_total', labels: { text: 'quote " comma , brace } back \\ line\n' }, value: 7 },
      { name: 'b', labels: {}, value: Number.POSITIVE_INFINITY },
      { name: 'b', labels: { x: '' }, value: Number.NEGATIVE_INFINITY },
      { name: 'c', labels: {}, value: Number.NaN },
    ]);
  });

  it.each(['a', 'a{', 'a{x} 1', 'a{x="1" 1', 'a{x="1"} one', '1a 2', 'a{x="1"y} 2', '{x="1"} 2'])(
    'a line "%s" is no sample',
    (line) => expect(parseMetrics(line)).toEqual([]),
  );

  it('is reduced to the wanted names', () => {
    expect(parseMetrics('a 1\nb 2', new Set(['b']))).toEqual([{ name: 'b', labels: {}, value: 2 }]);
  });

  it('adds up series by their labels', () => {
    const samples = parseMetrics('a{code="ok"} 1\na{code="bad"} 2\na{code="bad",x="1"} 4\nb 8');
    expect(sumOf(samples, 'a')).toBe(7);
    expect(sumOf(samples, 'a', ({ code }) => code === 'bad')).toBe(6);
    expect(sumOf(samples, 'none')).toBe(0);
  });
});

describe('a quantile between two readings', () => {
  const buckets = (...counts: readonly number[]) =>
    bucketsOf(
      parseMetrics(
        counts.map((count, index) => `h_bucket{le="${['0.1', '0.2', '+Inf'][index]}"} ${count}`).join('\n'),
      ),
      'h',
    );

  it('is interpolated within its bucket, as Prometheus does it', () => {
    expect(quantileBetween(0.5, [], buckets(10, 20, 20))).toBeCloseTo(0.1);
    expect(quantileBetween(0.75, [], buckets(10, 20, 20))).toBeCloseTo(0.15);
    expect(quantileBetween(0.25, [], buckets(10, 20, 20))).toBeCloseTo(0.05);
  });

  it('is of what came since the first reading only', () => {
    expect(quantileBetween(0.5, buckets(100, 100, 100), buckets(100, 110, 110))).toBeCloseTo(0.15);
  });

  it('is the last bound if it is above it, and undefined if nothing came', () => {
    expect(quantileBetween(0.99, [], buckets(0, 1, 10))).toBe(0.2);
    expect(quantileBetween(0.5, buckets(1, 2, 3), buckets(1, 2, 3))).toBeUndefined();
    expect(quantileBetween(0.5, [], [])).toBeUndefined();
  });

  it('adds up the buckets of all series', () => {
    const text = 'h_bucket{le="1",r="a"} 1\nh_bucket{le="1",r="b"} 2\nh_bucket{le="+Inf",r="a"} 4';
    expect(bucketsOf(parseMetrics(text), 'h')).toEqual([
      [1, 3],
      [Number.POSITIVE_INFINITY, 4],
    ]);
  });
});

describe('the figures of the charts', () => {
  it('follow from what the service exposes', async () => {
    const metrics = createMetrics();
    const read = async (at: number) => readingOf(await metrics.exposition(), at);
    const before = await read(1000);
    const status = { protocol: '3.0', kind: 'uniqueness' };
    for (const code of ['ok', 'ok', 'all_verifications_failed']) {
      metrics.verifyRequestsTotal.inc({ status: '200', code, ...status });
    }
    for (const code of ['ok', 'ok', 'ok', 'invalid_proof']) {
      metrics.verifyItemsTotal.inc({
        identifier: 'orb',
        environment: 'staging',
        code,
        backend: 'wasm',
        ...status,
      });
    }
    metrics.signinTransactionsTotal.inc({ result: 'begun' });
    metrics.signinTransactionsTotal.inc({ result: 'completed' });
    metrics.httpRequestDurationSeconds.at('/api/v4/verify/:rp_id', 'POST', '200').observe(0.004);
    metrics.httpRequestDurationSeconds.at('/token', 'POST', '200').observe(20);
    const figures = figuresOf(before, await read(3000));
    expect(figures).toMatchObject({ verifyRate: 1.5, signInRate: 0.5, queue: 0, badShare: 0.25 });
    expect(figures?.p99).toBeGreaterThan(0.0025);
    expect(figures?.p99).toBeLessThanOrEqual(0.005);
  });

  it('are absent across a restart, and where nothing was counted', () => {
    const reading = readingOf('proofgate_verify_requests_total 5', 0);
    expect(figuresOf(reading, { ...reading, at: 1000, verified: 4 })).toBeUndefined();
    expect(figuresOf(reading, reading)).toBeUndefined();
    expect(figuresOf(reading, { ...reading, at: 1000 })).toMatchObject({
      verifyRate: 0,
      badShare: undefined,
      p50: undefined,
    });
  });
});
