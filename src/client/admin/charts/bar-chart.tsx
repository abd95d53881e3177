import type { ComponentChildren, Ref, VNode } from 'preact';
import { niceCeiling } from './scale.ts';

const [WIDTH, HEIGHT] = [600, 120];
const GAP = 0.25;

/** Width and height. */
type Size = readonly [number, number];

/** Returns a picture that fills its frame, and that screen readers do not see. */
export function picture(size: Size, children: ComponentChildren, ref: Ref<SVGSVGElement> = null): VNode {
  return (
    <svg ref={ref} viewBox={`0 0 ${size.join(' ')}`} preserveAspectRatio="none" aria-hidden="true">
      {[0, 0.5, 1].map((share) => (
        <path class="grid" d={`M0 ${size[1] * share}H${size[0]}`} />
      ))}
      {children}
    </svg>
  );
}

/**
 * Returns stacked bars. Not accessible to screen readers: add a table of the same values.
 *
 * @param bars - Values of each bar, from the bottom up.
 */
export function barChart(bars: readonly (readonly number[])[], format: (value: number) => string): VNode {
  const top = niceCeiling(Math.max(1, ...bars.map(sum)));
  const step = WIDTH / Math.max(1, bars.length);
  const shapes = bars.map((parts, index) =>
    parts.map((value, part) => {
      const height = (value / top) * HEIGHT;
      const y = HEIGHT - (sum(parts.slice(0, part)) / top) * HEIGHT - height;
      const [x, width] = [step * (index + GAP / 2), step * (1 - GAP)].map((length) => length.toFixed(1));
      return (
        <rect class={`bar bar-${part}`} x={x} y={y.toFixed(1)} width={width} height={height.toFixed(1)} />
      );
    }),
  );
  return (
    <div class="plot">
      <span class="axis-top" aria-hidden="true">
        {format(top)}
      </span>
      {picture([WIDTH, HEIGHT], shapes)}
    </div>
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Returns a value with its mark in the chart and its name. */
export function reading(index: number, value: string, name: string): ComponentChildren {
  const mark = <span class={`mark mark-${index}`} aria-hidden="true" />;
  return [mark, <span class="value">{value}</span>, ' ', <span class="muted">{name}</span>];
}

/** Returns the texts at the ends of an axis. */
export function axis(first: string, last: string): VNode {
  return (
    <p class="axis" aria-hidden="true">
      {[<span>{first}</span>, <span>{last}</span>]}
    </p>
  );
}
