import { type ReadonlySignal, signal } from '@preact/signals';
import { type Figures, figuresOf, type Reading, readingOf } from './figures.ts';

/** Time between two readings, in milliseconds. */
export const FEED_INTERVAL_MS = 3000;
/** Points that the charts keep: five minutes. */
export const FEED_POINTS = 100;

/** One point of the charts. */
export interface FeedPoint {
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** Undefined if there is nothing to compare with, or the service did not answer. */
  readonly figures: Figures | undefined;
  readonly readyWorkers: number | undefined;
}

/** Results of one round; `metrics` is undefined if they are not served. */
export interface FeedAnswer {
  readonly metrics: string | undefined;
  readonly readyWorkers: number;
}

/** Reads the metrics repeatedly while somebody looks. */
export interface LiveFeed {
  /** Points so far, the oldest first. */
  readonly points: ReadonlySignal<readonly FeedPoint[]>;
  /** Reads a point every round until the signal fires. Pauses while the document is hidden. */
  follow(ended: AbortSignal): void;
}

/** Creates a feed. @param read - Reads once; rejects if the service does not answer. */
export function createLiveFeed(read: (signal: AbortSignal) => Promise<FeedAnswer>): LiveFeed {
  const points = signal<readonly FeedPoint[]>([]);
  let last: Reading | undefined;

  function add(point: FeedPoint): void {
    points.value = [...points.value, point].slice(-FEED_POINTS);
  }

  async function round(ended: AbortSignal): Promise<void> {
    try {
      const { metrics, readyWorkers } = await read(ended);
      const reading = metrics === undefined ? undefined : readingOf(metrics, performance.now());
      const isFirst = last === undefined;
      const figures = last && reading && figuresOf(last, reading);
      last = reading;
      // A first reading counts from the start of the service, which is no rate.
      if (!isFirst || reading === undefined) add({ time: Date.now(), figures, readyWorkers });
    } catch {
      if (ended.aborted) return;
      last = undefined;
      add({ time: Date.now(), figures: undefined, readyWorkers: undefined });
    }
  }

  return {
    points,
    follow(ended) {
      // After a pause the next reading would average over it.
      last = undefined;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const next = async (): Promise<void> => {
        timer = undefined;
        await round(ended);
        if (ended.aborted) return;
        if (!document.hidden) timer ??= setTimeout(next, FEED_INTERVAL_MS);
      };
      const onVisibility = (): void => {
        clearTimeout(timer);
        timer = undefined;
        if (document.hidden) return;
        last = undefined;
        void next();
      };
      document.addEventListener('visibilitychange', onVisibility, { signal: ended });
      ended.addEventListener('abort', () => clearTimeout(timer));
      void next();
    },
  };
}
