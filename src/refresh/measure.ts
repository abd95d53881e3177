import type { RefreshFacts } from './types.ts';

/** The durations of a refresh that its log line has. */
export type Duration = 'proofMs' | 'signMs' | 'commitMs';

/** Adds the time that `run` takes, a failure included, to a duration of the request. */
export type Measure = <T>(duration: Duration, run: () => Promise<T>) => Promise<T>;

/** A measure that writes into the facts of one request: milliseconds, to the microsecond. */
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
