/** What the service has too little of, so that it refuses requests of anybody. */
export type OverloadCause = 'exchanges' | 'body_memory' | 'connections';

// Longer than the checks of most balancers are apart, so that one is taken for the end of an overload only when it is.
const CALM_MS = 5000;

/**
 * Whether the service refuses requests because it has too much to do, for readiness. An overload begins with the first
 * refusal and is over when five seconds went by without one.
 */
export class Overload {
  readonly #now: () => number;
  /** When each cause is over. */
  readonly #until = new Map<OverloadCause, number>();
  #onBegin: () => void = () => undefined;

  /** @param now - Milliseconds of a clock that does not jump. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Names who is told that an overload begins; its end has to be asked for. */
  set onBegin(listener: () => void) {
    this.#onBegin = listener;
  }

  /** A request was refused. */
  refused(cause: OverloadCause): void {
    this.#set(cause, this.#now() + CALM_MS);
  }

  /** Everything is refused until `release`. */
  hold(cause: OverloadCause): void {
    this.#set(cause, Number.POSITIVE_INFINITY);
  }

  /** Ends `hold`; calm has to last from now on as after a refusal. */
  release(cause: OverloadCause): void {
    this.#until.set(cause, this.#now() + CALM_MS);
  }

  /** What there is too little of now; empty when requests are served. */
  get causes(): OverloadCause[] {
    const now = this.#now();
    return [...this.#until].filter(([, until]) => until > now).map(([cause]) => cause);
  }

  #set(cause: OverloadCause, until: number): void {
    const last = this.#until.get(cause);
    this.#until.set(cause, until);
    if (last === undefined || last <= this.#now()) this.#onBegin();
  }
}
