/** Part of the share of the others that all suspected sources divide between them, and the most that one may take. */
const BONUS = 1 / 16;
const MAX_FRACTION = 0.9;
// A batch of a suspected source takes several times as long as one of valid proofs: a small one delays the others less,
// and a smaller one still would waste what proofs of a batch have in common.
const MIN_BATCH = 16;
// Proofs that are not combined are checked side by side in SIMD lanes, of which there are 8 at most.
const LANES = 8;
/** Most proofs for which credit may be saved. */
const MAX_SAVED = 64;
// One batch of a suspected source may delay the others for this long at most, if any arrived within the last second.
const MAX_BATCH_MS = 4;
const RECENT_MS = 1000;
// Others that were seen this recently come back, as clients do that wait for an answer before the next request.
const PRESENT_MS = 20;
const SMOOTHING = 1 / 8;
const SLOW_SMOOTHING = 1 / 32;
const FIRST_COST_MS = 0.5;
// From about one bad proof in sixteen on, a batch costs less when its proofs are not combined.
const MANY_BAD = 1 / 16;
const FIRST_BAD = 1 / 8;

/** Load by the sources that are not suspected, against which the shares of suspected sources are measured. */
export class UnsuspectedLoad {
  /** Proofs that wait or run. */
  inFlight = 0;
  /** Recent peak of `inFlight`, in proofs; it falls slowly, since clients are away for a moment after each answer. */
  level = 0;
  #presentAtMs = Number.NEGATIVE_INFINITY;

  /** To be called with every batch that is taken from the queue. */
  tookBatch(nowMs: number): void {
    const change = this.inFlight - this.level;
    this.level += change > 0 ? change : change * SLOW_SMOOTHING;
    this.#presentAtMs = nowMs;
  }

  /** To be called when proofs arrive or are answered. */
  seen(nowMs: number): void {
    this.#presentAtMs = nowMs;
  }

  isPresent(nowMs: number): boolean {
    return this.inFlight > 0 || nowMs - this.#presentAtMs < PRESENT_MS;
  }

  /** Whether a proof may arrive at any moment, which a long batch would delay. */
  wereRecent(nowMs: number): boolean {
    return this.inFlight > 0 || nowMs - this.#presentAtMs < RECENT_MS;
  }
}

/**
 * Credit of a suspected source: the worker time that it may take. While no other source is present that is all there
 * is. Otherwise its rate follows its part of the proofs in flight, plus a sixteenth of the part of the others, which all
 * suspected sources divide between them. That is about the time that its proofs would take if they were valid: a source
 * that sends bad proofs delays itself and no other.
 */
export class FairShareCredit {
  /** Proofs that wait or run. */
  inFlight = 0;
  #level = 0;
  /** Worker time to its credit, in milliseconds; negative while it has taken too much. */
  #creditMs = 0;
  #creditedAtMs: number;
  /** Worker time for one proof in milliseconds, smoothed. */
  #costMs = FIRST_COST_MS;
  /** Fraction of bad proofs, smoothed over batches. */
  #badFraction = FIRST_BAD;
  readonly #others: UnsuspectedLoad;

  constructor(others: UnsuspectedLoad, nowMs: number) {
    this.#others = others;
    this.#creditedAtMs = nowMs;
  }

  /** Returns the most proofs of its next batch. */
  batchSize(nowMs: number): number {
    if (!this.#others.wereRecent(nowMs)) return Number.POSITIVE_INFINITY;
    const credit = this.#others.isPresent(nowMs) ? this.#creditMs : Number.POSITIVE_INFINITY;
    return Math.max(MIN_BATCH, LANES * Math.floor(Math.min(credit, MAX_BATCH_MS) / this.#costMs / LANES));
  }

  /**
   * Returns when its next batch is due, in the clock of `nowMs`; `nowMs` or less: now.
   *
   * @param threads - Threads that work.
   * @param suspects - Suspected sources that have proofs in flight.
   */
  dueAtMs(nowMs: number, threads: number, suspects: number): number {
    const rate = this.#fraction(suspects) * threads;
    const cap = this.#costMs * MAX_SAVED;
    this.#creditMs = Math.min(this.#creditMs + (nowMs - this.#creditedAtMs) * rate, cap);
    this.#creditedAtMs = nowMs;
    if (this.#creditMs >= 0 || !this.#others.isPresent(nowMs)) return nowMs;
    return nowMs - this.#creditMs / rate;
  }

  /** Charges a batch before it runs with the time that it is expected to take; returns that time in milliseconds. */
  tookBatch(proofs: number): number {
    this.#level += (this.inFlight - this.#level) * SMOOTHING;
    const expectedMs = proofs * this.#costMs;
    this.#creditMs -= expectedMs;
    return expectedMs;
  }

  /** Corrects the charge by the time that the batch took; a batch that ran while no other source was present is free. */
  ranBatch(proofs: number, expectedMs: number, runMs: number, nowMs: number): void {
    this.#costMs += (runMs / proofs - this.#costMs) * SMOOTHING;
    this.#creditMs += expectedMs - (this.#others.isPresent(nowMs) ? runMs : 0);
  }

  /** Counts the bad proofs of a batch: those that break the batch in which they are combined. */
  recordBad(bad: number, proofs: number): void {
    this.#badFraction += (bad / proofs - this.#badFraction) * SMOOTHING;
  }

  /** Whether so many of the next proofs are expected to be bad that combining them does not pay. */
  get expectsBad(): boolean {
    return this.#badFraction >= MANY_BAD;
  }

  #fraction(suspects: number): number {
    const own = Math.max(this.#level, 1);
    const all = own + this.#others.level;
    return Math.min((own + (BONUS * this.#others.level) / suspects) / all, MAX_FRACTION);
  }
}
