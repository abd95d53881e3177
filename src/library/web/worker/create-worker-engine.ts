import { joinBytes } from '../../../bytes.ts';
import { retriesAfterLoss } from '../../../engine/dispatch/failures.ts';
import { messageOf } from '../../../text.ts';
import { Engine } from '../../facade/engine.ts';
import type { CoreVerdict, EngineStats } from '../../facade/engine-core.ts';
import { checkOptions } from '../../facade/engine-options.ts';
import { ProofgateError } from '../../facade/proofgate-error.ts';
import { QueuedCore } from '../batch-queue.ts';
import type { WebEngineOptions } from '../create-engine.ts';
import { compileFirst } from '../load-module.ts';
import { Connection, type EngineWorker, WorkerLost } from './connection.ts';
import type { CallName, WorkerCalls } from './protocol.ts';

/** Start of workers, and limits of the queue. */
export interface WorkerCoreSettings {
  readonly startWorker: () => EngineWorker;
  readonly start: WorkerCalls['start']['takes'];
  readonly maxQueue: number;
}

type Started = WorkerCalls['start']['gives'];

interface Key {
  readonly keyId: string;
  readonly bytes: Uint8Array;
  readonly acceptsDegenerate: boolean;
  readonly inputCount: number;
}

/** The next batch is already there when the worker has answered one. */
const BATCHES_IN_FLIGHT = 2;
const MAX_LOSSES = 2;
const POISON: CoreVerdict = Object.freeze({ ok: false, code: 'engine.poison' });

/**
 * A core in a worker of the page. Statements wait in the page and are kept until they are answered: if the worker ends,
 * another one gets the keys and the batches again, and the statements of a batch that ended two workers one by one.
 */
class WorkerCore extends QueuedCore<Key> {
  readonly #settings: WorkerCoreSettings;
  #connection: Promise<Connection>;
  #started: Started | undefined;
  #restarts = 0;

  private constructor(settings: WorkerCoreSettings) {
    const { maxQueue, start } = settings;
    super({ maxQueue, maxBatch: start.maxBatch, inFlight: BATCHES_IN_FLIGHT });
    this.#settings = settings;
    this.#connection = this.#connect();
  }

  /** @throws ProofgateError as `loadModule` does; `engine.worker_failed` if the worker does not start */
  static async start(settings: WorkerCoreSettings): Promise<WorkerCore> {
    const core = new WorkerCore(settings);
    await core.#connection;
    return core;
  }

  async addKey(keyId: string, key: Uint8Array, acceptsDegenerate: boolean): Promise<void> {
    const bytes = new Uint8Array(key);
    let inputCount: number | undefined;
    for (let losses = 0; inputCount === undefined; ) {
      try {
        inputCount = await this.#call('addKey', { keyId, key: bytes, acceptsDegenerate });
      } catch (error) {
        if (!(error instanceof WorkerLost)) throw error;
        if (error.isSuspect) losses += 1;
        if (losses === MAX_LOSSES) throw new ProofgateError('engine.worker_failed', error.message);
      }
    }
    if (!this.keys.has(keyId)) this.keys.set(keyId, { keyId, bytes, acceptsDegenerate, inputCount });
  }

  stats(): EngineStats {
    const { arithmetic, reason } = this.#started as Started;
    return {
      backend: 'wasm',
      arithmetic,
      reason,
      workers: 1,
      readyWorkers: 1,
      workerRestarts: this.#restarts,
      ...this.queueStats(),
    };
  }

  async close(): Promise<void> {
    await this.queue.drained();
    this.keys.clear();
    // A worker that did not start has already ended.
    await this.#connection.then(
      (connection) => connection.close(),
      () => undefined,
    );
  }

  protected async check(
    key: Key,
    statements: readonly Uint8Array[],
    losses = 0,
  ): Promise<readonly CoreVerdict[]> {
    try {
      const joined = joinBytes(statements);
      const data = { keyId: key.keyId, statements: joined, count: statements.length };
      return await this.#call('verify', data, [joined.buffer]);
    } catch (error) {
      if (!(error instanceof WorkerLost)) throw error;
      if (!error.isSuspect) return await this.check(key, statements, losses);
    }
    const retries = retriesAfterLoss(statements, losses);
    if (retries.length === 0) return [POISON];
    const verdicts: CoreVerdict[] = [];
    for (const retry of retries) verdicts.push(...(await this.check(key, retry.items, retry.losses)));
    return verdicts;
  }

  async #call<Name extends CallName>(
    name: Name,
    data: WorkerCalls[Name]['takes'],
    transfer?: ArrayBuffer[],
  ): Promise<WorkerCalls[Name]['gives']> {
    const connection = await this.#connected();
    return await connection.call(name, data, transfer);
  }

  /** Returns the connection to a live worker; starts one if the last has ended. */
  async #connected(): Promise<Connection> {
    const present = this.#connection;
    const isLost = await present.then(
      (connection) => connection.isLost,
      () => true,
    );
    // Of concurrent callers, the first replaces it.
    if (isLost && this.#connection === present) {
      this.#restarts += 1;
      this.#connection = this.#connect();
    }
    return isLost ? await this.#connection : await present;
  }

  async #connect(): Promise<Connection> {
    const connection = new Connection(this.#settings.startWorker());
    try {
      this.#started = await connection.call('start', this.#settings.start);
      for (const { keyId, bytes, acceptsDegenerate } of this.keys.values())
        await connection.call('addKey', { keyId, key: bytes, acceptsDegenerate });
      return connection;
    } catch (error) {
      connection.close();
      if (error instanceof WorkerLost) throw new ProofgateError('engine.worker_failed', error.message);
      throw error;
    }
  }
}

/** Options of `createWorkerEngine`. */
export interface WorkerEngineOptions extends WebEngineOptions {
  /**
   * Starts the module worker with the program `proofgate/web-worker`, for bundlers that do not detect it: `() => new
   * Worker('/proofgate-worker.js', { type: 'module' })`.
   */
  readonly worker?: () => EngineWorker;
}

declare const Worker: new (url: URL, options: { readonly type: 'module' }) => EngineWorker;

/**
 * Starts the engine in a module worker, so that the calling thread, such as a page, stays free while proofs are
 * checked. A worker that fails is replaced, and no proof is lost. `close()` ends the worker.
 *
 * @throws ProofgateError as `createEngine` does; `engine.worker_failed` if the worker does not start
 */
export async function createWorkerEngine(options: WorkerEngineOptions = {}): Promise<Engine> {
  const { backend, maxQueue, maxBatch } = checkOptions(options, 1);
  const startWorker = checkedStart(options.worker ?? startOwnWorker);
  const { module: given } = options;
  const module = given === undefined ? undefined : await compileFirst(given, backend);
  return new Engine(await WorkerCore.start({ startWorker, start: { backend, maxBatch, module }, maxQueue }));
}

// A single expression, which bundlers recognize. The file is next to the bundle of the package.
function startOwnWorker(): EngineWorker {
  return new Worker(new URL('./web-worker.js', import.meta.url), { type: 'module' });
}

function checkedStart(start: () => EngineWorker): () => EngineWorker {
  return () => {
    try {
      return start();
    } catch (error) {
      throw new ProofgateError('engine.worker_failed', messageOf(error), { cause: error });
    }
  };
}
