import type { VNode } from 'preact';
import { niceCeiling } from './scale.ts';

const [WIDTH, HEIGHT] = [600, 120];
const GAP = 0.25;

/** The lines at the upper edge, the middle and the lower edge of a chart. */
export function Grid({ width, height }: { width: number; height: number }): VNode {
  return (
    <>
      {[0, 0.5, 1].map((share) => (
        <path class="grid" d={`M0 ${height * share}H${width}`} />
      ))}
    </>
  );
}

/** Parts of a bar chart. */
export interface BarChartProps {
  /** Values of each bar, from the bottom up. */
  readonly bars: readonly (readonly number[])[];
  readonly format: (value: number) => string;
}

/** Stacked bars. The picture is hidden from screen readers, so a table of the same values belongs beside it. */
export function BarChart({ bars, format }: BarChartProps): VNode {
  const top = niceCeiling(Math.max(1, ...bars.map(sum)));
  const step = WIDTH / Math.max(1, bars.length);
  return (
    <div class="plot">
      <span class="axis-top" aria-hidden="true">
        {format(top)}
      </span>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <Grid width={WIDTH} height={HEIGHT} />
        {bars.map((parts, index) =>
          parts.map((value, part) => {
            const height = (value / top) * HEIGHT;
            const below = (sum(parts.slice(0, part)) / top) * HEIGHT;
            return (
              <rect
                class={`bar bar-${part}`}
                x={(step * (index + GAP / 2)).toFixed(1)}
                y={(HEIGHT - below - height).toFixed(1)}
                width={(step * (1 - GAP)).toFixed(1)}
                height={height.toFixed(1)}
              />
            );
          }),
        )}
      </svg>
    </div>
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
