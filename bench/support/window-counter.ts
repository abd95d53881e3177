/** Figures of one closed loop. */
export interface LoopFigures {
  /** Completed operations per second, one figure per window. */
  readonly rates: number[];
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly completed: number;
}

/** Counts operations into windows of equal length and keeps their latencies. Times are of `performance.now()`. */
export interface WindowCounter {
  /** Counts one operation that began and ended at these times; what ended outside the windows is left out. */
  add(began: number, ended: number): void;
  figures(): LoopFigures;
}

/**
 * Makes a counter of `count` windows of `windowMs` from `start` on. A window that the loop did not reach (`until`)
 * is left out of the figures.
 */
export function windowCounter(start: number, windowMs: number, count: number): WindowCounter {
  const windows = new Array<number>(count).fill(0);
  const latencies: number[] = [];
  let last = start;
  return {
    add(began, ended) {
      last = Math.max(last, ended);
      const index = Math.floor((ended - start) / windowMs);
      if (index < 0 || index >= count) return;
      windows[index] = (windows[index] as number) + 1;
      latencies.push(ended - began);
    },
    figures() {
      const whole = Math.max(1, Math.min(count, Math.floor((last - start) / windowMs)));
      const sorted = Float64Array.from(latencies).sort();
      const at = (share: number): number =>
        sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
      return {
        rates: windows.slice(0, whole).map((completed) => (completed * 1000) / windowMs),
        p50Ms: at(0.5),
        p99Ms: at(0.99),
        completed: latencies.length,
      };
    },
  };
}

/**
 * Runs `lanes` closed loops of `operation` side by side: warm-up, then the windows. Gives the figures of the windows.
 *
 * @param operation - called with a running number; gives false when there is nothing left to do.
 */
export async function closedLoop(
  lanes: number,
  plan: { readonly warmUpMs: number; readonly windowMs: number; readonly windows: number },
  operation: (index: number) => Promise<boolean>,
): Promise<LoopFigures> {
  const start = performance.now() + plan.warmUpMs;
  const end = start + plan.windowMs * plan.windows;
  const counter = windowCounter(start, plan.windowMs, plan.windows);
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let began = performance.now(); began < end; began = performance.now()) {
      if (!(await operation(next++))) return;
      counter.add(began, performance.now());
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return counter.figures();
}
