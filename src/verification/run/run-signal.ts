import { ServiceError } from '../../errors/index.ts';
import type { CancelSignal } from '../../waiting/index.ts';

/**
 * Ends the waits of one run at its deadline or when its client disconnects
 * (`spec/verification.md#deadline-and-cancellation`). The engine does not begin a queued proof once `aborted` is set.
 */
export class RunSignal {
  aborted = false;
  #reason: unknown;
  #reject: ((reason: unknown) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #client: CancelSignal | undefined;
  readonly #onDisconnect = (): void => this.abort(clientGone());

  /**
   * Starts the deadline and watches the client.
   *
   * @throws ServiceError `engine.cancelled` when the client is gone already
   */
  start(client: CancelSignal, deadlineMs: number): void {
    if (client.aborted) throw clientGone();
    this.#client = client;
    client.addEventListener('abort', this.#onDisconnect);
    this.#timer = setTimeout(() => this.abort(new ServiceError('verify.deadline')), deadlineMs);
  }

  /** Waits for a promise, as `wait`. */
  waitFor<T>(work: Promise<T>): Promise<T> {
    return this.wait((resolve, reject) => void work.then(resolve, reject));
  }

  /**
   * Waits for what `begin` starts.
   *
   * @throws The reason of the abort, when that comes first.
   */
  wait<T>(begin: (resolve: (value: T) => void, reject: (fault: unknown) => void) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      if (this.aborted) reject(this.#reason);
      begin(resolve, reject);
    });
  }

  /** Ends the run and what it waits for; the first reason counts. */
  abort(reason: unknown): void {
    if (this.aborted) return;
    this.#reason = reason;
    this.aborted = true;
    this.stop();
    this.#reject?.(reason);
  }

  /** Stops the deadline and no longer watches the client: from here on the run cannot be aborted from outside. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#client?.removeEventListener('abort', this.#onDisconnect);
  }
}

function clientGone(): ServiceError {
  return new ServiceError('engine.cancelled', 'the client is gone');
}
