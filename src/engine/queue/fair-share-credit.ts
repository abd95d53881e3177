/** Fraction of the share of all other sources that the suspected sources divide between them. */
const BONUS = 1 / 16;
/** Maximum fraction of the worker time for one suspected source. */
const MAX_FRACTION = 0.9;
// A smaller batch than this would waste the work that its proofs share, unless it takes too long for the other sources.
const SMALL_BATCH = 16;
// Proofs that are not combined gain nothing from a longer batch.
const SINGLY_BATCH = 64;
// Proofs that are not combined are checked side by side in SIMD lanes, of which there are 8 at most.
const LANES = 8;
/** Maximum number of proofs for which credit may be saved. */
const MAX_SAVED = 64;
// One batch of a suspected source is expected to delay the others for this long at most, if any arrived within the
// last second.
const MAX_BATCH_MS = 4;
const RECENT_MS = 1000;
// Other sources count as present for this long after they were last seen: clients wait for an answer before
// the next request.
const PRESENT_MS = 20;
const SMOOTHING = 1 / 8;
const SLOW_SMOOTHING = 1 / 32;
const FIRST_COST_MS = 0.5;
// From about one bad proof in sixteen on, a batch costs less when its proofs are not combined.
const MANY_BAD = 1 / 16;
const FIRST_BAD = 1 / 8;

/** Load from sources that are not suspected, against which the shares of suspected sources are measured. */
export class UnsuspectedLoad {
  /** Proofs that wait or run. */
  inFlight = 0;
  /**
   * Recent peak of `inFlight`, in proofs; it falls slowly, since clients pause for a moment after each
   * answer.
   */
  level = 0;
  #presentAtMs = Number.NEGATIVE_INFINITY;

  /** Must be called with every batch that is taken from the queue. */
  tookBatch(nowMs: number): void {
    const change = this.inFlight - this.level;
    this.level += change > 0 ? change : change * SLOW_SMOOTHING;
    this.#presentAtMs = nowMs;
  }

  /** Must be called when proofs arrive or are answered. */
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
 * Credit of a suspected source: the worker time that it may use, which is unlimited while no other source is
 * present. Otherwise credit accrues at the source's fraction of the proofs in flight, plus a sixteenth of the
 * fraction of all others, which the suspected sources divide between them. That is about the time that its
 * proofs would take if they were valid, so a source that sends bad proofs delays only itself.
 */
export class FairShareCredit {
  /** Proofs that wait or run. */
  inFlight = 0;
  #level = 0;
  /** Worker time in credit, in milliseconds; negative after the source has used too much. */
  #creditMs = 0;
  #creditedAtMs: number;
  /** Worker time for one proof in milliseconds, smoothed. */
  #costMs = FIRST_COST_MS;
  /** The same of the last batch: bad proofs after good ones make one batch too long, not several. */
  #lastCostMs = 0;
  /** Fraction of bad proofs, smoothed over batches. */
  #badFraction = FIRST_BAD;
  readonly #others: UnsuspectedLoad;

  constructor(others: UnsuspectedLoad, nowMs: number) {
    this.#others = others;
    this.#creditedAtMs = nowMs;
  }

  /** Returns the maximum number of proofs in the next batch. */
  batchSize(nowMs: number): number {
    if (!this.#others.wereRecent(nowMs)) return this.expectsBad ? SINGLY_BATCH : Number.POSITIVE_INFINITY;
    const credit = this.#others.isPresent(nowMs) ? this.#creditMs : Number.POSITIVE_INFINITY;
    const costMs = Math.max(this.#costMs, this.#lastCostMs);
    const size = Math.min(Math.max(credit / costMs, SMALL_BATCH), MAX_BATCH_MS / costMs);
    return size < LANES ? Math.max(1, Math.floor(size)) : LANES * Math.floor(size / LANES);
  }

  /**
   * Returns when the next batch is due, in the clock of `nowMs`; it is due now if the result is at most
   * `nowMs`.
   *
   * @param threads - Threads that are ready for work.
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

  /**
   * Charges a batch, before it runs, for the time that it is expected to take; returns that time in
   * milliseconds.
   */
  tookBatch(proofs: number): number {
    this.#level += (this.inFlight - this.#level) * SMOOTHING;
    const expectedMs = proofs * this.#costMs;
    this.#creditMs -= expectedMs;
    return expectedMs;
  }

  /** Corrects the charge by the time that the batch took; a batch that ran while no other source was present is free. */
  ranBatch(proofs: number, expectedMs: number, runMs: number, nowMs: number): void {
    this.#lastCostMs = runMs / proofs;
    this.#costMs += (this.#lastCostMs - this.#costMs) * SMOOTHING;
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
