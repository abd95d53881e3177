/** Something whose time may run out. */
export interface Timed {
  /** Called once its time is over, unless it was taken out before. */
  expire(): void;
}

/**
 * Time limits of one length, with one timer for all of them: what begins later ends later, so that only the oldest
 * has to be watched. Beginning and ending a wait costs an entry of a map each, where a timer of its own would cost
 * microseconds. The timer does not keep the process alive.
 */
export class Deadlines {
  readonly #limitMs: number;
  /** What waits and when its time is over (clock of `performance.now`), the oldest first. */
  readonly #dueAtMs = new Map<Timed, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** Lets the time of something begin. */
  add(timed: Timed): void {
    this.#dueAtMs.set(timed, performance.now() + this.#limitMs);
    if (this.#timer === undefined) this.#arm(this.#limitMs);
  }

  /** Takes something out; what is not there, or not any more, changes nothing. */
  delete(timed: Timed): void {
    this.#dueAtMs.delete(timed);
  }

  #arm(delayMs: number): void {
    this.#timer = setTimeout(() => this.#fire(), delayMs);
    this.#timer.unref();
  }

  #fire(): void {
    const now = performance.now();
    // until its end the timer that fired stands for the next, so that what comes meanwhile starts none
    for (const [timed, dueAtMs] of this.#dueAtMs) {
      if (dueAtMs > now) {
        this.#arm(Math.ceil(dueAtMs - now));
        return;
      }
      this.#dueAtMs.delete(timed);
      timed.expire();
    }
    this.#timer = undefined;
  }
}
