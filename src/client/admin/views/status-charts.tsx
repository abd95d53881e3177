import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Figures } from '../charts/figures.ts';
import { LineChart, type LineChartProps } from '../charts/line-chart.tsx';
import type { FeedPoint } from '../charts/live-feed.ts';
import { useView } from '../context.ts';
import { formatCount, formatFigure, formatLatency, formatShare } from '../parts/format.ts';

function figure(name: keyof Figures): (point: FeedPoint) => number | undefined {
  return ({ figures }) => figures?.[name];
}

const CHARTS: readonly Omit<LineChartProps, 'points'>[] = [
  {
    title: 'Throughput',
    series: [
      { name: 'verifications per second', valueAt: figure('verifyRate') },
      { name: 'sign-ins per second', valueAt: figure('signInRate') },
    ],
    ...{ format: formatFigure, floor: 1 },
  },
  {
    title: 'Latency of verifications',
    series: [
      { name: 'median', valueAt: figure('p50') },
      { name: '99th percentile', valueAt: figure('p99') },
    ],
    ...{ format: formatLatency, floor: 0.01 },
  },
  {
    title: 'Queue',
    series: [{ name: 'proofs waiting', valueAt: figure('queue') }],
    ...{ format: formatCount, floor: 10 },
  },
  {
    title: 'Open requests',
    series: [{ name: 'being served', valueAt: figure('open') }],
    ...{ format: formatCount, floor: 10 },
  },
  {
    title: 'Bad proofs',
    series: [{ name: 'of all proofs', valueAt: figure('badShare') }],
    ...{ format: formatShare, floor: 0.05 },
  },
  {
    title: 'Workers ready',
    series: [{ name: 'threads', valueAt: ({ readyWorkers }) => readyWorkers }],
    ...{ format: formatCount, floor: 2 },
  },
];

/** The live charts, which follow the metrics until the view is left. */
export function LiveCharts(): VNode {
  const { feed, signal } = useView();
  useEffect(() => feed.follow(signal), []);
  return (
    <section aria-labelledby="live-title" class="live">
      <div class="card-head">
        <h2 id="live-title">Live</h2>
        <p class="muted">Every 3 seconds from this node, while this tab is visible.</p>
      </div>
      <div class="charts">
        {CHARTS.map((chart) => (
          <LineChart {...chart} points={feed.points.value} />
        ))}
      </div>
    </section>
  );
}
