/** Figures of one closed loop. */
export interface LoopFigures {
  /** Completed operations per second, one figure per window. */
  readonly rates: number[];
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly completed: number;
}

/** Counts operations in windows and keeps their latencies. Times are those of `performance.now()`. */
export interface WindowCounter {
  /** Counts one operation by its begin and end; must be called in the order of the ends. */
  add(began: number, ended: number): void;
  figures(): LoopFigures;
}

/** Returns the median and the 99th percentile of sorted values. */
function percentiles(sorted: Float64Array): Pick<LoopFigures, 'p50Ms' | 'p99Ms'> {
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}

/**
 * Makes a counter of `count` windows of `windowMs` from `start` on; operations that end before `start` are
 * warm-up.
 *
 * All members of a batch end together, and a window contains few batches. Therefore a window extends from the
 * last end before its nominal begin to the last end before its nominal end. A window shorter than half its
 * length, because the loop stopped, is left out.
 */
export function windowCounter(start: number, windowMs: number, count: number): WindowCounter {
  const ends: number[] = [];
  const latencies: number[] = [];
  const stop = start + windowMs * count;
  return {
    add(began, ended) {
      ends.push(ended);
      if (ended >= start && ended < stop) latencies.push(ended - began);
    },
    figures() {
      const rates: number[] = [];
      let index = 0;
      let [from, doneBefore] = [start, 0];
      for (let window = 0; window <= count; window++) {
        const boundary = start + windowMs * window;
        while (index < ends.length && (ends[index] as number) <= boundary) index += 1;
        const to = index === 0 ? start : (ends[index - 1] as number);
        if (window > 0 && to - from >= windowMs / 2) rates.push(((index - doneBefore) * 1000) / (to - from));
        if (window === 0 || to - from >= windowMs / 2) [from, doneBefore] = [to, index];
      }
      return { rates, ...percentiles(Float64Array.from(latencies).sort()), completed: latencies.length };
    },
  };
}

/**
 * Runs concurrent closed loops of `operation`: the warm-up, then the windows. Returns the figures of the
 * windows.
 *
 * @param loops - Number of loops.
 * @param operation - Called with a running number; returns false when there is nothing left to do.
 */
export async function closedLoop(
  loops: number,
  plan: { readonly warmUpMs: number; readonly windowMs: number; readonly windows: number },
  operation: (index: number) => Promise<boolean>,
): Promise<LoopFigures> {
  const start = performance.now() + plan.warmUpMs;
  const end = start + plan.windowMs * plan.windows;
  const counter = windowCounter(start, plan.windowMs, plan.windows);
  let next = 0;
  const loop = async (): Promise<void> => {
    for (let began = performance.now(); began < end; began = performance.now()) {
      if (!(await operation(next++))) return;
      counter.add(began, performance.now());
    }
  };
  await Promise.all(Array.from({ length: loops }, loop));
  return counter.figures();
}
