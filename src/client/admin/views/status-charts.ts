import { element } from '../../dom.ts';
import type { Figures } from '../charts/figures.ts';
import { type LineChart, lineChart } from '../charts/line-chart.ts';
import type { FeedPoint } from '../charts/live-feed.ts';
import type { ViewContext } from '../context.ts';
import { formatCount, formatFigure, formatLatency, formatShare } from '../parts/format.ts';

const IDLE = 'none yet';

function figure(name: keyof Figures): (point: FeedPoint) => number | undefined {
  return ({ figures }) => figures?.[name];
}

/** Creates the live charts, which follow the metrics until the view is left. */
export function liveCharts({ feed, signal }: ViewContext): HTMLElement {
  const charts: LineChart[] = [
    lineChart({
      title: 'Throughput',
      series: [
        { name: 'verifications per second', valueAt: figure('verifyRate') },
        { name: 'sign-ins per second', valueAt: figure('signInRate') },
      ],
      ...{ format: formatFigure, floor: 1, idle: IDLE },
    }),
    lineChart({
      title: 'Latency of verifications',
      series: [
        { name: 'median', valueAt: figure('p50') },
        { name: '99th percentile', valueAt: figure('p99') },
      ],
      ...{ format: formatLatency, floor: 0.01, idle: IDLE },
    }),
    lineChart({
      title: 'Queue',
      series: [{ name: 'proofs waiting', valueAt: figure('queue') }],
      ...{ format: formatCount, floor: 10, idle: IDLE },
    }),
    lineChart({
      title: 'Open requests',
      series: [{ name: 'being served', valueAt: figure('open') }],
      ...{ format: formatCount, floor: 10, idle: IDLE },
    }),
    lineChart({
      title: 'Bad proofs',
      series: [{ name: 'of all proofs', valueAt: figure('badShare') }],
      ...{ format: formatShare, floor: 0.05, idle: IDLE },
    }),
    lineChart({
      title: 'Workers ready',
      series: [{ name: 'threads', valueAt: ({ readyWorkers }) => readyWorkers }],
      ...{ format: formatCount, floor: 2, idle: IDLE },
    }),
  ];
  const note = element('p', { class: 'muted' }, 'Every 3 seconds from this node, while this tab is visible.');
  const node = element(
    'section',
    { 'aria-labelledby': 'live-title', class: 'live' },
    element('div', { class: 'card-head' }, element('h2', { id: 'live-title' }, 'Live'), note),
    element('div', { class: 'charts' }, ...charts.map((chart) => chart.node)),
  );
  feed.follow(() => {
    for (const chart of charts) chart.draw(feed.points);
  }, signal);
  return node;
}
