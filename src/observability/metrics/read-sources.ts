import type { Gauge } from 'prom-client';
import type { Instruments } from './instruments.ts';
import type { KeyAgeSample, MetricSources } from './metric-sources.ts';

type Part<K extends keyof Instruments> = Pick<Instruments, K>;

/** Sets the metrics that are read at each exposition, from their sources. */
export async function readSources(instruments: Instruments, sources: MetricSources): Promise<void> {
  readProcess(instruments, sources);
  readListeners(instruments, sources);
  readEngine(instruments, sources);
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
    readWebhooks(instruments, sources.webhooks),
    readKeyAges(instruments, sources.keyAges),
    readStoreSize(instruments, sources.storeSize),
    readLastBackup(instruments, sources.lastBackupAt),
  ]);
}

function readProcess(
  {
    buildInfo,
    limit,
    ready,
    healthCheckOk,
    tlsCertificateExpiryTimestampSeconds,
  }: Part<'buildInfo' | 'limit' | 'ready' | 'healthCheckOk' | 'tlsCertificateExpiryTimestampSeconds'>,
  { build, limits, readiness, certificateExpiresAt }: MetricSources,
): void {
  if (build !== undefined) buildInfo.set({ ...build }, 1);
  for (const [setting, value] of Object.entries(limits ?? {})) limit.set({ setting }, value);
  setOrRemove(tlsCertificateExpiryTimestampSeconds, secondsOf(certificateExpiresAt));
  const { isReady = false, checks = {} } = readiness?.() ?? {};
  ready.set(isReady ? 1 : 0);
  for (const [check, isOk] of Object.entries(checks)) healthCheckOk.set({ check }, isOk ? 1 : 0);
}

function readListeners(
  {
    httpOpenExchanges,
    httpUnfinishedExchanges,
    httpBodyBytes,
    httpConnections,
  }: Part<'httpOpenExchanges' | 'httpUnfinishedExchanges' | 'httpBodyBytes' | 'httpConnections'>,
  { listeners }: MetricSources,
): void {
  for (const [listener, load] of Object.entries(listeners?.() ?? {})) {
    httpOpenExchanges.set({ listener }, load.serving);
    httpUnfinishedExchanges.set({ listener }, load.unfinished);
    httpBodyBytes.set({ listener }, load.bodyBytes);
    httpConnections.set({ listener }, load.connections);
  }
}

function readEngine(instruments: Instruments, { engine }: MetricSources): void {
  const {
    engineQueueDepth,
    engineWorkers,
    engineBrokenBatchesTotal,
    engineWorkerRestartsTotal,
    engineBackendInfo,
    engineQueueWaitSeconds,
    engineBatchSize,
  } = instruments;
  if (engine === undefined) return;
  const sample = engine();
  const { backend } = sample;
  engineWorkers.reset();
  engineWorkers.set({ backend, state: 'configured' }, sample.workers);
  engineWorkers.set({ backend, state: 'ready' }, sample.readyWorkers);
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
    rootsSourceStale,
    rootsBackfillBlocksLeft,
    rootsProviderUp,
  }: Part<'rootsSourceLagSeconds' | 'rootsSourceStale' | 'rootsBackfillBlocksLeft' | 'rootsProviderUp'>,
  { rootSources, providers }: MetricSources,
): void {
  for (const { source, status, lagSeconds, backfillBlocksLeft } of rootSources?.() ?? []) {
    if (lagSeconds !== undefined) rootsSourceLagSeconds.set({ source }, lagSeconds);
    rootsSourceStale.set({ source }, status === 'stale' ? 1 : 0);
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

async function readWebhooks(
  { webhooksUnsent, webhooksOldestSeconds }: Part<'webhooksUnsent' | 'webhooksOldestSeconds'>,
  source: MetricSources['webhooks'],
): Promise<void> {
  webhooksOldestSeconds.remove();
  await readInto(webhooksUnsent, source, (gauge, { pending, dead, oldestSeconds }) => {
    gauge.set({ state: 'pending' }, pending);
    gauge.set({ state: 'dead' }, dead);
    webhooksOldestSeconds.set(oldestSeconds);
  });
}

async function readStoreSize(
  { storeBytes, storeFreeBytes }: Part<'storeBytes' | 'storeFreeBytes'>,
  source: MetricSources['storeSize'],
): Promise<void> {
  storeFreeBytes.remove();
  await readInto(storeBytes, source, (gauge, { parts, freeBytes }) => {
    for (const [part, bytes] of Object.entries(parts)) gauge.set({ part }, bytes);
    setOrRemove(storeFreeBytes, freeBytes);
  });
}

async function readLastBackup(
  { backupLastTimestampSeconds }: Part<'backupLastTimestampSeconds'>,
  source: MetricSources['lastBackupAt'],
): Promise<void> {
  // Absent if it cannot be read: 0 would say that there is no backup.
  const at = await source?.().catch(() => undefined);
  setOrRemove(backupLastTimestampSeconds, secondsOf(at));
}

/** Reads key ages. If retired keys share their labels, the oldest counts, since it is removed first. */
async function readKeyAges(
  { keyAgeSeconds, keyNextRotationSeconds }: Part<'keyAgeSeconds' | 'keyNextRotationSeconds'>,
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

/** Sets a gauge without labels, or removes its value: one that was never set would be exposed as 0. */
function setOrRemove(gauge: Gauge, value: number | undefined): void {
  if (value === undefined) gauge.remove();
  else gauge.set(value);
}

function secondsOf(milliseconds: number | undefined): number | undefined {
  return milliseconds === undefined ? undefined : milliseconds / 1000;
}
