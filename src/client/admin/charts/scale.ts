const STEPS = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];

/** Returns a round number that is not below a value and leaves little room above it; 1 for zero. */
export function niceCeiling(value: number): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = STEPS.find((candidate) => candidate * power >= value * (1 - 1e-9)) ?? 10;
  return factor * power;
}

/**
 * Returns the path of a line through values at equal distances; undefined values leave a gap.
 *
 * @param width - Distance of the last from the first value, as if all `slots` were there.
 * @param top - Value at the upper edge; 0 is at `height`.
 */
export function linePath(
  values: readonly (number | undefined)[],
  { slots, width, height, top }: Readonly<Record<'slots' | 'width' | 'height' | 'top', number>>,
): string {
  const step = width / Math.max(1, slots - 1);
  const begin = slots - values.length;
  const at = (index: number, value: number): string => {
    const share = Math.min(1, Math.max(0, value / top));
    return `${((begin + index) * step).toFixed(1)} ${(height * (1 - share)).toFixed(1)}`;
  };
  return values
    .map((value, index) => {
      if (value === undefined) return '';
      // A value between two gaps is a line without length, which the round cap makes a dot.
      if (values[index - 1] === undefined) return `M${at(index, value)}L${at(index, value)}`;
      return `L${at(index, value)}`;
    })
    .join('');
}
