import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../../config/settings/types.ts';
import { type Certificate, readCertificate, tlsFilesOf } from '../../config/sources/tls-files.ts';
import type { Engine } from '../../engine/engine.ts';
import { isServiceError, ServiceError } from '../../errors/service-error.ts';
import type { ListenSocket } from '../../http/library/http-library.ts';
import { loadHttpLibrary } from '../../http/library/load-http-library.ts';
import type { ListenerObserver } from '../../http/limits/connection-gate.ts';
import {
  clearFrontEnd,
  createFrontEndCounts,
  FrontEndConnections,
  frontEndLimits,
} from '../../http/limits/front-ends/front-end-counts.ts';
import type { LimitsHandle } from '../../http/limits/limits.ts';
import { createListenerGate, maxOpenConnections } from '../../http/limits/listener-gate.ts';
import type { Overload } from '../../http/limits/overload.ts';
import { type HttpServer, type ListenerLoad, openListener } from '../../http/server.ts';
import type { Log } from '../../observability/log/log.ts';
import type { ThreadMetrics } from '../../observability/metrics/thread-metrics.ts';
import type { UsageTally } from '../../observability/usage.ts';
import {
  createGateCells,
  forgetAtExit,
  type GateCells,
  haltAtExit,
} from '../../storage/drivers/exit-gate.ts';
import type { StoreChangeCells } from '../../storage/store-changes.ts';
import type { FrontEndStates } from '../parts/front-end-state.ts';
import { gatherUsage } from '../parts/usage-writer.ts';
import { FrontEnd, type ServiceCalls } from './front-end.ts';
import { mergedStats } from './merged-stats.ts';
import { CELLS, type Cells, type ConfirmedRoots, type FrontEndSetup } from './messages.ts';

/** Dependencies of `openFrontEnds`. */
export interface FrontEndsParts {
  readonly config: Config;
  /** Engine of the main thread, whose figures are added to those of the front ends. */
  readonly engine: Pick<Engine, 'stats'>;
  readonly calls: Omit<ServiceCalls, 'connectionsReached'>;
  readonly observer: ListenerObserver;
  readonly overload: Overload;
  readonly log: Pick<Log, 'info' | 'error' | 'repeated'>;
  readonly limits: LimitsHandle;
  readonly storeChanges: StoreChangeCells;
  readonly states: FrontEndStates;
  readonly metrics: ThreadMetrics;
  readonly usage: UsageTally;
  readonly askableTrees: readonly string[];
  readonly confirmedRoots: () => ConfirmedRoots;
  /** Whether the service is ready. */
  readonly isReady: () => boolean;
  /** Called when the last front end is given up. */
  readonly onFailed: (cause: ServiceError) => void;
}

/** The public listener of a service with several front ends: one port, whose connections they take in turn. */
export interface FrontEnds extends HttpServer {
  /** The engines of all front ends. */
  readonly engine: Pick<Engine, 'stats' | 'setWorkers'>;
  /** Has the front ends answer for the readiness of the service. */
  showReady(isReady: boolean): void;
  /** Adds the counts of all front ends to the tally of the main thread. Never rejects. */
  gatherUsage(): Promise<void>;
  closeAll(): Promise<void>;
}

const EXIT_LIMIT_MS = 1000;
const PUSH_MS = 1000;
const RELOAD_LIMIT_MS = 10_000;

/** Returns the share of one of `count` parts of a total, numbered from 1: at least one. */
export function shareOf(total: number, count: number, index: number): number {
  return Math.max(1, Math.floor(total / count) + (index <= total % count ? 1 : 0));
}

/**
 * Starts the front ends, waits until each is ready, and listens.
 *
 * @throws ServiceError `server.port_in_use`, those of `openPublicListener`; Error if the library is not that of `usableFrontEnds`
 */
export async function openFrontEnds(parts: FrontEndsParts): Promise<FrontEnds> {
  const { config, log } = parts;
  const { frontEnds: count, host } = config.server;
  const { library, facts, binary } = loadHttpLibrary(config.http.library, config.dataDir);
  if (binary === undefined || library.createAcceptor === undefined)
    throw new Error(`${facts.package} has no front ends`);
  const tlsFiles = config.tls && tlsFilesOf(config.tls);
  const certificate: Certificate | undefined = tlsFiles && (await readCertificate(tlsFiles));
  const acceptor = library.createAcceptor(certificate);
  let socket: ListenSocket | undefined;
  let port = config.server.port;
  let isClosed = false;
  /** Settings for the threads that start from now on. */
  let inForce = config;
  let overLimit: readonly string[] = [];
  /** The reports of a second ago do not tell what is open at the end of a drain. */
  let openAfterDrain: number | undefined;
  const counts = createFrontEndCounts(count);
  const maxOpen = maxOpenConnections(config.http);

  const setupOf =
    (index: number) =>
    (cells: Cells): FrontEndSetup => {
      Atomics.store(cells, CELLS.ready, parts.isReady() ? 1 : 0);
      const storeGate = createGateCells();
      haltAtExit(storeGate);
      memory.set(index, { cells, storeGate });
      return {
        index,
        config: shareOfConfig(inForce, index),
        binary,
        limits: parts.limits,
        counts,
        maxOpen,
        storeGate,
        storeChanges: parts.storeChanges,
        cells,
        askableTrees: parts.askableTrees,
        confirmedRoots: parts.confirmedRoots(),
      };
    };
  /** Of the present thread of each front end. */
  const memory = new Map<number, { readonly cells: Cells; readonly storeGate: GateCells }>();
  function forget(index: number): void {
    clearFrontEnd(counts, index - 1);
    const ended = memory.get(index);
    if (ended !== undefined) forgetAtExit(ended.storeGate);
    memory.delete(index);
  }
  const all = Array.from(
    { length: count },
    (_, at) =>
      new FrontEnd({
        index: at + 1,
        acceptor,
        calls: { ...parts.calls, connectionsReached: () => gate.onReached() },
        log,
        setup: setupOf(at + 1),
        states: parts.states,
        metrics: parts.metrics,
        usage: parts.usage,
        onChange,
        workers: () => shareOf(inForce.engine.workers, count, at + 1),
        onEnded: () => forget(at + 1),
      }),
  );
  const serving = () => all.flatMap(({ link }) => link ?? []);
  const sum = (value: (frontEnd: FrontEnd) => number): number =>
    all.reduce((total, each) => total + value(each), 0);

  /** Whether the port is to be open as far as the gate and the life of the service are concerned. */
  let isAccepting = false;
  let opening: Promise<ListenSocket | undefined> | undefined;
  const closePort = (): void => {
    socket?.close();
    socket = undefined;
  };
  /** Opens the port, unless no front end serves: then clients are refused instead of being kept waiting. */
  async function openPort(): Promise<boolean> {
    if (!isAccepting || socket !== undefined || serving().length === 0) return isAccepting;
    opening ??= acceptor.listen(host, port).finally(() => {
      opening = undefined;
    });
    socket = await opening;
    if (socket === undefined) {
      parts.log.repeated('port', `the port ${port} cannot be opened again yet`, { event: 'front_end.port' });
    } else if (!isAccepting || serving().length === 0) closePort();
    return socket !== undefined;
  }
  const gate = createListenerGate({
    count: new FrontEndConnections(counts),
    maxOpen,
    limits: config.http,
    trustedProxies: config.proxy.trusted,
    overload: parts.overload,
    observer: parts.observer,
    port: () => port,
    stopListening() {
      isAccepting = false;
      closePort();
    },
    async startListening() {
      isAccepting = true;
      return await openPort();
    },
    onOverLimit(addressKeys) {
      overLimit = addressKeys;
      for (const link of serving()) link.tell('limitAddresses', addressKeys);
    },
  });

  function onChange(): void {
    if (isClosed) return;
    if (serving().length === 0) closePort();
    else void openPort();
    if (overLimit.length > 0) for (const link of serving()) link.tell('limitAddresses', overLimit);
    if (all.every(({ state }) => state === 'given_up')) parts.onFailed(new ServiceError('front_end.failed'));
  }

  function closeListening(): void {
    gate.close();
    isAccepting = false;
    closePort();
  }

  async function closeAll(): Promise<void> {
    isClosed = true;
    closeListening();
    clearInterval(timer);
    await Promise.all(all.map((each) => each.stop()));
    process.off('exit', halt);
    acceptor.close();
  }

  function halt(): void {
    const end = performance.now() + EXIT_LIMIT_MS;
    for (const each of all) each.halt(end);
  }

  function showReady(isReady: boolean): void {
    for (const { cells } of memory.values()) Atomics.store(cells, CELLS.ready, isReady ? 1 : 0);
  }

  const push = (): void => {
    const roots = parts.confirmedRoots();
    for (const link of serving()) link.tell('confirmRoots', roots);
    for (const each of all) each.watch();
    void openPort();
  };
  const timer = setInterval(push, PUSH_MS).unref();
  process.on('exit', halt);

  try {
    await Promise.all(all.map((each) => each.start()));
    socket = await openListener(acceptor, { listener: 'public', host, port });
    ({ port } = socket);
    isAccepting = true;
  } catch (error) {
    await closeAll();
    throw error;
  }

  return {
    scheme: certificate === undefined ? 'http' : 'https',
    host,
    get port() {
      return port;
    },
    get certificateExpiresAt() {
      const times = all.flatMap(({ certificateExpiresAt }) => certificateExpiresAt ?? []);
      return times.length === 0 ? undefined : Math.min(...times);
    },
    async reloadCertificate() {
      const reloaded = serving().map((link) => {
        // One that does not respond reads the files when it responds again.
        const late = delay(RELOAD_LIMIT_MS, false, { ref: false });
        return Promise.race([link.call('reloadCertificate'), late]);
      });
      return (await Promise.all(reloaded)).includes(true);
    },
    library: facts,
    keepsHeaderBytes: library.keepsHeaderBytes,
    descriptor: undefined,
    get openExchanges() {
      return openAfterDrain ?? sum(({ status }) => status?.openExchanges ?? 0);
    },
    load(): ListenerLoad {
      return {
        serving: sum(({ status }) => status?.load.serving ?? 0),
        unfinished: sum(({ status }) => status?.load.unfinished ?? 0),
        bodyBytes: sum(({ status }) => status?.load.bodyBytes ?? 0),
        connections: sum(({ status }) => status?.load.connections ?? 0),
      };
    },
    setDraining() {
      for (const each of all) each.setDraining();
    },
    closeListening,
    async whenIdle(timeoutMs) {
      const open = await Promise.all(all.map((each) => each.whenIdle(timeoutMs)));
      openAfterDrain = open.reduce((total, each) => total + each, 0);
      return openAfterDrain === 0;
    },
    closeAll,
    engine: {
      stats: () =>
        mergedStats(
          parts.engine.stats(),
          all.flatMap(({ status }) => status?.engine ?? []),
        ),
      async setWorkers(workers) {
        inForce = { ...config, engine: { ...config.engine, workers } };
        const changed = all.map(({ link }, at) => link?.call('setWorkers', shareOf(workers, count, at + 1)));
        // A front end that ends meanwhile is replaced with the new number.
        for (const result of await Promise.allSettled(changed)) {
          if (result.status === 'rejected' && isServiceError(result.reason)) throw result.reason;
        }
      },
    },
    showReady,
    gatherUsage: () =>
      gatherUsage(
        parts.usage,
        serving().map((link) => link.call('takeUsage')),
      ),
  };
}

/** Returns the settings of one front end: with its share of what the process has once. */
function shareOfConfig(config: Config, index: number): Config {
  const { frontEnds } = config.server;
  const share = (total: number): number => shareOf(total, frontEnds, index);
  const { engine, storage } = config;
  return {
    ...config,
    http: frontEndLimits(config.http, frontEnds),
    engine: {
      ...engine,
      workers: share(engine.workers),
      maxQueue: Math.max(share(engine.maxQueue), Math.min(engine.maxQueue, engine.maxBatch)),
    },
    storage: { ...storage, poolSize: share(storage.poolSize) },
  };
}
