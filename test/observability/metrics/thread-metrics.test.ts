// Rules: spec/operations.md#metrics
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { MetricsSnapshot } from '../../../src/observability/metrics/merge-snapshots.ts';
import { createMetrics, type Metrics } from '../../../src/observability/metrics/metrics.ts';
import { ThreadMetrics } from '../../../src/observability/metrics/thread-metrics.ts';
import type { ThreadName } from '../../../src/observability/threads.ts';
import { type FrontEndThread, startFrontEnd } from '../support/front-end-threads.ts';

function metricsOf(thread?: ThreadName): Metrics {
  const metrics = createMetrics(thread);
  onTestFinished(() => metrics.close());
  return metrics;
}

const asked = (thread: FrontEndThread) => (): Promise<MetricsSnapshot> => thread.ask('snapshot', 'snapshot');

/** Returns the samples of a page as lines, without comments. */
function samplesOf(page: string): string[] {
  return page.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

const REUSES = 'proofgate_verify_nullifier_reuse_total{environment="production"}';

describe('the metrics of several threads', () => {
  it('are one page: sums of counters, histograms and loads, and facts of the main thread', async () => {
    const metrics = metricsOf('main');
    metrics.verifyNullifierReuseTotal.at('production').add(2);
    metrics.verifyNullifierReuseTotal.at('staging').add();
    metrics.verifyRootAgeSeconds.at('production', 'orb', 'true').observe(1);
    metrics.httpConnections.set({ listener: 'admin' }, 1);
    metrics.engineWorkers.set({ backend: 'native', state: 'ready' }, 1);
    const threads = new ThreadMetrics();
    for (const _ of [1, 2]) {
      const thread = await startFrontEnd(() => undefined);
      thread.tell('request');
      threads.add(asked(thread));
    }
    const page = await metrics.exposition(await threads.snapshots());
    const ages = 'environment="production",tree="orb",accepted="true"';
    expect(samplesOf(page)).toEqual(
      expect.arrayContaining([
        `${REUSES} 4`,
        'proofgate_verify_nullifier_reuse_total{environment="staging"} 1',
        `proofgate_verify_root_age_seconds_bucket{${ages},le="60"} 1`,
        `proofgate_verify_root_age_seconds_bucket{${ages},le="300"} 3`,
        `proofgate_verify_root_age_seconds_bucket{${ages},le="+Inf"} 3`,
        `proofgate_verify_root_age_seconds_sum{${ages}} 123`,
        `proofgate_verify_root_age_seconds_count{${ages}} 3`,
        'proofgate_http_connections{listener="public"} 4',
        'proofgate_http_connections{listener="admin"} 1',
        'proofgate_engine_workers{backend="native",state="ready"} 1',
        'proofgate_ready 0',
        expect.stringMatching(/^proofgate_event_loop_delay_seconds\{quantile="1",thread="main"\} /),
        expect.stringMatching(/^proofgate_event_loop_delay_seconds\{quantile="1",thread="front_end_1"\} /),
      ]),
    );
    for (const name of ['process_start_time_seconds', 'nodejs_heap_size_used_bytes']) {
      expect(page.match(new RegExp(`^# TYPE ${name} `, 'gm'))).toHaveLength(1);
      expect(page).toMatch(new RegExp(`^${name} `, 'm'));
    }
    // A page has each sample once, and is as long as that of one thread but for what the labels tell apart.
    const series = samplesOf(page).map((line) => line.slice(0, line.lastIndexOf(' ')));
    expect(new Set(series).size).toBe(series.length);
  });

  it('take the lowest of values of which the worst counts', async () => {
    const [main, frontEnd] = [metricsOf('main'), metricsOf('front_end_1')];
    for (const [metrics, isOk, expiry] of [
      [main, 1, 2000],
      [frontEnd, 0, 1000],
    ] as const) {
      metrics.healthCheckOk.set({ check: 'store' }, isOk);
      metrics.tlsCertificateExpiryTimestampSeconds.set(expiry);
    }
    const page = await main.exposition([await frontEnd.snapshot()]);
    expect(page).toContain('proofgate_health_check_ok{check="store"} 0\n');
    expect(page).toContain('proofgate_tls_certificate_expiry_timestamp_seconds 1000\n');
  });

  it('omit a gauge that no thread has', async () => {
    const page = await metricsOf('main').exposition([await metricsOf('front_end_1').snapshot()]);
    expect(samplesOf(page).join('\n')).not.toMatch(/^proofgate_(store_free_bytes|front_ends)/m);
  });

  it('has a thread answer without those of the process, which are the same in all', async () => {
    const names = (await metricsOf('front_end_1').snapshot()).map(({ name }) => name);
    expect(names.filter((name) => !name.startsWith('proofgate_'))).toEqual([]);
  });
});

describe('counters', () => {
  const pageOf = async (threads: ThreadMetrics): Promise<string> =>
    metricsOf('main').exposition(await threads.snapshots());

  it('do not fall when a thread hangs, and when it has ended and another one takes its place', async () => {
    const threads = new ThreadMetrics(500);
    const thread = await startFrontEnd(() => undefined);
    const ended = threads.add(asked(thread));
    thread.tell('request', 'request');
    expect(await pageOf(threads)).toContain(`${REUSES} 2\n`);
    thread.tell('hang');
    const late = await pageOf(threads);
    expect(late).toContain(`${REUSES} 2\n`);
    // Gauges are of now.
    expect(late).not.toContain('proofgate_http_connections{');
    await thread.terminate();
    ended();
    ended();
    expect(await pageOf(threads)).toContain(`${REUSES} 2\n`);
    const next = await startFrontEnd(() => undefined);
    const nextEnded = threads.add(asked(next));
    next.tell('request');
    const page = await pageOf(threads);
    expect(page).toContain(`${REUSES} 3\n`);
    expect(page).toContain('proofgate_http_connections{listener="public"} 2\n');
    next.tell('request');
    nextEnded(await asked(next)());
    expect(await pageOf(threads)).toContain(`${REUSES} 4\n`);
  });

  it('count a thread once that ends while it is asked', async () => {
    const frontEnd = metricsOf('front_end_1');
    frontEnd.verifyNullifierReuseTotal.at('production').add();
    const threads = new ThreadMetrics();
    let answer: (snapshot: MetricsSnapshot) => void = () => undefined;
    const ended = threads.add(() => new Promise((resolve) => (answer = resolve)));
    const page = pageOf(threads);
    ended(await frontEnd.snapshot());
    answer(await frontEnd.snapshot());
    expect(await page).toContain(`${REUSES} 1\n`);
  });

  it('ask a thread that has not answered only once, and do without one that cannot be asked', async () => {
    let asks = 0;
    const threads = new ThreadMetrics(1);
    threads.add(() => {
      asks++;
      return delay(60_000, [], { ref: false });
    });
    threads.add(() => Promise.reject(new Error('the port is closed')));
    await pageOf(threads);
    await pageOf(threads);
    expect(asks).toBe(1);
  });
});
