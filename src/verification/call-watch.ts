import { ServiceError } from '../errors/index.ts';
import { type CancelSignal, type Deadlines, Timed } from '../waiting/index.ts';

/**
 * Watches over one call: its time limit, and a client that is gone. Either ends the call, which waits for one thing at
 * a time; `aborted` then tells the engine not to begin what is queued.
 */
export class CallWatch extends Timed {
  readonly #deadlines: Deadlines;
  readonly #caller: CancelSignal;
  readonly #onGone = (): void => this.#end(new ServiceError('engine.cancelled', 'the client is gone'));
  #error: ServiceError | undefined;
  #onEnd: ((error: ServiceError) => void) | undefined;

  /** @param caller - Fires when nobody waits for the answer any more. */
  constructor(deadlines: Deadlines, caller: CancelSignal) {
    super();
    this.#deadlines = deadlines;
    this.#caller = caller;
    deadlines.add(this);
    if (caller.aborted) this.#onGone();
    else caller.addEventListener('abort', this.#onGone, { once: true });
  }

  /** Whether the call ended before its answer. */
  get aborted(): boolean {
    return this.#error !== undefined;
  }

  /**
   * What `work` gives, unless the call ends before.
   *
   * @throws ServiceError `verify.deadline`, `engine.cancelled`, and what work throws
   */
  wait<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.onEnd(reject);
      work.then(resolve, reject);
    });
  }

  /** Calls back with the error when the call ends, at once where it has ended; this takes the place of a callback before. */
  onEnd(callback: (error: ServiceError) => void): void {
    this.#onEnd = callback;
    if (this.#error !== undefined) callback(this.#error);
  }

  /** @throws ServiceError `verify.deadline`, `engine.cancelled` */
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
    this.#onEnd?.(error);
  }
}
