import '../../source-maps.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { openApps } from '../../apps/configured-apps.ts';
import { proxyFinder } from '../../config/values/proxy-rules.ts';
import { useProxies } from '../../egress-proxies.ts';
import type { Engine } from '../../engine/engine.ts';
import { shareHttpLibrary } from '../../http/library/load-http-library.ts';
import type { ListenerObserver } from '../../http/limits/connection-gate.ts';
import {
  FrontEndAddresses,
  FrontEndConnections,
  FrontEndServing,
} from '../../http/limits/front-ends/front-end-counts.ts';
import { FrontEndGate } from '../../http/limits/front-ends/front-end-gate.ts';
import { Limits } from '../../http/limits/limits.ts';
import { Overload } from '../../http/limits/overload.ts';
import type { FrontEndSeat, HttpServer } from '../../http/server.ts';
import { createLog, LineBuffer, type Log } from '../../observability/log/log.ts';
import { createMetrics, type Metrics } from '../../observability/metrics/metrics.ts';
import { UsageTally } from '../../observability/usage.ts';
import type { SharedThreads } from '../../storage/drivers/libsql-threads.ts';
import { createStoreChanges } from '../../storage/store-changes.ts';
import { Lifecycle } from '../lifecycle.ts';
import { observeListener } from '../listeners/observe-listener.ts';
import { openPublicListener } from '../listeners/public-listener.ts';
import { enginePart, startEngine } from '../parts/engine.ts';
import { frontEndHealthPart } from '../parts/front-end-state.ts';
import { prepareKeys } from '../parts/keys.ts';
import { openServiceStore, openStorePart } from '../parts/store.ts';
import { startServiceTracing, tracedEngine, tracedStore, tracingPart } from '../parts/tracing.ts';
import { createService } from '../service.ts';
import { faultOf, Link } from './link.ts';
import {
  CELLS,
  type FrontEndCalls,
  type FrontEndReady,
  type FrontEndSetup,
  type FrontEndStatus,
  type MainCalls,
} from './messages.ts';
import { createRootQuestions, type RootQuestions } from './root-questions.ts';

// Program of the thread of a front end: all public interfaces, on connections that the main thread hands over. Whatever ends
// it, its connections are closed first: Node aborts the process if a thread ends with open ones.

const REPORT_MS = 1000;
/** Time for connections that are on their way when the main thread sends no more, in milliseconds. */
const ARRIVAL_MS = 50;
/** Longest wait, in a thread that exits, for the main thread to send no more, in milliseconds: it may be busy. */
const LEAVE_MS = 30_000;

/** A front end that serves. */
interface Running {
  readonly life: Lifecycle;
  readonly server: HttpServer;
  readonly gate: FrontEndGate;
  readonly engine: Pick<Engine, 'stats' | 'setWorkers'>;
  readonly usage: UsageTally;
  readonly metrics: Metrics;
  readonly roots: RootQuestions;
}

class FrontEndThread {
  readonly #setup: FrontEndSetup;
  readonly #link: Link<FrontEndCalls, MainCalls>;
  readonly #log: Log;
  #running: Running | undefined;
  #isEnding = false;

  constructor(port: MessagePort, setup: FrontEndSetup) {
    this.#setup = setup;
    this.#link = new Link<FrontEndCalls, MainCalls>(port, {
      drain: () => this.#serving.server.setDraining(),
      whenIdle: async (timeoutMs) => {
        const { server } = this.#serving;
        await server.whenIdle(timeoutMs);
        return server.openExchanges;
      },
      reloadCertificate: () => this.#reloadCertificate(),
      setWorkers: async (workers) => {
        const running = this.#serving;
        await running.engine.setWorkers(workers);
        // Before the answer, which the caller takes for the new state.
        this.#report(running);
      },
      takeUsage: () => this.#serving.usage.take(),
      metrics: () => this.#serving.metrics.snapshot(),
      limitAddresses: (addressKeys) => this.#serving.gate.setOverLimit(addressKeys),
      confirmRoots: (roots) => this.#serving.roots.confirm(roots),
      stop: () => this.#stop(),
      halt: () => this.#closeConnections(),
    });
    this.#log = createLog({
      ...setup.config.log,
      destination: new LineBuffer({ write: (lines) => this.#link.tell('log', lines) }),
    });
    process.on('uncaughtException', (fault) => void this.#end(fault));
    process.on('exit', () => this.#closeAtExit());
  }

  async start(): Promise<void> {
    try {
      const running = await startService(this.#setup, this.#link, this.#log);
      this.#running = running;
      // A fault has come meanwhile: the main thread must not send connections.
      if (this.#isEnding) return;
      setInterval(() => this.#report(running), REPORT_MS);
      this.#link.tell('ready', { ...statusOf(running), ...factsOf(running.server) });
    } catch (error) {
      this.#link.tell('failed', faultOf(error));
      process.exitCode = 1;
      process.exit();
    }
  }

  /** What it serves with; the main thread asks only once it is ready. */
  get #serving(): Running {
    if (this.#running === undefined) throw new Error('the front end is not ready');
    return this.#running;
  }

  #report(running: Running): void {
    this.#link.tell('report', statusOf(running));
  }

  async #reloadCertificate(): Promise<boolean> {
    const { server } = this.#serving;
    if (!(await server.reloadCertificate())) return false;
    await this.#link.call('replace', factsOf(server));
    return true;
  }

  /** Ends in good order, after the main thread has ceased to send connections. */
  async #stop(): Promise<void> {
    this.#isEnding = true;
    try {
      await delay(ARRIVAL_MS);
      this.#closeConnections();
      for (const { name, error } of (await this.#running?.life.stop()) ?? [])
        this.#logFault(`stopping failed: ${name}`, error);
      await this.#tellLast();
    } finally {
      this.#log.flush();
      // After the answer to this call.
      setImmediate(() => process.exit(0));
    }
  }

  /** Ends after a fault: what is in progress here may be wrong. */
  async #end(fault: unknown): Promise<void> {
    this.#logFault(`front end ${this.#setup.index} ends after a fault`, fault);
    if (this.#isEnding) return;
    this.#isEnding = true;
    // However long it takes: a connection that is sent to a thread that has ended would end the process.
    await this.#link.call('leave');
    await Promise.race([this.#tellLast().catch(() => undefined), delay(ARRIVAL_MS)]);
    await delay(ARRIVAL_MS);
    this.#closeConnections();
    process.exit(1);
  }

  #logFault(message: string, err: unknown): void {
    this.#log.fatal(message, { event: 'front_end.fault', frontEnd: this.#setup.index, err });
    this.#log.flush();
  }

  /** Hands over what was counted here since it was last asked for. */
  async #tellLast(): Promise<void> {
    if (this.#running === undefined) return;
    const { usage, metrics } = this.#running;
    const snapshot = await metrics.snapshot();
    this.#link.tell('last', usage.take(), snapshot);
  }

  /** Closes the connections without a turn of the event loop: something has ended the thread. */
  #closeAtExit(): void {
    if (Atomics.load(this.#setup.cells, CELLS.closed) === 0) {
      this.#link.tell('leave');
      Atomics.wait(this.#setup.cells, CELLS.left, 0, LEAVE_MS);
    }
    // Also where they are closed: one may have arrived since.
    this.#closeConnections();
  }

  #closeConnections(): void {
    void this.#running?.server.closeAll();
    Atomics.store(this.#setup.cells, CELLS.closed, 1);
    Atomics.notify(this.#setup.cells, CELLS.closed);
  }
}

function statusOf({ server, engine }: Running): FrontEndStatus {
  return { load: server.load(), openExchanges: server.openExchanges, engine: engine.stats() };
}

function factsOf({
  descriptor,
  certificateExpiresAt,
}: HttpServer): Pick<FrontEndReady, 'descriptor' | 'certificateExpiresAt'> {
  if (descriptor === undefined) throw new Error('the HTTP library has no descriptors');
  return { descriptor, certificateExpiresAt };
}

/** Ends the thread: an engine that has failed for good is a fault like any other. */
function failAsFault(cause: unknown): void {
  queueMicrotask(() => {
    throw cause;
  });
}

/** Takes the place of this front end among those that count for each other. */
function takeSeat(
  { index, config, counts, maxOpen }: FrontEndSetup,
  link: Pick<Link<FrontEndCalls, MainCalls>, 'tell'>,
  observer: ListenerObserver,
): FrontEndSeat {
  return {
    gate: new FrontEndGate({
      maxOpen,
      count: new FrontEndConnections(counts, index - 1),
      onRefused: () => observer.refused(),
      onReached: () => link.tell('connectionsReached'),
    }),
    totals: new FrontEndAddresses(counts, index - 1, config.http),
    serving: new FrontEndServing(counts, index - 1, config.http.maxOpenExchanges),
  };
}

async function startService(
  setup: FrontEndSetup,
  link: Link<FrontEndCalls, MainCalls>,
  log: Log,
): Promise<Running> {
  const { config, binary, cells } = setup;
  const now = Date.now;
  const life = new Lifecycle();
  shareHttpLibrary(config.http.library, binary);
  useProxies(proxyFinder(config.outgoing.proxies));
  const metrics = createMetrics(`front_end_${setup.index}`);
  life.add({ name: 'metrics', stop: () => metrics.close() });
  const tracing = await startServiceTracing(config, log);
  life.add(tracingPart(tracing));
  const changes = createStoreChanges(setup.storeChanges);
  const threads: SharedThreads = {
    attach: (role, port) => link.tell('attachStore', role, port),
    gate: setup.storeGate,
  };
  const opened = await openServiceStore(config, { now, changes, threads }, log, metrics);
  const store = tracedStore(opened, tracing);
  life.add(openStorePart(store));
  // The main thread has logged which backend runs, and why.
  const quiet = { ...log, info: log.debug, warn: log.debug };
  const ownEngine = await startEngine(config, quiet, failAsFault);
  process.on('exit', () => ownEngine.abandon());
  const engine = tracedEngine(ownEngine, tracing);
  life.add(enginePart(engine));
  const usage = new UsageTally(now);
  const roots = createRootQuestions(setup, link);
  const service = await createService({
    config,
    store,
    apps: await openApps(config, store.apps),
    engine,
    rootSources: roots.lookup,
    log,
    metrics,
    usage,
    now,
  });
  // The main thread has reported the errors, which are those of the store.
  await prepareKeys(service.keys, config, store, { error: () => undefined });
  const overload = new Overload();
  const seat = takeSeat(setup, link, observeListener('public', log, metrics));
  const server = await openPublicListener({
    ...service,
    limits: new Limits(setup.limits),
    health: {
      get isReady() {
        return Atomics.load(cells, CELLS.ready) === 1;
      },
    },
    overload,
    circuit: config.profile === 'production' ? undefined : () => link.call('circuit'),
    tracing,
    frontEnd: seat,
  });
  life.add(frontEndHealthPart(life.health, overload, (state) => link.tell('health', state)));
  metrics.setReaders(life.metrics);
  await life.start();
  return { life, server, gate: seat.gate, engine, usage, metrics, roots };
}

if (parentPort !== null) void new FrontEndThread(parentPort, workerData as FrontEndSetup).start();
