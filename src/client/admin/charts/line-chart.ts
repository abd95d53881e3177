import { element } from '../../dom.ts';
import { formatExact, formatRelative } from '../parts/format.ts';
import { table } from '../parts/table.ts';
import { FEED_POINTS, type FeedPoint } from './live-feed.ts';
import { linePath, niceCeiling, svg } from './svg.ts';

const [WIDTH, HEIGHT] = [400, 100];
const TABLE_ROWS = 20;

/** One line of a chart. */
export interface Series {
  readonly name: string;
  readonly valueAt: (point: FeedPoint) => number | undefined;
}

/** Settings of a chart. */
export interface LineChartParts {
  readonly title: string;
  /** One or two; the first is the accented one. */
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  /** Least value of the upper edge, so that a quiet service does not draw its noise over the whole height. */
  readonly floor: number;
  /** Shown instead of a value when nothing was counted. */
  readonly idle: string;
}

/** A chart that is drawn again in place. */
export interface LineChart {
  readonly node: HTMLElement;
  draw(points: readonly FeedPoint[]): void;
}

/** Creates a chart with the current values beside its title, and a table of the last ones on demand. */
export function lineChart({ title, series, format, floor, idle }: LineChartParts): LineChart {
  const id = `chart-${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`;
  const lines = series.map((_, index) => svg('path', { class: `line line-${index}` }));
  const area = svg('path', { class: 'area' });
  const marker = svg('path', { class: 'marker' });
  const grid = [0, 0.5, 1].map((share) => svg('path', { class: 'grid', d: `M0 ${HEIGHT * share}H${WIDTH}` }));
  const picture = svg(
    'svg',
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    ...[...grid, area, ...[...lines].reverse(), marker],
  );
  const [top, when] = [element('span', { class: 'axis-top' }), element('span', { class: 'when' }, 'now')];
  const values = series.map(() => element('span', { class: 'value' }, idle));
  const current = series.map(({ name }, index) => {
    const mark = element('span', { class: `mark mark-${index}`, 'aria-hidden': 'true' });
    const label = element('span', { class: 'muted' }, name);
    return element('span', { class: 'reading' }, mark, values[index] ?? '', ' ', label);
  });
  const plot = element('div', { class: 'plot' }, top, picture);
  const rows = element('div');
  const details = element('details', {}, element('summary', {}, 'Values'), rows);
  const node = element(
    'section',
    { class: 'chart', 'aria-labelledby': id },
    element('h3', { id }, title),
    element('p', { class: 'readings' }, ...current),
    plot,
    element('p', { class: 'axis', 'aria-hidden': 'true' }, element('span', {}, '5 minutes ago'), when),
    details,
  );
  let shown: readonly FeedPoint[] = [];
  /** Point under the pointer; the last one if undefined. */
  let picked: number | undefined;

  function write(): void {
    const point = shown[picked ?? shown.length - 1];
    series.forEach(({ valueAt }, index) => {
      const value = point && valueAt(point);
      const place = values[index];
      if (place) place.textContent = value === undefined ? idle : format(value);
    });
    when.textContent = picked === undefined || !point ? 'now' : formatRelative(point.time, Date.now());
    const x = ((FEED_POINTS - shown.length + (picked ?? 0)) * WIDTH) / (FEED_POINTS - 1);
    marker.setAttribute('d', picked === undefined ? '' : `M${x.toFixed(1)} 0V${HEIGHT}`);
  }

  function writeTable(): void {
    if (!details.open) return;
    const columns = [
      { title: 'Time', cell: (point: FeedPoint) => formatExact(point.time), isHead: true },
      ...series.map(({ name, valueAt }) => ({
        title: name,
        kind: 'number' as const,
        cell(point: FeedPoint) {
          const value = valueAt(point);
          return value === undefined ? idle : format(value);
        },
      })),
    ];
    rows.replaceChildren(table(`${title}, latest values`, columns, shown.slice(-TABLE_ROWS).reverse()));
  }

  details.addEventListener('toggle', writeTable);
  plot.addEventListener('pointermove', ({ clientX }) => {
    const { left, width } = picture.getBoundingClientRect();
    const slot = Math.round(((clientX - left) / width) * (FEED_POINTS - 1));
    const index = slot - (FEED_POINTS - shown.length);
    picked = index >= 0 && index < shown.length ? index : undefined;
    write();
  });
  plot.addEventListener('pointerleave', () => {
    picked = undefined;
    write();
  });
  return {
    node,
    draw(points) {
      shown = [...points];
      const all = series.map(({ valueAt }) => points.map((point) => valueAt(point)));
      const peak = Math.max(floor, ...all.flat().filter((value) => value !== undefined));
      const edge = niceCeiling(peak);
      top.textContent = format(edge);
      const frame = { slots: FEED_POINTS, width: WIDTH, height: HEIGHT, top: edge };
      for (const [index, list] of all.entries()) lines[index]?.setAttribute('d', linePath(list, frame));
      const [first = []] = all;
      const line = first.some((value) => value === undefined) ? '' : linePath(first, frame);
      const start = (((FEED_POINTS - first.length) * WIDTH) / (FEED_POINTS - 1)).toFixed(1);
      area.setAttribute('d', line === '' ? '' : `${line}L${WIDTH} ${HEIGHT}L${start} ${HEIGHT}Z`);
      write();
      writeTable();
    },
  };
}
