import { answerOf } from '../threads.ts';
import { type MetricsSnapshot, mergeSnapshots, totalsOf } from './merge-snapshots.ts';

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
  #ended: MetricsSnapshot = [];

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
      this.#ended = mergeSnapshots([this.#ended, last === undefined ? thread.totals : totalsOf(last)]);
    };
  }

  /** Returns the snapshots of all threads and the totals of those that have ended; takes at most the limit. */
  async snapshots(): Promise<readonly MetricsSnapshot[]> {
    const answers = await Promise.all(
      [...this.#threads].map(async (thread) => ({ thread, snapshot: await this.#read(thread) })),
    );
    // One that has ended meanwhile is among the totals.
    const others = answers.filter(({ thread }) => this.#threads.has(thread));
    return [this.#ended, ...others.map(({ snapshot }) => snapshot)];
  }

  async #read(thread: Thread): Promise<MetricsSnapshot> {
    thread.asked ??= thread.ask().finally(() => {
      thread.asked = undefined;
    });
    const answer = await answerOf(thread.asked, this.#limitMs);
    if (answer === undefined) return thread.totals;
    thread.totals = totalsOf(answer);
    return answer;
  }
}
