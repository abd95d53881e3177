/** Fraction of the share of all other sources that is divided between the suspected sources. */
const BONUS = 1 / 16;
/** Maximum fraction of the worker time for one suspected source. */
const MAX_FRACTION = 0.9;
// A smaller batch would waste the work that its proofs share, unless it takes too long for the other sources.
const SMALL_BATCH = 16;
// Proofs that are not combined gain nothing from a longer batch.
const SEPARATE_BATCH = 64;
// Proofs that are not combined are checked in parallel SIMD lanes, at most 8.
const LANES = 8;
/** Maximum number of proofs for which credit may be saved. */
const MAX_SAVED = 64;
// Maximum expected delay of the other sources by one batch of a suspected source, if any proof of theirs arrived within
// the last second.
const MAX_BATCH_MS = 4;
const RECENT_MS = 1000;
// Time for which other sources count as present after their last proof: clients wait for an answer before the next
// request.
const PRESENT_MS = 20;
const SMOOTHING = 1 / 8;
const SLOW_SMOOTHING = 1 / 32;
const FIRST_COST_MS = 0.5;
// Above about one bad proof in sixteen, a batch costs less if its proofs are not combined.
const MANY_BAD = 1 / 16;
const FIRST_BAD = 1 / 8;

/** Load from unsuspected sources; the shares of suspected sources are relative to it. */
export class UnsuspectedLoad {
  /** Proofs that are waiting or running. */
  inFlight = 0;
  /** Recent peak of `inFlight`, in proofs; it decays slowly, since clients pause briefly after each answer. */
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

  /** Whether a proof is likely to arrive soon, which a long batch would delay. */
  wereRecent(nowMs: number): boolean {
    return this.inFlight > 0 || nowMs - this.#presentAtMs < RECENT_MS;
  }
}

/**
 * Credit of a suspected source: the worker time that it may use; unlimited while no other source is present. Otherwise
 * credit accrues at the source's fraction of the proofs in flight, plus a sixteenth of the fraction of all others,
 * divided between the suspected sources. This is about the time that its proofs would take if they were valid, so a
 * source of bad proofs delays only itself.
 */
export class FairShareCredit {
  /** Proofs that are waiting or running. */
  inFlight = 0;
  #level = 0;
  /** Worker time in credit, in milliseconds; negative after the source has used too much. */
  #creditMs = 0;
  #creditedAtMs: number;
  /** Worker time for one proof in milliseconds, smoothed. */
  #costMs = FIRST_COST_MS;
  /** Worker time for one proof of the last batch, so that bad proofs after good ones make only one batch too long. */
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
    if (!this.#others.wereRecent(nowMs)) return this.expectsBad ? SEPARATE_BATCH : Number.POSITIVE_INFINITY;
    const credit = this.#others.isPresent(nowMs) ? this.#creditMs : Number.POSITIVE_INFINITY;
    const costMs = Math.max(this.#costMs, this.#lastCostMs);
    const size = Math.min(Math.max(credit / costMs, SMALL_BATCH), MAX_BATCH_MS / costMs);
    return size < LANES ? Math.max(1, Math.floor(size)) : LANES * Math.floor(size / LANES);
  }

  /**
   * Returns the time at which the next batch is due, on the clock of `nowMs`; it is due now if the result is at most
   * `nowMs`.
   *
   * @param threads - Number of threads that are ready for work.
   * @param suspects - Number of suspected sources with proofs in flight.
   */
  dueAtMs(nowMs: number, threads: number, suspects: number): number {
    const rate = this.#fraction(suspects) * threads;
    const cap = this.#costMs * MAX_SAVED;
    this.#creditMs = Math.min(this.#creditMs + (nowMs - this.#creditedAtMs) * rate, cap);
    this.#creditedAtMs = nowMs;
    if (this.#creditMs >= 0 || !this.#others.isPresent(nowMs)) return nowMs;
    return nowMs - this.#creditMs / rate;
  }

  /** Charges a batch its expected run time before it runs; returns that time in milliseconds. */
  tookBatch(proofs: number): number {
    this.#level += (this.inFlight - this.#level) * SMOOTHING;
    const expectedMs = proofs * this.#costMs;
    this.#creditMs -= expectedMs;
    return expectedMs;
  }

  /** Corrects the charge to the actual run time; a batch that ran while no other source was present is free. */
  ranBatch(proofs: number, expectedMs: number, runMs: number, nowMs: number): void {
    this.#lastCostMs = runMs / proofs;
    this.#costMs += (this.#lastCostMs - this.#costMs) * SMOOTHING;
    this.#creditMs += expectedMs - (this.#others.isPresent(nowMs) ? runMs : 0);
  }

  /** Counts the bad proofs of a batch: those that break a combined batch. */
  recordBad(bad: number, proofs: number): void {
    this.#badFraction += (bad / proofs - this.#badFraction) * SMOOTHING;
  }

  /** Whether so many bad proofs are expected that combining them does not pay. */
  get expectsBad(): boolean {
    return this.#badFraction >= MANY_BAD;
  }

  #fraction(suspects: number): number {
    const own = Math.max(this.#level, 1);
    const all = own + this.#others.level;
    return Math.min((own + (BONUS * this.#others.level) / suspects) / all, MAX_FRACTION);
  }
}
