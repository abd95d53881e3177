import { type MessagePort, Worker, type WorkerOptions } from 'node:worker_threads';
import { compiledFile } from '../../compiled-file.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { messageOf } from '../../text.ts';
import { createGateCells, forgetAtExit, haltAtExit } from './exit-gate.ts';
import { toServiceError } from './libsql-error.ts';
import type { LibsqlFailure } from './libsql-failure.ts';
import type { LibsqlControl, LibsqlLost, LibsqlWorkerData } from './libsql-messages.ts';
import type { OnThreadEnd } from './libsql-port.ts';

/** Starts a worker thread; tests pass their own to get hold of the thread. */
export type StartWorker = (file: URL, options: WorkerOptions) => Worker;

/** One life of the worker thread, from its start to its exit. */
interface Life {
  readonly worker: Worker;
  readonly onEnds: OnThreadEnd[];
}

/**
 * A worker thread with one connection, which serves ports of any threads of the process. It starts with the first port,
 * and again with the next one after it died; its death closes all of them.
 */
export class LibsqlThread {
  readonly #data: Omit<LibsqlWorkerData, 'gate'>;
  readonly #startWorker: StartWorker;
  readonly #onDeath: (reason: string) => void;
  readonly #endings = new Set<Promise<void>>();
  #life: Life | undefined;
  #isClosed = false;

  constructor(
    data: Omit<LibsqlWorkerData, 'gate'>,
    onDeath: (reason: string) => void,
    startWorker: StartWorker = (file, options) => new Worker(file, options),
  ) {
    this.#data = data;
    this.#onDeath = onDeath;
    this.#startWorker = startWorker;
  }

  /** Has the thread serve a port, or closes it if the thread was closed. @param onEnd - Called when the thread has ended. */
  attach(port: MessagePort, onEnd?: OnThreadEnd): void {
    if (this.#isClosed) {
      port.close();
      return;
    }
    try {
      this.#life ??= this.#start();
    } catch (error) {
      // The system refuses another thread: the other end of the port learns it as if the thread had ended.
      this.#onDeath(`the thread of the database cannot start: ${messageOf(error)}`);
      port.close();
      return;
    }
    if (onEnd !== undefined) this.#life.onEnds.push(onEnd);
    this.#life.worker.postMessage({ port } satisfies LibsqlControl, [port]);
  }

  /** Waits for the transactions that have arrived, then ends the thread. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#life?.worker.ref();
    this.#life?.worker.postMessage('close' satisfies LibsqlControl);
    await Promise.all(this.#endings);
  }

  #start(): Life {
    const gate = createGateCells();
    const workerData: LibsqlWorkerData = { ...this.#data, gate };
    const worker = this.#startWorker(compiledFile('storage/drivers/libsql-worker.js'), {
      workerData,
      // An empty environment keeps secrets out of the thread.
      env: {},
    });
    haltAtExit(gate);
    const life: Life = { worker, onEnds: [] };
    let failure: LibsqlFailure | undefined;
    let reason = 'the thread of the database ended';
    worker.on('message', (message: LibsqlLost) => {
      failure = message.failure;
      this.#forget(life);
    });
    // Ports with open transactions keep the process alive. A listener for messages would, too, if it were added later.
    worker.unref();
    worker.on('error', (error) => {
      reason = `the thread of the database ended: ${messageOf(error)}`;
      this.#forget(life);
    });
    const ended = new Promise<void>((resolve) => {
      worker.on('exit', () => {
        forgetAtExit(gate);
        this.#forget(life);
        this.#endings.delete(ended);
        const error =
          failure === undefined ? new ServiceError('store.unreachable', reason) : toServiceError(failure);
        for (const onEnd of life.onEnds) onEnd(error);
        if (!this.#isClosed) this.#onDeath(error.message);
        resolve();
      });
    });
    this.#endings.add(ended);
    return life;
  }

  /** Lets the next port start another thread. */
  #forget(life: Life): void {
    if (this.#life === life) this.#life = undefined;
  }
}
