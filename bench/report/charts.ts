import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import { threeDigits } from './format.ts';

/** One bar. */
export interface Bar {
  readonly label: string;
  readonly value: number;
  readonly kind: 'ours' | 'peer';
}

/** One line of points (x, y). */
export interface Line {
  readonly label: string;
  readonly isPeer: boolean;
  readonly points: readonly (readonly [number, number])[];
}

/** Names and scales of the axes. */
export interface Axes {
  readonly x: string;
  readonly y: string;
  /** x doubles from mark to mark, or is linear from zero. */
  readonly xKind: 'log2' | 'linear';
  /** y is linear from zero, or logarithmic. */
  readonly yKind: 'linear' | 'log';
}

/** Colours of the lines in the light and the dark scheme; the first is also the colour of our bars. */
const LINES = [
  ['#0969da', '#4493f8'],
  ['#1a7f37', '#3fb950'],
  ['#bc4c00', '#f0883e'],
  ['#8250df', '#ab7df8'],
  ['#cf222e', '#ff7b72'],
  ['#9a6700', '#d29922'],
  ['#bf3989', '#f778ba'],
] as const;
const PEER = ['#818b98', '#9198a1'] as const;
const OURS = 'var(--line0)';
const GREY = 'var(--peer)';

const variables = (scheme: 0 | 1): string =>
  [`--peer:${PEER[scheme]}`, ...LINES.map((pair, index) => `--line${index}:${pair[scheme]}`)].join(';');
const STYLE = [
  `svg{color:#1f2328;background:#fff;font:13px system-ui,sans-serif;${variables(0)}}`,
  `@media (prefers-color-scheme:dark){svg{color:#f0f6fc;background:#0d1117;${variables(1)}}}`,
].join('');

const TITLE_HEIGHT = 40;
const LABEL_HEIGHT = 16;

/** Draws horizontal bars on a logarithmic axis that starts at a power of ten below the least value. */
export function barChart(title: string, axisLabel: string, bars: readonly Bar[]): string {
  const low = 10 ** Math.floor(Math.log10(Math.min(...bars.map(({ value }) => value)) / 1.5));
  const rows = bars.map((bar, row) => ({ ...bar, row, low }));
  const ofKind = (kind: Bar['kind'], fill: string): Plot.Markish =>
    Plot.barX(
      rows.filter((row) => row.kind === kind),
      { x1: 'low', x2: 'value', y: 'row', fill, insetTop: 2, insetBottom: 2 },
    );
  // Seven units per character: the labels are left of the bars, the figures right of them.
  const left = 24 + 7 * Math.max(...bars.map(({ label }) => label.length));
  return drawing(title, {
    width: left + 520,
    height: TITLE_HEIGHT + 28 * bars.length + 56,
    marginLeft: left,
    marginRight: 80,
    x: { type: 'log', nice: true, label: axisLabel, labelAnchor: 'center', ...decades(), grid: true },
    y: {
      domain: rows.map(({ row }) => row),
      label: null,
      tickSize: 0,
      tickFormat: (row) => bars[row]?.label,
    },
    marks: [
      ofKind('ours', OURS),
      ofKind('peer', GREY),
      Plot.text(rows, { x: 'value', y: 'row', text: ({ value }) => threeDigits(value), dx: 6, ...LEFT }),
    ],
  });
}

/** Draws lines with their names at their right ends. */
export function lineChart(title: string, axes: Axes, lines: readonly Line[]): string {
  const [width, height, right, bottom] = [800, 420, 180, 60];
  const top = TITLE_HEIGHT + 24;
  const values = lines.flatMap(({ points }) => points.map(([, value]) => value));
  const least = axes.yKind === 'linear' ? 0 : Math.min(...values);
  const y = {
    type: axes.yKind,
    domain: [least, Math.max(...values)],
    range: [height - bottom, top],
    nice: true,
  };
  const scale = Plot.scale({ y });
  const places = apart(lines.map(({ points }) => Number(scale.apply(points.at(-1)?.[1] ?? 0))));
  const xs = lines.flatMap(({ points }) => points.map(([x]) => x));
  const lastX = Math.max(...xs);
  let colour = 0;
  const marks = lines.flatMap(({ label, isPeer, points }, index) => {
    const stroke = isPeer ? GREY : `var(--line${colour++ % LINES.length})`;
    const name = [[lastX, scale.invert?.(places[index])]];
    const end = { text: () => label, ...LEFT };
    return [
      Plot.line(points, { stroke, strokeWidth: 2 }),
      Plot.dot(points, { fill: stroke, r: 3 }),
      Plot.text(name, { ...end, text: () => '—', fill: stroke, fontWeight: 700, dx: 10 }),
      Plot.text(name, { ...end, dx: 28 }),
    ];
  });
  const x =
    axes.xKind === 'linear'
      ? { zero: true }
      : { type: 'log' as const, base: 2, ticks: powersOfTwo(Math.min(...xs), lastX) };
  const yLabel = Plot.text([axes.y], { ...LEFT, frameAnchor: 'top-left', dx: -60, dy: -22 });
  return drawing(title, {
    width,
    height,
    marginTop: top,
    marginBottom: bottom,
    marginLeft: 76,
    marginRight: right,
    x: { ...x, label: axes.x, labelAnchor: 'center', tickFormat: threeDigits, grid: true },
    y: {
      ...y,
      label: null,
      ...(axes.yKind === 'log' ? decades() : { tickFormat: threeDigits }),
      grid: true,
    },
    marks: [...marks, yLabel],
  });
}

const LEFT = { textAnchor: 'start' } as const;

function powersOfTwo(from: number, to: number): number[] {
  const first = Math.ceil(Math.log2(from));
  return Array.from({ length: Math.floor(Math.log2(to)) - first + 1 }, (_, index) => 2 ** (first + index));
}

/** Ticks of a logarithmic axis; only powers of ten have a number. */
function decades(): Plot.ScaleOptions {
  return { tickFormat: (value: number) => (Number.isInteger(Math.log10(value)) ? threeDigits(value) : '') };
}

/** Moves label positions apart if they are closer than the height of a label, from the top down. */
function apart(places: readonly number[]): number[] {
  const order = places.map((place, index) => ({ place, index })).sort((a, b) => a.place - b.place);
  const moved = [...places];
  let free = Number.NEGATIVE_INFINITY;
  for (const { place, index } of order) {
    const at = Math.max(place, free);
    moved[index] = at;
    free = at + LABEL_HEIGHT;
  }
  return moved;
}

/** Makes a complete SVG with an accessible title, in the reader's colour scheme. */
function drawing(title: string, options: Plot.PlotOptions): string {
  const { document } = parseHTML('<!doctype html><html></html>');
  const plot = Plot.plot({ marginTop: TITLE_HEIGHT, marginBottom: 56, ...options, document });
  for (const style of plot.querySelectorAll('style')) style.remove();
  const { width, height } = options;
  const heading = document.createElement('text');
  heading.textContent = title;
  const text = heading.innerHTML;
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" fill="currentColor" text-anchor="middle">`;
  const words = `<title>${text}</title><style>${STYLE}</style><text x="16" y="24" font-weight="600" text-anchor="start">${text}</text>`;
  return `${head}${words}${plot.innerHTML}</svg>\n`;
}
