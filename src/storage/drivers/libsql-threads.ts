import type { MessagePort } from 'node:worker_threads';
import type { ThreadRole } from './driver.ts';
import type { GateCells } from './exit-gate.ts';
import type { OnThreadEnd } from './libsql-port.ts';
import { LibsqlThread, type StartWorker } from './libsql-thread.ts';

/** The database threads that a driver uses: one that writes, one for long reads. */
export interface DatabaseThreads {
  /** Has a thread serve a port; parameters as for `AttachPort`. */
  attach(role: ThreadRole, port: MessagePort, onEnd?: OnThreadEnd): void;
  /** Waits for the transactions that have arrived, then ends the threads; absent for those of another driver. */
  close?(): Promise<void>;
}

/** Database threads of a driver in another thread of the process. */
export interface SharedThreads extends DatabaseThreads {
  /** Hands the port to the other thread, which passes it to `Store.attach`. */
  attach(role: ThreadRole, port: MessagePort): void;
  /** Made and registered by the other thread: delays the exit of the process during reads of this one (`exit-gate.ts`). */
  readonly gate: GateCells;
}

/** Options of `OwnThreads`, from those of the driver. */
interface ThreadOptions {
  readonly path: string;
  readonly startWorker?: StartWorker;
  readonly onThreadDeath?: (reason: string) => void;
}

/** The database threads of one driver, which may serve others. */
export class OwnThreads implements DatabaseThreads {
  readonly #threads: Readonly<Record<ThreadRole, LibsqlThread>>;

  constructor({ path, startWorker, onThreadDeath = () => undefined }: ThreadOptions, busyTimeoutMs: number) {
    const threadOf = (role: ThreadRole): LibsqlThread =>
      new LibsqlThread({ path, busyTimeoutMs, role }, onThreadDeath, startWorker);
    this.#threads = { write: threadOf('write'), read: threadOf('read') };
  }

  attach(role: ThreadRole, port: MessagePort, onEnd?: OnThreadEnd): void {
    this.#threads[role].attach(port, onEnd);
  }

  async close(): Promise<void> {
    await Promise.all([this.#threads.write.close(), this.#threads.read.close()]);
  }
}
