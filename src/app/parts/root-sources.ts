import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Disagreement } from '../../chain/agree.ts';
import { type Chain, type ChainWarning, createChain } from '../../chain/chain.ts';
import {
  type ChainSource,
  type HttpSource,
  isChainSource,
  quorumOf,
  type RootSource,
} from '../../config/roots/source-types.ts';
import type { Config } from '../../config/settings/types.ts';
import type { RootRegistry } from '../../membership/roots/root-registry.ts';
import { isManagedSource } from '../../membership/roots/roots.ts';
import { createFeedReader } from '../../membership/sources/feed-reader.ts';
import { createChainReader } from '../../membership/sources/reader/chain-reader.ts';
import { SourceKeys } from '../../membership/sources/reader/source-keys.ts';
import { createRootMisses, treeKey } from '../../membership/sources/root-misses.ts';
import { createRootRefresh } from '../../membership/sources/root-refresh.ts';
import { type RootReader, SourceRunner } from '../../membership/sources/source-runner.ts';
import { SourceStates } from '../../membership/sources/source-states.ts';
import type { Notice } from '../../observability/health.ts';
import type { Log } from '../../observability/log/log.ts';
import type { Metrics } from '../../observability/metrics/metrics.ts';
import type { Store } from '../../storage/store.ts';
import type { Part } from '../lifecycle.ts';

/** The sources of roots of a process. */
export interface RootSources extends Part {
  readonly states: SourceStates;
  /** Parts of the registry that query sources. */
  readonly lookup: Pick<RootRegistry, 'refreshOf' | 'confirmedUntil'>;
  /** Reads the states from the store and begins the rounds. */
  start(): Promise<void>;
  /** Ends the rounds. */
  stop(): Promise<void>;
}

/** Dependencies of `createRootSources`. */
export interface RootSourcesParts {
  readonly config: Config;
  readonly store: Store;
  /** The registry of apps, those of the configuration included. */
  readonly apps: Pick<Store['apps'], 'list'>;
  /** Whether other processes share the store. */
  readonly isShared: boolean;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  readonly metrics: Metrics;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Called with each stale source whenever the states are read. */
  readonly onStale?: (source: string, lagSeconds: number) => void;
}

/** Digits of an issuer in `verify.worldid4.issuers`, before its identifiers. */
const ISSUER_ID = /^\d+/;
/** Retention of changes: the largest max_age plus a day. */
const CHANGE_RETENTION_SECONDS = 691_200;
const WARN_INTERVAL_MS = 600_000;

/** Creates the sources of `roots.sources`; no source is queried before the start. */
export function createRootSources(parts: RootSourcesParts): RootSources {
  const { config, store, log, metrics, now, isShared } = parts;
  const { roots } = config;
  const stopping = new AbortController();
  const warner = createThrottledWarning(log, now);
  const chains = new Map(
    [...new Set(roots.sources.filter(isChainSource).map(({ rpc }) => rpc))].map((rpc) => [
      rpc as string,
      openChain(parts, rpc, stopping.signal, warner),
    ]),
  );
  const states = new SourceStates({
    sources: roots.sources,
    store: store.rootSources,
    startWaitMs: roots.startWaitSeconds * 1000,
    refreshMs: Math.max(config.storage.cacheSeconds, 1) * 1000,
    now,
    onStale({ id }, lagSeconds) {
      const text = `the source ${id} has not advanced for ${lagSeconds} s`;
      warner(`stale ${id}`, { event: 'roots.stale', text });
      parts.onStale?.(id, lagSeconds);
    },
  });
  // With a store of one process the holder is constant, so that the lease can be renewed right after a crash.
  const holder = isShared ? `${hostname()}-${randomBytes(4).toString('hex')}` : 'local';
  const runners = roots.sources.map((source) => {
    const reader = isChainSource(source)
      ? chainReader(parts, source, chains, stopping.signal, warner)
      : feedReader(parts, source, stopping.signal);
    return new SourceRunner({
      source,
      reader,
      holder,
      isShared,
      now,
      store: { rootSources: store.rootSources, leases: store.leases },
      leaseMs: roots.leaseSeconds * 1000,
      keepMs: Math.max(CHANGE_RETENTION_SECONDS, isChainSource(source) ? source.lookBackSeconds : 0) * 1000,
      observer: {
        ended(result) {
          metrics.rootsSourceRoundsTotal.inc({ source: source.id, result });
          reportWarnings(source, chains, warner, metrics);
          void states.refresh();
        },
        failed(error) {
          reportWarnings(source, chains, warner, metrics);
          metrics.rootsSourceRoundsTotal.inc({ source: source.id, result: 'failed' });
          countError(metrics, source, error.code.replace(/^roots\./, ''));
          if (error.code === 'internal.unforeseen') {
            log.error('a round of a root source failed', {
              event: 'roots.round_failed',
              source: source.id,
              err: error,
            });
          } else {
            const text = `the source ${source.id}: ${error.message}`;
            warner(`failed ${source.id} ${error.code}`, { event: 'roots.round_failed', text });
          }
          void states.refresh();
        },
      },
    });
  });
  const seekers = new Map(
    roots.sources.flatMap((source, index) => {
      const runner = runners[index];
      if (runner === undefined) return [];
      const seeker = { id: source.id, lookFor: (root: Uint8Array) => runner.lookFor(root) };
      return [[treeKey(source.environment, source.tree), seeker] as const];
    }),
  );
  const waiting = { waitMs: roots.missWaitMs, maxWaiting: roots.missMaxWaiting };
  const misses = createRootMisses({
    seekers,
    roots: store.roots,
    now,
    ...waiting,
    onResult: (source, result) => metrics.rootsMissTotal.inc({ source, result }),
  });
  const refreshOf = createRootRefresh({ misses, oracles: roots.oracles, ...waiting, now });
  return {
    name: 'root sources',
    states,
    lookup: {
      refreshOf,
      // An unknown source makes no statement about its roots.
      confirmedUntil: (source) => (isManagedSource(source) ? (states.targetTimeOf(source) ?? 0) : undefined),
    },
    async start() {
      if (runners.length === 0) return;
      await states.start();
      for (const runner of runners) runner.start();
    },
    async stop() {
      const stopped = runners.map((runner) => runner.stop());
      stopping.abort();
      states.stop();
      await Promise.all(stopped);
    },
    health: { roots: rootsNotice(states) },
    metrics({ rootsSourceLagSeconds, rootsSourceStale, rootsBackfillBlocksLeft, rootsProviderUp }) {
      for (const { id, status, lagSeconds, backfillBlocksLeft } of states.list()) {
        if (lagSeconds !== undefined) rootsSourceLagSeconds.set({ source: id }, lagSeconds);
        rootsSourceStale.set({ source: id }, status === 'stale' ? 1 : 0);
        rootsBackfillBlocksLeft.set({ source: id }, backfillBlocksLeft);
      }
      for (const [chain, { providers }] of chains) {
        for (const { index, status } of providers) {
          rootsProviderUp.set({ chain, provider: String(index) }, status.state === 'up' ? 1 : 0);
        }
      }
    },
  };
}

/**
 * Returns the readiness notice about the sources of roots: not ready only at the start; stale sources are merely
 * reported.
 */
export function rootsNotice(states: Pick<SourceStates, 'list' | 'isStarting'>): Notice {
  const order = ['starting', 'stale', 'ok'] as const;
  return {
    report() {
      const sources = states.list();
      const status = order.find((candidate) => sources.some((source) => source.status === candidate));
      return { status: status ?? 'off', sources };
    },
    isBlocking: () => states.isStarting,
  };
}

/** Logs a condition; the same one at most every ten minutes. */
type ThrottledWarning = (key: string, warning: { readonly event: string; readonly text: string }) => void;

function createThrottledWarning(log: RootSourcesParts['log'], now: () => number): ThrottledWarning {
  const warnedAt = new Map<string, number>();
  return (key, { event, text }) => {
    if (now() - (warnedAt.get(key) ?? Number.NEGATIVE_INFINITY) < WARN_INTERVAL_MS) return;
    warnedAt.set(key, now());
    log.warn(text, { event });
  };
}

function openChain(
  { config, metrics, now }: RootSourcesParts,
  rpc: ChainSource['rpc'],
  signal: AbortSignal,
  warner: ThrottledWarning,
): Chain {
  const { roots } = config;
  const urls = roots.rpc[rpc] ?? [];
  const chainId = roots.sources.filter(isChainSource).find((source) => source.rpc === rpc)?.chainId ?? 0;
  return createChain({
    urls,
    chainId,
    now,
    signal,
    quorum: quorumOf(roots, urls),
    limits: { timeoutMs: roots.rpcTimeoutMs, maxResponseBytes: roots.maxResponseBytes },
    onDisagreement(disagreement) {
      metrics.rootsDisagreementsTotal.inc({ chain: rpc });
      const text = disagreementText(rpc, disagreement);
      warner(`disagreement ${rpc}`, { event: 'roots.disagreement', text });
    },
    observe(provider, method, elapsedMs, failure) {
      const labels = { chain: rpc, provider: String(provider.index), method };
      metrics.rootsRpcSeconds.at(rpc, labels.provider, method).observe(elapsedMs / 1000);
      if (failure !== undefined) {
        metrics.rootsRpcErrorsTotal.inc({
          chain: rpc,
          provider: labels.provider,
          cause: failure.failureClass,
        });
      }
    },
  });
}

function disagreementText(rpc: string, { method, block, hosts }: Disagreement): string {
  const groups = [...hosts].map(([digest, names]) => `${names.join(', ')}: ${digest.slice(0, 16)}`);
  return `providers of ${rpc} contradict each other about ${method} at block ${block}: ${groups.join('; ')}`;
}

function chainReader(
  { config, store, apps, log, metrics, now }: RootSourcesParts,
  source: ChainSource,
  chains: ReadonlyMap<string, Chain>,
  signal: AbortSignal,
  warner: ThrottledWarning,
): RootReader {
  const chain = chains.get(source.rpc);
  if (chain === undefined) throw new TypeError(`expected a chain ${source.rpc}`);
  const issuers = config.verify.worldid4.issuers[source.environment];
  const keys = new SourceKeys({
    source,
    chain,
    apps,
    now,
    keys: store.worldId4Keys,
    signinRpId: config.signin.enabled ? config.signin.worldid4.rpId : undefined,
    issuerIds: issuers.flatMap((text) => ISSUER_ID.exec(text)?.[0] ?? []),
    refreshMs: config.roots.keysRefreshSeconds * 1000,
    onBadKey(table, id, reason) {
      countError(metrics, source, 'bad_key');
      warner(`key ${table} ${id}`, {
        event: 'roots.bad_key',
        text: `the source ${source.id}: ${table} ${id} is not used: ${reason}`,
      });
    },
  });
  return createChainReader({
    source,
    chain,
    store,
    keys,
    now,
    sleep: (ms) => delay(ms, undefined, { signal }),
    onReorg(blocks) {
      metrics.rootsReorgsTotal.inc({ source: source.id });
      log.info(`the chain of ${source.id} was reorganised`, {
        event: 'roots.reorg',
        source: source.id,
        blocks,
      });
    },
  });
}

function feedReader(
  { config, store, now, log }: RootSourcesParts,
  source: HttpSource,
  signal: AbortSignal,
): RootReader {
  const { profile, roots, verify } = config;
  let ignored = 0;
  return createFeedReader({
    source,
    store,
    now,
    signal,
    keyRules: { store, profile, bindings: verify.keys },
    timeoutMs: roots.rpcTimeoutMs,
    maxResponseBytes: roots.maxResponseBytes,
    onIgnored(lines) {
      if (lines !== ignored)
        log.info(`the feed ${source.id} has ${lines} lines of other trees`, { event: 'roots.feed' });
      ignored = lines;
    },
  });
}

function countError(metrics: Metrics, { environment, tree, id }: RootSource, cause: string): void {
  metrics.rootsSourceErrorsTotal.inc({ environment, tree, source: id, cause });
}

/** Logs warnings about the chain of a source, also after a failed round. */
function reportWarnings(
  source: RootSource,
  chains: ReadonlyMap<string, Chain>,
  warner: ThrottledWarning,
  metrics: Metrics,
): void {
  const chain = isChainSource(source) ? chains.get(source.rpc) : undefined;
  for (const warning of chain?.warnings() ?? []) reportWarning(source, warning, warner, metrics);
}

function reportWarning(
  source: RootSource,
  warning: ChainWarning,
  warner: ThrottledWarning,
  metrics: Metrics,
): void {
  const { id } = source;
  if (warning.kind === 'provider') {
    const { provider, status } = warning;
    const text = `the provider ${provider.host} of ${id}: ${status.state}`;
    warner(`provider ${id} ${provider.index} ${status.state}`, { event: 'roots.provider', text });
  } else if (warning.kind === 'head_stale') {
    countError(metrics, source, warning.kind);
    const text = `the chain of ${id} stands still: its newest block is ${warning.ageSeconds} s old`;
    warner(`head ${id}`, { event: 'roots.head_stale', text });
  } else if (warning.kind === 'clock') {
    countError(metrics, source, warning.kind);
    const { offsetSeconds } = warning;
    const direction = offsetSeconds > 0 ? 'ahead of' : 'behind';
    const text = `the newest block of ${id} is ${Math.abs(offsetSeconds)} s ${direction} the clock of this machine`;
    warner(`clock ${id}`, { event: 'roots.clock', text });
  }
}
