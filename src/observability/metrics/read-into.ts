import type { Gauge } from 'prom-client';
import type { Instruments } from './instruments.ts';

/** Sets metrics of one part of the service when `/metrics` is called. Never rejects. */
export type MetricReader = (metrics: Instruments) => Promise<void> | void;

/** Sets the values of a gauge from a source. If the source fails, the metric is absent. */
export async function readInto<G extends Gauge<string>, T>(
  gauge: G,
  source: () => Promise<T>,
  write: (gauge: G, value: T) => void,
): Promise<void> {
  gauge.reset();
  try {
    write(gauge, await source());
  } catch {
    // A scrape must not fail with the store: readiness and the log report the failure, and the metric is absent.
  }
}

/** Sets a gauge without labels, or removes its value: one that was never set would be exposed as 0. */
export function setOrRemove(gauge: Gauge, value: number | undefined): void {
  if (value === undefined) gauge.remove();
  else gauge.set(value);
}
