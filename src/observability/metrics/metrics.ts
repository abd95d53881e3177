import { monitorEventLoopDelay } from 'node:perf_hooks';
import { collectDefaultMetrics, type Metric, Registry } from 'prom-client';
import type { ThreadName } from '../threads.ts';
import { createInstruments, type Instruments, type MetricReader } from './instruments.ts';
import { type MetricsSnapshot, mergeSnapshots } from './merge-snapshots.ts';

const LOOP_RESOLUTION_MS = 10;

/** The metrics of a thread: one member per row of the metric table, and their exposition. */
export type Metrics = Instruments & {
  readonly contentType: string;
  /** Sets the readers that are called at each exposition and snapshot. */
  setReaders(readers: readonly MetricReader[]): void;
  /** Returns the metrics of this thread without those of the process, for the exposition of the main thread. */
  snapshot(): Promise<MetricsSnapshot>;
  /**
   * Returns the metrics in Prometheus text format 0.0.4.
   *
   * @param others - Snapshots of other threads, combined with the own values as the metric table says.
   */
  exposition(others?: readonly MetricsSnapshot[]): Promise<string>;
  /** Stops the event-loop monitor. */
  close(): void;
};

/**
 * Builds the metrics of a thread from the metric table; in the main thread those of the process are included.
 *
 * @param thread - Name in the label `thread`; undefined, and without the label, in a process with one thread for HTTP.
 */
export function createMetrics(thread?: ThreadName): Metrics {
  const registry = new Registry();
  const instruments = createInstruments(registry);
  instruments.ready.set(0);
  const registryOfProcess = new Registry();
  // Common dashboards and alerts use these by their usual names, without a prefix of the service.
  if (thread === undefined || thread === 'main') collectDefaultMetrics({ register: registryOfProcess });
  const loopDelay = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  loopDelay.enable();
  let readers: readonly MetricReader[] = [];

  function readLoopDelay(): void {
    const delay = instruments.eventLoopDelaySeconds;
    const label = thread === undefined ? {} : { thread };
    delay.set({ quantile: '0.5', ...label }, loopDelaySeconds(loopDelay.percentile(50)));
    delay.set({ quantile: '0.99', ...label }, loopDelaySeconds(loopDelay.percentile(99)));
    delay.set({ quantile: '1', ...label }, loopDelaySeconds(loopDelay.max));
    loopDelay.reset();
  }

  async function read(): Promise<void> {
    readLoopDelay();
    await Promise.all(readers.map((read) => read(instruments)));
  }

  // Its types have the samples of a histogram without their names.
  const expose = async (): Promise<MetricsSnapshot> =>
    (await registry.getMetricsAsJSON()) as unknown as MetricsSnapshot;

  return {
    ...instruments,
    contentType: registry.contentType,
    setReaders(next) {
      readers = next;
    },
    async snapshot() {
      await read();
      return expose();
    },
    async exposition(others = []) {
      await read();
      const ofTable =
        others.length === 0 ? registry : registryOf(mergeSnapshots([await expose(), ...others]));
      return `${await ofTable.metrics()}\n${await registryOfProcess.metrics()}`;
    },
    close() {
      loopDelay.disable();
    },
  };
}

/** Returns a registry with the metrics of a snapshot, of which it uses only name, help, type and values. */
function registryOf(snapshot: MetricsSnapshot): Registry {
  const registry = new Registry();
  for (const metric of snapshot) {
    registry.registerMetric({ ...metric, get: () => metric } as unknown as Metric);
  }
  return registry;
}

// The monitor records the time between two of its ticks, so an idle loop has a delay equal to the resolution.
function loopDelaySeconds(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e9 - LOOP_RESOLUTION_MS / 1e3);
}
