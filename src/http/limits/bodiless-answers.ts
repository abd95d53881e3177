/** Number of such answers allowed in a burst, and per second, before some end their connections. */
const BURST = 64;
const PER_SECOND = 4;
/**
 * Beyond that, one in this many ends its connection, at random, so that a client cannot predict which one
 * does.
 */
const ONE_IN = 16;

/**
 * Bounds the memory that clients can occupy by not reading answers 204 and 304 and, with some binaries, answers to HEAD.
 * Whether they are read cannot be observed, and uWebSockets.js buffers the unread ones. Every other answer waits until its
 * client reads, or belongs to requests limited per address.
 */
export class BodilessAnswers {
  #level = 0;
  #countedAtMs = 0;

  /**
   * Counts an answer and returns whether it must be the last of its connection.
   *
   * @param nowMs - Milliseconds of a monotonic clock.
   */
  isLast(nowMs: number = performance.now()): boolean {
    const passed = ((nowMs - this.#countedAtMs) / 1000) * PER_SECOND;
    this.#level = Math.min(BURST, Math.max(0, this.#level - passed)) + 1;
    this.#countedAtMs = nowMs;
    return this.#level > BURST && Math.random() < 1 / ONE_IN;
  }
}
