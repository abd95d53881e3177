/** Returns a whole number below a bound. */
export type Draw = (below: number) => number;

/** Returns a generator whose numbers depend on the seed alone (mulberry32). */
export function drawer(seed: number): Draw {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** Returns the generator of one case of a run, so that any case can be repeated. */
export function drawFor(seed: number, index: number): Draw {
  return drawer(Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35));
}

/** Draws one of the choices. */
export function pick<T>(choices: readonly T[], draw: Draw): T {
  return choices[draw(choices.length)] as T;
}

/** Draws whether an event with this probability, in percent, happens. */
export function happens(percent: number, draw: Draw): boolean {
  return draw(100) < percent;
}
