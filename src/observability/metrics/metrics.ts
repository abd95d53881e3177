import { monitorEventLoopDelay } from 'node:perf_hooks';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { createInstruments, type Instruments, type MetricReader } from './instruments.ts';

const LOOP_RESOLUTION_MS = 10;

/** The metrics of a process: one member per row of the metric table, and their exposition. */
export type Metrics = Instruments & {
  readonly contentType: string;
  /** Sets the readers that are called at each exposition. */
  setReaders(readers: readonly MetricReader[]): void;
  /** Returns the metrics in Prometheus text format 0.0.4. */
  exposition(): Promise<string>;
  /** Stops the event-loop monitor. */
  close(): void;
};

/** Builds the registry of a process from the metric table, default process metrics included. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const instruments = createInstruments(registry);
  instruments.ready.set(0);
  // Common dashboards and alerts use these by their usual names, without a prefix of the service.
  collectDefaultMetrics({ register: registry });
  const loopDelay = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  loopDelay.enable();
  let readers: readonly MetricReader[] = [];

  function readLoopDelay(): void {
    const delay = instruments.eventLoopDelaySeconds;
    delay.set({ quantile: '0.5' }, loopDelaySeconds(loopDelay.percentile(50)));
    delay.set({ quantile: '0.99' }, loopDelaySeconds(loopDelay.percentile(99)));
    delay.set({ quantile: '1' }, loopDelaySeconds(loopDelay.max));
    loopDelay.reset();
  }

  return {
    ...instruments,
    contentType: registry.contentType,
    setReaders(next) {
      readers = next;
    },
    async exposition() {
      readLoopDelay();
      await Promise.all(readers.map((read) => read(instruments)));
      return registry.metrics();
    },
    close() {
      loopDelay.disable();
    },
  };
}

// The monitor records the time between two of its ticks, so an idle loop has a delay equal to the resolution.
function loopDelaySeconds(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e9 - LOOP_RESOLUTION_MS / 1e3);
}
