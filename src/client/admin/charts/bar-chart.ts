import { niceCeiling, svg } from './svg.ts';

const [WIDTH, HEIGHT] = [600, 120];
const GAP = 0.25;

/** One bar, with its parts from the bottom up. */
export interface Bar {
  readonly name: string;
  readonly parts: readonly number[];
}

/**
 * Draws stacked bars. The picture is hidden from screen readers, so a table of the same values belongs beside it.
 *
 * @returns The picture, and the value at its upper edge.
 */
export function barChart(bars: readonly Bar[]): { readonly node: SVGSVGElement; readonly top: number } {
  const top = niceCeiling(Math.max(1, ...bars.map(({ parts }) => sum(parts))));
  const step = WIDTH / Math.max(1, bars.length);
  const shapes = bars.flatMap(({ parts }, index) =>
    parts.map((value, part) => {
      const height = (value / top) * HEIGHT;
      const below = (sum(parts.slice(0, part)) / top) * HEIGHT;
      return svg('rect', {
        class: `bar bar-${part}`,
        x: (step * (index + GAP / 2)).toFixed(1),
        y: (HEIGHT - below - height).toFixed(1),
        width: (step * (1 - GAP)).toFixed(1),
        height: height.toFixed(1),
      });
    }),
  );
  const grid = [0, 0.5, 1].map((share) => svg('path', { class: 'grid', d: `M0 ${HEIGHT * share}H${WIDTH}` }));
  const node = svg(
    'svg',
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    ...[...grid, ...shapes],
  );
  return { node, top };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
