/** Pseudo-random choices that a seed repeats. */
export interface Random {
  /** A whole number from 0 to below a limit. */
  below(limit: number): number;
  /** One of the elements. */
  pick<T>(list: readonly T[]): T;
  /** Whether an event of one in so many happens. */
  oneIn(count: number): boolean;
}

/** Starts a sequence (xorshift32: Marsaglia, Xorshift RNGs, 2003). */
export function randomFrom(seed: number): Random {
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
  for (let index = 0; index < 16; index++) next();
  const below = (limit: number): number => next() % limit;
  return {
    below,
    pick: (list) => list[below(list.length)] as (typeof list)[number],
    oneIn: (count) => below(count) === 0,
  };
}
