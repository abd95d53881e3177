import type { RefreshFacts } from './types.ts';

/** Durations in the log line of a refresh. */
export type Duration = 'proofMs' | 'signMs' | 'commitMs';

/** Adds the time that `run` takes, even if it fails, to a duration of the request. */
export type Measure = <T>(duration: Duration, run: () => Promise<T>) => Promise<T>;

/** Creates a measure that writes to the facts of one request, in milliseconds rounded to the microsecond. */
export function measureInto(facts: RefreshFacts): Measure {
  return async (duration, run) => {
    const startedAt = performance.now();
    try {
      return await run();
    } finally {
      const total = (facts[duration] ?? 0) + performance.now() - startedAt;
      facts[duration] = Math.round(total * 1000) / 1000;
    }
  };
}
