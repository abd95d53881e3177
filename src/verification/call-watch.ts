import { ServiceError } from '../errors/index.ts';
import { Cancellation, type CancelSignal, type Deadlines, type Timed } from '../waiting/index.ts';

/**
 * Watches over one call: its time limit, and a client that is gone. Either ends the call, which waits for one thing at
 * a time; as a signal it then drops the work that is queued.
 */
export class CallWatch extends Cancellation implements Timed {
  readonly #deadlines: Deadlines;
  readonly #caller: CancelSignal;
  readonly #onGone = (): void => this.#end(new ServiceError('engine.cancelled', 'the client is gone'));
  #error: ServiceError | undefined;
  #reject: ((error: ServiceError) => void) | undefined;

  /** @param caller - Fires when nobody waits for the answer any more. */
  constructor(deadlines: Deadlines, caller: CancelSignal) {
    super();
    this.#deadlines = deadlines;
    this.#caller = caller;
    deadlines.add(this);
    if (caller.aborted) this.#onGone();
    else caller.addEventListener('abort', this.#onGone, { once: true });
  }

  /**
   * What `work` gives, unless the call ends before.
   *
   * @throws ServiceError `verify.deadline`, `engine.cancelled`, and what work throws
   */
  wait<T>(work: Promise<T>): Promise<T> {
    if (this.#error !== undefined) {
      work.catch(() => undefined);
      return Promise.reject(this.#error);
    }
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      work.then(resolve, reject);
    });
  }

  /** @throws ServiceError as `wait` */
  throwIfEnded(): void {
    if (this.#error !== undefined) throw this.#error;
  }

  /** Nothing ends the call any more. */
  stop(): void {
    this.#deadlines.delete(this);
    this.#caller.removeEventListener('abort', this.#onGone);
  }

  expire(): void {
    this.#end(new ServiceError('verify.deadline'));
  }

  #end(error: ServiceError): void {
    if (this.#error !== undefined) return;
    this.#error = error;
    this.cancel();
    this.#reject?.(error);
  }
}
