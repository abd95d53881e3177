import type { HistogramSample } from './counted-histogram.ts';

/** The part of the engine stats that is exported as metrics, as plain data. */
export interface EngineSample {
  readonly backend: string;
  readonly arithmetic: string;
  readonly workers: number;
  readonly readyWorkers: number;
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
  readonly status: 'ok' | 'stale' | 'starting';
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

/** Version of the service and of what it runs on. */
export interface BuildSample {
  readonly version: string;
  readonly node: string;
  readonly profile: string;
}

/** Sizes of the store in bytes. */
export interface StoreSizeSample {
  /** Size by part, for example `database` and `log`. */
  readonly parts: Readonly<Record<string, number>>;
  /** Space left on the disk of the store; undefined if that is on another machine. */
  readonly freeBytes: number | undefined;
}

/** Readiness, and the state of each check. */
export interface ReadinessSample {
  readonly isReady: boolean;
  readonly checks: Readonly<Record<string, boolean>>;
}

/** Events of webhooks that were not received, by state. */
export interface UnsentEventsSample {
  readonly pending: number;
  readonly dead: number;
  /** Of the oldest pending one; 0 if there is none. */
  readonly oldestSeconds: number;
}

/** Sources that are read when `/metrics` is called; each may be missing. If a source fails, its metric is left out. */
export interface MetricSources {
  readonly build?: BuildSample;
  /** Values of settings that bound what other metrics show, by key. */
  readonly limits?: Readonly<Record<string, number>>;
  readonly readiness?: () => ReadinessSample;
  readonly engine?: () => EngineSample;
  readonly storeRows?: () => Promise<Readonly<Record<string, number>>>;
  readonly storeSize?: () => Promise<StoreSizeSample>;
  /** Milliseconds since the epoch; 0 before the first backup, undefined if backups are not those of this program. */
  readonly lastBackupAt?: () => Promise<number | undefined>;
  /** Milliseconds since the epoch; undefined without TLS. */
  readonly certificateExpiresAt?: number | undefined;
  readonly rootAges?: () => Promise<readonly RootAgeSample[]>;
  readonly rootSources?: () => readonly RootSourceSample[];
  readonly providers?: () => readonly ProviderSample[];
  readonly worldId4Keys?: () => Promise<readonly KeyCountSample[]>;
  readonly keyAges?: () => Promise<readonly KeyAgeSample[]>;
  /** Events of webhooks that were not received. */
  readonly webhooks?: () => Promise<UnsentEventsSample>;
  /** Load by listener. */
  readonly listeners?: () => Readonly<Record<string, ListenerSample>>;
}
