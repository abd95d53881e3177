/** Numbers in [0, 1), always the same ones for a seed. */
export type Random = () => number;

/**
 * Makes a random generator from a seed.
 *
 * @see mulberry32 by Tommy Ettinger: 32 bits of state, enough for arrival times
 */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Draws an exponentially distributed time, such as the one between two arrivals of a Poisson process. */
export function exponential(random: Random, mean: number): number {
  return -mean * Math.log(1 - random());
}
