/** Exhausted resource that makes the service refuse requests of every client. */
export type OverloadCause = 'exchanges' | 'body_memory' | 'connections';

// Longer than the check interval of most load balancers, so that a short pause between refusals does not count as the
// end.
const CALM_MS = 5000;

/**
 * Tracks whether the service refuses requests because it is overloaded, for readiness. An overload begins
 * with the first refusal and ends after five seconds without one.
 */
export class Overload {
  readonly #now: () => number;
  /** End of each cause, in milliseconds of `#now`. */
  readonly #until = new Map<OverloadCause, number>();
  /** Causes in force in other threads. */
  readonly #reported = new Map<string, readonly OverloadCause[]>();
  #onBegin: () => void = () => undefined;

  /** @param now - Milliseconds of a monotonic clock. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Sets the function that is called when an overload begins; its end has to be polled. */
  set onBegin(listener: () => void) {
    this.#onBegin = listener;
  }

  /** Records a refused request. */
  refused(cause: OverloadCause): void {
    this.#set(cause, this.#now() + CALM_MS);
  }

  /** Records that all requests are refused until `release`. */
  hold(cause: OverloadCause): void {
    this.#set(cause, Number.POSITIVE_INFINITY);
  }

  /** Ends `hold`; the overload then lasts as long as after a refusal. */
  release(cause: OverloadCause): void {
    this.#until.set(cause, this.#now() + CALM_MS);
  }

  /** Replaces the causes in force in another thread; empty once it serves all requests, or has ended. */
  report(thread: string, causes: readonly OverloadCause[]): void {
    const known = this.causes;
    this.#reported.set(thread, causes);
    if (causes.some((cause) => !known.includes(cause))) this.#onBegin();
  }

  /** Causes in force now; empty when requests are served. */
  get causes(): OverloadCause[] {
    const now = this.#now();
    const own = [...this.#until].filter(([, until]) => until > now).map(([cause]) => cause);
    return [...new Set([...own, ...[...this.#reported.values()].flat()])];
  }

  #set(cause: OverloadCause, until: number): void {
    const last = this.#until.get(cause);
    this.#until.set(cause, until);
    if (last === undefined || last <= this.#now()) this.#onBegin();
  }
}
