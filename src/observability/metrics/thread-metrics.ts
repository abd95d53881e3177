import { AggregatorRegistry } from 'prom-client';
import { answerOf } from '../threads.ts';
import { METRIC_TABLE, type MetricKey, metricName } from './metric-table.ts';
import type { MetricsSnapshot } from './metrics.ts';

const GAUGES: ReadonlySet<string> = new Set(
  (Object.keys(METRIC_TABLE) as MetricKey[])
    .filter((key) => METRIC_TABLE[key].type === 'gauge')
    .map(metricName),
);

interface Thread {
  readonly ask: () => Promise<MetricsSnapshot>;
  /** Request that is not answered yet; a thread that hangs gets no second one. */
  asked: Promise<MetricsSnapshot> | undefined;
  /** Counters and histograms of the last answer. */
  totals: MetricsSnapshot;
}

/**
 * Snapshots of other threads for the exposition of the main thread. Counters never fall: those of a thread that is late
 * are the last known ones, and those of a thread that has ended are kept.
 */
export class ThreadMetrics {
  readonly #threads = new Set<Thread>();
  readonly #limitMs: number | undefined;
  /** Totals of the threads that have ended. */
  #ended: Promise<MetricsSnapshot> = Promise.resolve([]);

  /** @param limitMs - Time that a thread has to answer; default: a second. */
  constructor(limitMs?: number) {
    this.#limitMs = limitMs;
  }

  /**
   * Adds a thread.
   *
   * @param ask - Asks it for its snapshot.
   * @returns A function to be called once the thread has ended, with its last snapshot if it could send one.
   */
  add(ask: () => Promise<MetricsSnapshot>): (last?: MetricsSnapshot) => void {
    const thread: Thread = { ask, asked: undefined, totals: [] };
    this.#threads.add(thread);
    return (last) => {
      if (!this.#threads.delete(thread)) return;
      const totals = last === undefined ? thread.totals : totalsOf(last);
      this.#ended = this.#ended.then((ended) =>
        AggregatorRegistry.aggregate([ended, totals]).getMetricsAsJSON(),
      );
    };
  }

  /** Returns the snapshots of all threads and the totals of those that have ended; takes at most the limit. */
  async snapshots(): Promise<readonly MetricsSnapshot[]> {
    const answers = await Promise.all(
      [...this.#threads].map(async (thread) => ({ thread, snapshot: await this.#read(thread) })),
    );
    // Read together: a thread is among those that have ended or among the others, never in both.
    const ended = this.#ended;
    const others = answers.filter(({ thread }) => this.#threads.has(thread));
    return [await ended, ...others.map(({ snapshot }) => snapshot)];
  }

  async #read(thread: Thread): Promise<MetricsSnapshot> {
    thread.asked ??= thread.ask().finally(() => {
      thread.asked = undefined;
    });
    const { asked } = thread;
    const answer = await answerOf(asked, this.#limitMs);
    if (answer === undefined) return thread.totals;
    thread.totals = totalsOf(answer);
    return answer;
  }
}

function totalsOf(snapshot: MetricsSnapshot): MetricsSnapshot {
  return snapshot.filter(({ name }) => !GAUGES.has(name));
}
