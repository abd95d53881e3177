import { monitorEventLoopDelay } from 'node:perf_hooks';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { CountedCounter } from './counted-counter.ts';
import { CountedHistogram, type HistogramSample } from './counted-histogram.ts';
import { METRIC_PREFIX, METRIC_TABLE, type MetricKey, type MetricSpec, metricName } from './metric-table.ts';

const LOOP_RESOLUTION_MS = 10;

type Table = typeof METRIC_TABLE;
type Label<K extends MetricKey> = Table[K]['labels'][number];
type Instrument<K extends MetricKey> = Table[K]['type'] extends 'counter'
  ? CountedCounter<Table[K]['labels']>
  : Table[K]['type'] extends 'gauge'
    ? Gauge<Label<K>>
    : CountedHistogram<Table[K]['labels']>;

/** The part of the engine stats that is exported as metrics, as plain data. */
export interface EngineSample {
  readonly backend: string;
  readonly arithmetic: string;
  readonly queueDepth: number;
  readonly brokenBatches: number;
  readonly workerRestarts: number;
  readonly queueWaitSeconds: HistogramSample;
  readonly batchSize: HistogramSample;
}

/** Age of the current root of one tree. */
export interface RootAgeSample {
  readonly environment: string;
  readonly tree: string;
  readonly source: string;
  readonly ageSeconds: number;
}

/** State of a source of roots. */
export interface RootSourceSample {
  readonly source: string;
  /** Undefined before the first round. */
  readonly lagSeconds: number | undefined;
  readonly backfillBlocksLeft: number;
}

/** State of a provider of a chain. */
export interface ProviderSample {
  readonly chain: string;
  readonly provider: string;
  readonly isUp: boolean;
}

/** Number of World ID 4.0 keys of one environment in one table. */
export interface KeyCountSample {
  readonly environment: string;
  readonly table: string;
  readonly count: number;
}

/** Age of a published signing key. */
export interface KeyAgeSample {
  readonly use: string;
  readonly state: string;
  readonly ageSeconds: number;
  /** Seconds until its state ends automatically; undefined if it does not. */
  readonly endsInSeconds: number | undefined;
}

/** Load of a listener. */
export interface ListenerSample {
  readonly serving: number;
  readonly unfinished: number;
  readonly bodyBytes: number;
  readonly connections: number;
}

/** Sources that are read when `/metrics` is called; each may be missing. If a source fails, its metric is left out. */
export interface MetricSources {
  readonly engine?: () => EngineSample;
  readonly storeRows?: () => Promise<Readonly<Record<string, number>>>;
  readonly rootAges?: () => Promise<readonly RootAgeSample[]>;
  readonly rootSources?: () => readonly RootSourceSample[];
  readonly providers?: () => readonly ProviderSample[];
  readonly worldId4Keys?: () => Promise<readonly KeyCountSample[]>;
  readonly keyAges?: () => Promise<readonly KeyAgeSample[]>;
  /** Load by listener. */
  readonly listeners?: () => Readonly<Record<string, ListenerSample>>;
}

/** The metrics of a process: one member per row of the metric table, and their exposition. */
export type Metrics = { readonly [K in MetricKey]: Instrument<K> } & {
  readonly contentType: string;
  /** Sets the sources that are read at each exposition. */
  setSources(sources: MetricSources): void;
  /** Returns the metrics in Prometheus text format 0.0.4. */
  exposition(): Promise<string>;
  /** Stops the event-loop monitor. */
  close(): void;
};

/** Builds the registry of a process from the metric table, default process metrics included. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const instruments = Object.fromEntries(
    Object.entries(METRIC_TABLE).map(([key, spec]) => [
      key,
      createInstrument(registry, key as MetricKey, spec),
    ]),
  ) as unknown as { readonly [K in MetricKey]: Instrument<K> };
  collectDefaultMetrics({ register: registry, prefix: METRIC_PREFIX });
  const loopDelay = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  loopDelay.enable();
  let sources: MetricSources = {};

  async function readSources(): Promise<void> {
    const delay = instruments.eventLoopDelaySeconds;
    delay.set({ quantile: '0.5' }, loopDelaySeconds(loopDelay.percentile(50)));
    delay.set({ quantile: '0.99' }, loopDelaySeconds(loopDelay.percentile(99)));
    delay.set({ quantile: '1' }, loopDelaySeconds(loopDelay.max));
    loopDelay.reset();
    for (const [listener, load] of Object.entries(sources.listeners?.() ?? {})) {
      instruments.httpOpenExchanges.set({ listener }, load.serving);
      instruments.httpUnfinishedExchanges.set({ listener }, load.unfinished);
      instruments.httpBodyBytes.set({ listener }, load.bodyBytes);
      instruments.httpConnections.set({ listener }, load.connections);
    }
    readEngine(instruments, sources.engine);
    readRootSources(instruments, sources);
    await Promise.all([
      readInto(instruments.storeRows, sources.storeRows, (gauge, rows) => {
        for (const [table, count] of Object.entries(rows)) gauge.set({ table }, count);
      }),
      readInto(instruments.rootsCurrentAgeSeconds, sources.rootAges, (gauge, ages) => {
        for (const { environment, tree, source, ageSeconds } of ages) {
          gauge.set({ environment, tree, source }, ageSeconds);
        }
      }),
      readInto(instruments.worldid4Keys, sources.worldId4Keys, (gauge, counts) => {
        for (const { environment, table, count } of counts) gauge.set({ environment, table }, count);
      }),
      readKeyAges(instruments, sources.keyAges),
    ]);
  }

  return {
    ...instruments,
    contentType: registry.contentType,
    setSources(next) {
      sources = next;
    },
    async exposition() {
      await readSources();
      return registry.metrics();
    },
    close() {
      loopDelay.disable();
    },
  };
}

type AnyInstrument = CountedCounter<readonly string[]> | Gauge | CountedHistogram<readonly string[]>;

function createInstrument(registry: Registry, key: MetricKey, spec: MetricSpec): AnyInstrument {
  const name = metricName(key);
  const { help, labels, buckets = [] } = spec;
  if (spec.type === 'counter') return new CountedCounter(name, help, labels, registry);
  if (spec.type === 'histogram') return new CountedHistogram(name, help, labels, buckets, registry);
  return new Gauge({ name, help, labelNames: [...labels], registers: [registry] });
}

function readEngine(
  instruments: { readonly [K in MetricKey]: Instrument<K> },
  source: MetricSources['engine'],
): void {
  const {
    engineQueueDepth,
    engineBrokenBatchesTotal,
    engineWorkerRestartsTotal,
    engineBackendInfo,
    engineQueueWaitSeconds,
    engineBatchSize,
  } = instruments;
  if (source === undefined) return;
  const sample = source();
  const { backend } = sample;
  engineQueueDepth.reset();
  engineQueueDepth.set({ backend }, sample.queueDepth);
  engineBrokenBatchesTotal.reset();
  engineBrokenBatchesTotal.inc({ backend }, sample.brokenBatches);
  engineWorkerRestartsTotal.reset();
  engineWorkerRestartsTotal.inc({ backend }, sample.workerRestarts);
  engineBackendInfo.reset();
  engineBackendInfo.set({ backend, arithmetic: sample.arithmetic }, 1);
  engineQueueWaitSeconds.show({ backend }, sample.queueWaitSeconds);
  engineBatchSize.show({ backend }, sample.batchSize);
}

function readRootSources(
  {
    rootsSourceLagSeconds,
    rootsBackfillBlocksLeft,
    rootsProviderUp,
  }: { readonly [K in MetricKey]: Instrument<K> },
  { rootSources, providers }: MetricSources,
): void {
  for (const { source, lagSeconds, backfillBlocksLeft } of rootSources?.() ?? []) {
    if (lagSeconds !== undefined) rootsSourceLagSeconds.set({ source }, lagSeconds);
    rootsBackfillBlocksLeft.set({ source }, backfillBlocksLeft);
  }
  for (const { chain, provider, isUp } of providers?.() ?? []) {
    rootsProviderUp.set({ chain, provider }, isUp ? 1 : 0);
  }
}

async function readInto<G extends Gauge<string>, T>(
  gauge: G,
  source: (() => Promise<T>) | undefined,
  write: (gauge: G, value: T) => void,
): Promise<void> {
  if (source === undefined) return;
  gauge.reset();
  try {
    write(gauge, await source());
  } catch {
    // A scrape must not fail with the store: readiness and the log report the failure, and the metric is absent.
  }
}

/** Reads key ages. If retired keys share their labels, the oldest counts, since it is removed first. */
async function readKeyAges(
  { keyAgeSeconds, keyNextRotationSeconds }: { readonly [K in MetricKey]: Instrument<K> },
  source: MetricSources['keyAges'],
): Promise<void> {
  keyNextRotationSeconds.reset();
  await readInto(keyAgeSeconds, source, (gauge, ages) => {
    for (const { use, state, ageSeconds, endsInSeconds } of ages.toSorted(byAge)) {
      gauge.set({ use, state }, ageSeconds);
      if (endsInSeconds !== undefined) keyNextRotationSeconds.set({ use, state }, endsInSeconds);
    }
  });
}

function byAge(one: KeyAgeSample, other: KeyAgeSample): number {
  return one.ageSeconds - other.ageSeconds;
}

// The monitor records the time between two of its ticks, so an idle loop has a delay equal to the resolution.
function loopDelaySeconds(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e9 - LOOP_RESOLUTION_MS / 1e3);
}
