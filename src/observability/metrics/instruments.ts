import { Gauge, type Registry } from 'prom-client';
import { CountedCounter, CountedHistogram } from './counted-metrics.ts';
import { METRIC_TABLE, type MetricKey, type MetricSpec, metricName } from './metric-table.ts';

type Table = typeof METRIC_TABLE;
type Label<K extends MetricKey> = Table[K]['labels'][number];
type Instrument<K extends MetricKey> = Table[K]['type'] extends 'counter'
  ? CountedCounter<Table[K]['labels']>
  : Table[K]['type'] extends 'gauge'
    ? Gauge<Label<K>>
    : CountedHistogram<Table[K]['labels']>;
type AnyInstrument = CountedCounter<readonly string[]> | Gauge | CountedHistogram<readonly string[]>;

/** One instrument for each row of the metric table. */
export type Instruments = { readonly [K in MetricKey]: Instrument<K> };

/** Creates the instruments of the metric table in a registry. */
export function createInstruments(registry: Registry): Instruments {
  return Object.fromEntries(
    Object.entries(METRIC_TABLE).map(([key, spec]) => [
      key,
      createInstrument(registry, key as MetricKey, spec),
    ]),
  ) as unknown as Instruments;
}

function createInstrument(registry: Registry, key: MetricKey, spec: MetricSpec): AnyInstrument {
  const name = metricName(key);
  const { help, labels, buckets = [] } = spec;
  if (spec.type === 'counter') return new CountedCounter(name, help, labels, registry);
  if (spec.type === 'histogram') return new CountedHistogram(name, help, labels, buckets, registry);
  const gauge = new Gauge({ name, help, labelNames: [...labels], registers: [registry] });
  // Without labels it would be exposed as 0 before it is set, which could raise an alarm.
  if (labels.length === 0) gauge.remove();
  return gauge;
}

/** Sets metrics of one part of the service at each call of `/metrics`. Never rejects. */
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
    // A scrape must not fail with the store: readiness and log report the failure; the metric is absent.
  }
}

/** Sets a gauge without labels, or removes its value: an unset gauge would be exposed as 0. */
export function setOrRemove(gauge: Gauge, value: number | undefined): void {
  if (value === undefined) gauge.remove();
  else gauge.set(value);
}
