import { threeDigits } from './format.ts';
import { drawing, element, gridX, gridY, label, scale } from './svg.ts';

/** One bar. */
export interface Bar {
  readonly label: string;
  readonly value: number;
  readonly kind: 'ours' | 'peer';
}

/** Horizontal bars on a logarithmic axis that starts at a power of ten below the least value. */
export function barChart(title: string, axisLabel: string, bars: readonly Bar[]): string {
  // Seven units a character: the labels stand at the left, the figures at the right of the bars.
  const left = 24 + 7 * Math.max(...bars.map((bar) => bar.label.length));
  const [right, width, rowHeight, top] = [left + 440, left + 520, 28, 44];
  const bottom = top + bars.length * rowHeight;
  const values = bars.map((bar) => bar.value);
  const axis = scale([...values, Math.min(...values) / 1.5], left, right, 'log');
  const rows = bars.flatMap((bar, index) => {
    const y = top + index * rowHeight;
    const end = axis.at(bar.value);
    return [
      label(left - 8, y + 18, bar.label, 'ink', 'end'),
      element('rect', { class: bar.kind, x: left, y: y + 5, width: Math.max(1, end - left), height: 17 }),
      label(end + 6, y + 18, threeDigits(bar.value), 'ink'),
    ];
  });
  return drawing(width, bottom + 56, title, [
    ...gridX(axis, top, bottom),
    ...rows,
    label((left + right) / 2, bottom + 42, axisLabel, 'soft', 'middle'),
  ]);
}

/** One line of points (x, y); the colours stand for themselves, grey for peers. */
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

const LINE_COLOURS = 7;
const LABEL_HEIGHT = 16;

/** Moves places apart where they are closer than a label is high, from the top down. */
export function apart(places: readonly number[]): number[] {
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

/** Lines with their names at their right ends. */
export function lineChart(title: string, axes: Axes, lines: readonly Line[]): string {
  const [width, height, left, right, top, bottom] = [800, 420, 76, 620, 64, 360];
  const points = lines.flatMap((line) => line.points);
  const xs = points.map(([value]) => value);
  const x = scale(xs, left, right, axes.xKind);
  const ys = points.map(([, value]) => value);
  const y = scale(ys, bottom, top, axes.yKind);
  const ends = apart(lines.map((line) => y.at(line.points.at(-1)?.[1] ?? 0)));
  let colour = 0;
  const drawn = lines.flatMap((line, row) => {
    const kind = line.isPeer ? 'peer' : `line${colour++ % LINE_COLOURS}`;
    const path = line.points.map(
      ([a, b], index) => `${index === 0 ? 'M' : 'L'}${x.at(a).toFixed(1)} ${y.at(b).toFixed(1)}`,
    );
    return [
      element('path', { class: `${kind} line`, style: 'fill:none', d: path.join('') }),
      ...line.points.map(([a, b]) => element('circle', { class: kind, cx: x.at(a), cy: y.at(b), r: 3 })),
      element('path', { class: `${kind} line`, style: 'fill:none', d: `M${right + 12} ${ends[row]}h14` }),
      label(right + 32, (ends[row] ?? 0) + 4, line.label, 'ink'),
    ];
  });
  return drawing(width, height, title, [
    ...gridX(x, top, bottom),
    ...gridY(y, left, right),
    ...drawn,
    label((left + right) / 2, bottom + 44, axes.x, 'soft', 'middle'),
    label(16, top - 16, axes.y, 'soft'),
  ]);
}
