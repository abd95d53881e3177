/** Something whose time may run out. It has the place in the list of its `Deadlines` in itself. */
export abstract class Timed {
  /** When its time is over, in the clock of `performance.now`; of meaning to its `Deadlines` alone, like the others. */
  dueAtMs = 0;
  previous: Timed | undefined = undefined;
  next: Timed | undefined = undefined;
  isWaiting = false;

  /** Called once its time is over, unless it was taken out before. */
  abstract expire(): void;
}

/**
 * Time limits of one length, with one timer for all of them: what begins later ends later, so that only the oldest
 * has to be watched. Beginning and ending a wait costs a few writes, where a timer of its own would cost microseconds.
 * The timer does not keep the process alive.
 */
export class Deadlines {
  readonly #limitMs: number;
  // What waits, the oldest first.
  #oldest: Timed | undefined;
  #newest: Timed | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** Lets the time of something begin that waits nowhere. */
  add(timed: Timed): void {
    timed.dueAtMs = performance.now() + this.#limitMs;
    timed.isWaiting = true;
    timed.previous = this.#newest;
    if (this.#newest === undefined) this.#oldest = timed;
    else this.#newest.next = timed;
    this.#newest = timed;
    if (this.#timer === undefined) this.#arm(this.#limitMs);
  }

  /** Takes something out; what is not there, or not any more, changes nothing. */
  delete(timed: Timed): void {
    if (!timed.isWaiting) return;
    const { previous, next } = timed;
    if (previous === undefined) this.#oldest = next;
    else previous.next = next;
    if (next === undefined) this.#newest = previous;
    else next.previous = previous;
    timed.previous = undefined;
    timed.next = undefined;
    timed.isWaiting = false;
  }

  #arm(delayMs: number): void {
    this.#timer = setTimeout(() => this.#fire(), delayMs);
    this.#timer.unref();
  }

  #fire(): void {
    const now = performance.now();
    // until its end the timer that fired stands for the next, so that what comes meanwhile starts none
    for (let timed = this.#oldest; timed !== undefined; timed = this.#oldest) {
      if (timed.dueAtMs > now) {
        this.#arm(Math.ceil(timed.dueAtMs - now));
        return;
      }
      this.delete(timed);
      timed.expire();
    }
    this.#timer = undefined;
  }
}
