import '../../source-maps.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { openApps } from '../../apps/configured-apps.ts';
import { proxyFinder } from '../../config/values/proxy-rules.ts';
import { useProxies } from '../../egress-proxies.ts';
import type { Engine } from '../../engine/engine.ts';
import { shareHttpLibrary } from '../../http/library/load-http-library.ts';
import { Overload } from '../../http/limits/overload.ts';
import type { HttpServer } from '../../http/server.ts';
import { createLog, type Log } from '../../observability/log/log.ts';
import { createMetrics } from '../../observability/metrics/metrics.ts';
import { UsageTally } from '../../observability/usage.ts';
import { openPublicListener } from '../listeners/public-listener.ts';
import { startEngine } from '../parts/engine.ts';
import { prepareKeys } from '../parts/keys.ts';
import { openServiceStore } from '../parts/store.ts';
import { startServiceTracing, tracedEngine, tracedStore } from '../parts/tracing.ts';
import { createUsageWriter, type UsageWriter } from '../parts/usage-writer.ts';
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
/** Longest wait for the main thread to send no more, in milliseconds. */
const LEAVE_MS = 1000;

/** A front end that serves. */
interface Running {
  readonly server: HttpServer;
  readonly engine: Pick<Engine, 'stats' | 'setWorkers'>;
  readonly overload: Overload;
  readonly usageWriter: UsageWriter;
  readonly roots: RootQuestions;
  /** Ends the engine, the store and everything else but the connections. */
  release(): Promise<void>;
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
      drain: () => this.#running?.server.setDraining(),
      whenIdle: async (timeoutMs) => {
        await this.#running?.server.whenIdle(timeoutMs);
        return this.#running?.server.openExchanges ?? 0;
      },
      reloadCertificate: () => this.#reloadCertificate(),
      setWorkers: async (workers) => this.#running?.engine.setWorkers(workers),
      flushUsage: async () => this.#running?.usageWriter.write(),
      confirmRoots: (roots) => this.#running?.roots.confirm(roots),
      stop: () => this.#stop(),
      halt: () => this.#closeConnections(),
    });
    this.#log = createLog({
      ...setup.config.log,
      destination: { write: (lines) => this.#link.tell('log', lines) },
    });
    process.on('uncaughtException', (fault) => void this.#end(fault));
    process.on('exit', () => this.#closeAtExit());
  }

  async start(): Promise<void> {
    try {
      const running = await startService(this.#setup, this.#link, this.#log);
      this.#running = running;
      running.overload.onBegin = () => this.#report();
      setInterval(() => this.#report(), REPORT_MS);
      const { server } = running;
      this.#link.tell('ready', { ...this.#status(running), ...factsOf(server) });
    } catch (error) {
      this.#link.tell('failed', faultOf(error));
      process.exitCode = 1;
      process.exit();
    }
  }

  #status({ server, engine, overload }: Running): FrontEndStatus {
    return {
      load: server.load(),
      openExchanges: server.openExchanges,
      engine: engine.stats(),
      overload: overload.causes,
    };
  }

  #report(): void {
    if (this.#running !== undefined) this.#link.tell('report', this.#status(this.#running));
  }

  async #reloadCertificate(): Promise<boolean> {
    const server = this.#running?.server;
    if (server === undefined || !(await server.reloadCertificate())) return false;
    await this.#link.call('replace', factsOf(server));
    return true;
  }

  /** Ends in good order, after the main thread has ceased to send connections. */
  async #stop(): Promise<void> {
    this.#isEnding = true;
    this.#closeConnections();
    await this.#running?.release();
    this.#log.flush();
    // After the answer to this call.
    setImmediate(() => process.exit(0));
  }

  /** Ends after a fault: what is in progress here may be wrong. */
  async #end(fault: unknown): Promise<void> {
    if (this.#isEnding) return;
    this.#isEnding = true;
    const { index } = this.#setup;
    this.#log.fatal(`front end ${index} ends after a fault`, {
      event: 'front_end.fault',
      frontEnd: index,
      err: fault,
    });
    this.#log.flush();
    await Promise.race([this.#link.call('leave').catch(() => undefined), delay(LEAVE_MS)]);
    await delay(ARRIVAL_MS);
    this.#closeConnections();
    process.exit(1);
  }

  /** Closes the connections without a turn of the event loop: something has ended the thread. */
  #closeAtExit(): void {
    if (Atomics.load(this.#setup.cells, CELLS.closed) === 1) return;
    this.#link.tell('leave');
    Atomics.wait(this.#setup.cells, CELLS.left, 0, LEAVE_MS);
    this.#closeConnections();
  }

  #closeConnections(): void {
    void this.#running?.server.closeAll();
    Atomics.store(this.#setup.cells, CELLS.closed, 1);
    Atomics.notify(this.#setup.cells, CELLS.closed);
  }
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

async function startService(
  setup: FrontEndSetup,
  link: Link<FrontEndCalls, MainCalls>,
  log: Log,
): Promise<Running> {
  const { config, binary, cells } = setup;
  const now = Date.now;
  shareHttpLibrary(config.http.library, binary);
  useProxies(proxyFinder(config.outgoing.proxies));
  const metrics = createMetrics();
  const tracing = await startServiceTracing(config, log);
  const opened = await openServiceStore(config, { now }, log, metrics);
  const store = tracedStore(opened, tracing);
  const engine = tracedEngine(await startEngine(config, log, failAsFault), tracing);
  const usage = new UsageTally(now);
  const usageWriter = createUsageWriter(usage, store.usage, log, async ({ refusals }) =>
    link.tell('countRefusals', refusals),
  );
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
  await prepareKeys(service.keys, config, store, log);
  const overload = new Overload();
  const server = await openPublicListener({
    ...service,
    health: {
      get isReady() {
        return Atomics.load(cells, CELLS.ready) === 1;
      },
    },
    overload,
    circuit: config.profile === 'production' ? undefined : () => link.call('circuit'),
    tracing,
    isHandedConnections: true,
  });
  await usageWriter.start?.();
  return {
    server,
    engine,
    overload,
    usageWriter,
    roots,
    async release() {
      await engine.close();
      await usageWriter.stop();
      await tracing?.close();
      metrics.close();
      await store.close();
    },
  };
}

if (parentPort !== null) void new FrontEndThread(parentPort, workerData as FrontEndSetup).start();
