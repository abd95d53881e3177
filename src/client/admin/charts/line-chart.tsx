import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { formatExact, formatRelative } from '../parts/format.ts';
import { amounts, type Column, head, table } from '../parts/table.tsx';
import { axis, picture, reading } from './bar-chart.tsx';
import { FEED_POINTS, type FeedPoint } from './live-feed.ts';
import { linePath, niceCeiling } from './scale.ts';

const [WIDTH, HEIGHT] = [400, 100];
const TABLE_ROWS = 20;
const STEP = WIDTH / (FEED_POINTS - 1);
/** Shown instead of a value when nothing was counted. */
const IDLE = 'none yet';

/** One line of a chart. */
export interface Series {
  readonly name: string;
  readonly valueAt: (point: FeedPoint) => number | undefined;
}

/** Parts of a chart. */
export interface LineChartProps {
  readonly title: string;
  /** One or two; the first is the accented one. */
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  /** Least value of the upper edge, so that a quiet service does not draw its noise over the whole height. */
  readonly floor: number;
  readonly points: readonly FeedPoint[];
}

/** A chart with the current values next to its title, and a table of the last ones on demand. */
export function LineChart({ title, series, format, floor, points }: LineChartProps): VNode {
  const id = `chart-${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`;
  const svg = useRef<SVGSVGElement>(null);
  /** Point under the pointer; the last one if undefined. */
  const [picked, setPicked] = useState<number>();
  const [isOpen, setOpen] = useState(false);
  const point = points[picked ?? points.length - 1];
  const textOf = (value: number | undefined): string => (value === undefined ? IDLE : format(value));
  const values = series.map(({ valueAt }) => points.map(valueAt));
  const peak = Math.max(floor, ...values.flat().filter((value) => value !== undefined));
  const top = niceCeiling(peak);
  const paths = values.map((list) =>
    linePath(list, { slots: FEED_POINTS, width: WIDTH, height: HEIGHT, top }),
  );
  const first = FEED_POINTS - points.length;
  const isWhole = paths[0] !== '' && values[0]?.every((value) => value !== undefined);
  const area = isWhole ? `${paths[0]}L${WIDTH} ${HEIGHT}L${(first * STEP).toFixed(1)} ${HEIGHT}Z` : '';
  const marker = picked === undefined ? '' : `M${((first + picked) * STEP).toFixed(1)} 0V${HEIGHT}`;
  const pick = ({ clientX }: PointerEvent): void => {
    const { left = 0, width = 1 } = svg.current?.getBoundingClientRect() ?? {};
    const index = Math.round(((clientX - left) / width) * (FEED_POINTS - 1)) - first;
    setPicked(index >= 0 && index < points.length ? index : undefined);
  };
  const columns: readonly Column<FeedPoint>[] = [
    head('Time', ({ time }) => formatExact(time)),
    ...series.map(({ name, valueAt }) => amounts(name, (one: FeedPoint) => textOf(valueAt(one)))),
  ];
  const readings = series.map(({ name, valueAt }, index) => (
    <span class="reading">{reading(index, textOf(point && valueAt(point)), name)}</span>
  ));
  const lines = paths.map((path, index) => <path class={`line line-${index}`} d={path} />).reverse();
  const shapes = [<path class="area" d={area} />, lines, <path class="marker" d={marker} />];
  const parts = { caption: `${title}, latest values`, columns };
  return (
    <section class="chart" aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      <p class="readings">{readings}</p>
      <div class="plot" onPointerMove={pick} onPointerLeave={() => setPicked(undefined)}>
        <span class="axis-top">{format(top)}</span>
        {picture([WIDTH, HEIGHT], shapes, svg)}
      </div>
      {axis('5 minutes ago', picked === undefined || !point ? 'now' : formatRelative(point.time, Date.now()))}
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>Values</summary>
        <div>{isOpen && table(parts, points.slice(-TABLE_ROWS).reverse())}</div>
      </details>
    </section>
  );
}
