/** Pseudo-random numbers that depend on a seed and a case number only, so that any case can be repeated. */

/** Draws whole numbers from 0 up to but excluding `below`. */
export type Draw = (below: number) => number;

/** Generator for one case: mulberry32, seeded with a mix of both numbers. */
export function drawFor(seed: number, index: number): Draw {
  let state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35)) >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** One of the values. */
export function pick<T>(draw: Draw, values: readonly T[]): T {
  const value = values[draw(values.length)];
  if (value === undefined) throw new Error('nothing to pick from');
  return value;
}
