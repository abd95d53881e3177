/** So many answers 204 and 304 may leave at once, and so many a second, before some of them end their connections. */
const BURST = 64;
const PER_SECOND = 4;
/** Beyond that one in so many, by chance, so that nobody can place the last ones on connections that are at hand. */
const ONE_IN = 16;

/**
 * Bounds what clients that read nothing can have kept of answers 204 and 304. Nothing tells whether these are read, and
 * uWebSockets.js keeps those that are not; every other answer waits for its client, or follows a request whose number is
 * limited per address.
 */
export class BodilessAnswers {
  #level = 0;
  #countedAtMs = 0;

  /**
   * Counts an answer; gives whether it has to be the last of its connection.
   *
   * @param nowMs - Milliseconds of a clock that does not jump.
   */
  isLast(nowMs: number = performance.now()): boolean {
    const passed = ((nowMs - this.#countedAtMs) / 1000) * PER_SECOND;
    this.#level = Math.min(BURST, Math.max(0, this.#level - passed)) + 1;
    this.#countedAtMs = nowMs;
    return this.#level > BURST && Math.random() < 1 / ONE_IN;
  }
}
