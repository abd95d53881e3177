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

/** One line of points (x, y). */
export interface Line {
  readonly label: string;
  readonly kind: 'ours' | 'second' | 'peer';
  readonly points: readonly (readonly [number, number])[];
}

/** Lines over a doubling x axis; y is linear from zero. */
export function lineChart(title: string, xLabel: string, yLabel: string, lines: readonly Line[]): string {
  const [width, height, left, right, top, bottom] = [760, 380, 76, 620, 64, 320];
  const points = lines.flatMap((line) => line.points);
  const x = scale(
    points.map(([value]) => value),
    left,
    right,
    'log2',
  );
  const y = scale(
    points.map(([, value]) => value),
    bottom,
    top,
    'linear',
  );
  const drawn = lines.flatMap((line) => {
    const path = line.points.map(
      ([a, b], index) => `${index === 0 ? 'M' : 'L'}${x.at(a).toFixed(1)} ${y.at(b).toFixed(1)}`,
    );
    const last = line.points.at(-1);
    return [
      element('path', { class: `${line.kind} line`, style: 'fill:none', d: path.join('') }),
      ...line.points.map(([a, b]) => element('circle', { class: line.kind, cx: x.at(a), cy: y.at(b), r: 3 })),
      ...(last ? [label(x.at(last[0]) + 10, y.at(last[1]) + 4, line.label, 'ink')] : []),
    ];
  });
  return drawing(width, height, title, [
    ...gridX(x, top, bottom),
    ...gridY(y, left, right),
    ...drawn,
    label((left + right) / 2, bottom + 44, xLabel, 'soft', 'middle'),
    label(16, top - 16, yLabel, 'soft'),
  ]);
}
