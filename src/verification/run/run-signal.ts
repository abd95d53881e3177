import { ServiceError } from '../../errors/index.ts';

/** Signal that fires when the client of a call disconnects; the needed part of `AbortSignal`. */
export interface ClientSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
}

/** Timer of one call. */
export interface CallTimer {
  /** Calls back once when the time has passed, unless the call has its response by then. */
  startDeadline(milliseconds: number, onPassed: () => void): void;
}

/**
 * Ends the waits of one run at its deadline or when its client disconnects
 * (`spec/verification.md#deadline-and-cancellation`). The engine does not begin a queued proof once `aborted` is set.
 */
export class RunSignal {
  aborted = false;
  #reason: unknown;
  #reject: ((reason: unknown) => void) | undefined;
  #isStopped = false;

  /**
   * Starts the deadline and watches the client.
   *
   * @throws ServiceError `engine.cancelled` if the client has already disconnected
   */
  start(client: ClientSignal, timer: CallTimer, deadlineMs: number): void {
    if (client.aborted) throw clientDisconnected();
    client.addEventListener('abort', () => {
      if (!this.#isStopped) this.abort(clientDisconnected());
    });
    timer.startDeadline(deadlineMs, () => {
      if (!this.#isStopped) this.abort(new ServiceError('verify.deadline'));
    });
  }

  /** Waits for a promise; throws as `wait`. */
  waitFor<T>(work: Promise<T>): Promise<T> {
    return this.wait((resolve, reject) => void work.then(resolve, reject));
  }

  /**
   * Waits until the work that `begin` starts resolves or rejects.
   *
   * @throws The reason of the abort, if that is first.
   */
  wait<T>(begin: (resolve: (value: T) => void, reject: (fault: unknown) => void) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      if (this.aborted) reject(this.#reason);
      begin(resolve, reject);
    });
  }

  /** Ends the run and its wait; the first reason counts. */
  abort(reason: unknown): void {
    if (this.aborted) return;
    this.#reason = reason;
    this.aborted = true;
    this.stop();
    this.#reject?.(reason);
  }

  /** From now on neither deadline nor client can abort the run. */
  stop(): void {
    this.#isStopped = true;
  }
}

function clientDisconnected(): ServiceError {
  return new ServiceError('engine.cancelled', 'the client has disconnected');
}
