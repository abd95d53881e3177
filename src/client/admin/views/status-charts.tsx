import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Figures } from '../charts/figures.ts';
import { LineChart, type LineChartProps, type Series } from '../charts/line-chart.tsx';
import { useView } from '../context.ts';
import { formatCount, formatFigure, formatLatency, formatShare } from '../parts/format.ts';

function figure(name: string, figures: keyof Figures): Series {
  return { name, valueAt: (point) => point.figures?.[figures] };
}

const CHARTS: readonly Omit<LineChartProps, 'points'>[] = [
  {
    title: 'Throughput',
    format: formatFigure,
    floor: 1,
    series: [figure('verifications per second', 'verifyRate'), figure('sign-ins per second', 'signInRate')],
  },
  {
    title: 'Latency of verifications',
    format: formatLatency,
    floor: 0.01,
    series: [figure('median', 'p50'), figure('99th percentile', 'p99')],
  },
  { title: 'Queue', format: formatCount, floor: 10, series: [figure('proofs waiting', 'queue')] },
  { title: 'Open requests', format: formatCount, floor: 10, series: [figure('being served', 'open')] },
  { title: 'Bad proofs', format: formatShare, floor: 0.05, series: [figure('of all proofs', 'badShare')] },
  {
    title: 'Workers ready',
    format: formatCount,
    floor: 2,
    series: [{ name: 'threads', valueAt: ({ readyWorkers }) => readyWorkers }],
  },
];

/** The live charts, which follow the metrics until the view is left. */
export function LiveCharts(): VNode {
  const { feed, signal } = useView();
  useEffect(() => feed.follow(signal), []);
  const points = feed.points.value;
  return (
    <section aria-labelledby="live-title" class="live">
      <div class="card-head">
        <h2 id="live-title">Live</h2>
        <p class="muted">Every 3 seconds from this node, while this tab is visible.</p>
      </div>
      <div class="charts">
        {CHARTS.map((chart) => (
          <LineChart {...chart} points={points} />
        ))}
      </div>
    </section>
  );
}
