/** How much suspects may take while others work; see `Share`. */
const BONUS = 1 / 16;
const MOST = 0.9;
// A batch of a suspect takes several times as long as one of good proofs: small ones hold up the others less, and
// smaller ones still would waste what proofs of a batch have in common.
const LEAST_BATCH = 16;
// Proofs that are not combined are checked side by side in the lanes of vector registers, of which there are 8 at most.
const LANES = 8;
const MOST_SAVED = 64;
// One batch of a suspect may hold up the others for this long at most, while they were here within the last second.
const MAX_BATCH_MS = 4;
const RECENT_MS = 1000;
// Others that were here so lately come back, as clients do that wait for an answer before the next request.
const PRESENT_MS = 20;
const SMOOTHING = 1 / 8;
const SLOW_SMOOTHING = 1 / 32;
const FIRST_COST_MS = 0.5;
// From about one bad proof in sixteen on, a batch costs less when its proofs are not combined.
const MANY = 1 / 16;
const FIRST_BAD = 1 / 8;

/** The proofs of the sources that are no suspects, as the shares of suspects are measured against them. */
export class Others {
  /** Proofs that wait or run. */
  inHouse = 0;
  /** The most that were here lately, in proofs: their clients are away for a moment after each answer. */
  level = 0;
  #presentAtMs = Number.NEGATIVE_INFINITY;

  /** To be called with every batch that goes to a thread. */
  tookBatch(nowMs: number): void {
    const change = this.inHouse - this.level;
    this.level += change > 0 ? change : change * SLOW_SMOOTHING;
    this.#presentAtMs = nowMs;
  }

  /** To be called when proofs arrive or are answered. */
  seen(nowMs: number): void {
    this.#presentAtMs = nowMs;
  }

  isPresent(nowMs: number): boolean {
    return this.inHouse > 0 || nowMs - this.#presentAtMs < PRESENT_MS;
  }

  /** Whether some of them may come at any moment, so that long batches would hold them up. */
  wereRecent(nowMs: number): boolean {
    return this.inHouse > 0 || nowMs - this.#presentAtMs < RECENT_MS;
  }
}

/**
 * What a suspect may take of the threads: all that is left while nobody else is here, else a share of the time that
 * follows its share of the proofs in the house, and a sixteenth of the share of the others, which all suspects divide
 * between them. That is about the time that its proofs would take if they were valid: sending bad ones makes a source
 * slow, and no one else.
 */
export class Share {
  /** Proofs that wait or run. */
  inHouse = 0;
  #level = 0;
  /** Thread time to its credit, in milliseconds; negative while it has taken too much. */
  #creditMs = 0;
  #creditedAtMs: number;
  /** Thread time for a proof, smoothed. */
  #costMs = FIRST_COST_MS;
  /** Bad proofs in one, smoothed over batches. */
  #bad = FIRST_BAD;
  readonly #others: Others;

  constructor(others: Others, nowMs: number) {
    this.#others = others;
    this.#creditedAtMs = nowMs;
  }

  /** Most proofs of its next batch. */
  batchSize(nowMs: number): number {
    if (!this.#others.wereRecent(nowMs)) return Number.POSITIVE_INFINITY;
    const credit = this.#others.isPresent(nowMs) ? this.#creditMs : Number.POSITIVE_INFINITY;
    return Math.max(LEAST_BATCH, LANES * Math.floor(Math.min(credit, MAX_BATCH_MS) / this.#costMs / LANES));
  }

  /**
   * When it may have its next batch, in the clock of `nowMs`; at most `nowMs`: now.
   *
   * @param threads - Threads that work.
   * @param suspects - Suspects that have proofs in the house.
   */
  dueAtMs(nowMs: number, threads: number, suspects: number): number {
    const rate = this.#fraction(suspects) * threads;
    const cap = this.#costMs * MOST_SAVED;
    this.#creditMs = Math.min(this.#creditMs + (nowMs - this.#creditedAtMs) * rate, cap);
    this.#creditedAtMs = nowMs;
    if (this.#creditMs >= 0 || !this.#others.isPresent(nowMs)) return nowMs;
    return nowMs - this.#creditMs / rate;
  }

  /** Charges a batch before it runs, with what it will probably take. Gives that time. */
  tookBatch(proofs: number): number {
    this.#level += (this.inHouse - this.#level) * SMOOTHING;
    const expectedMs = proofs * this.#costMs;
    this.#creditMs -= expectedMs;
    return expectedMs;
  }

  /** Corrects the charge by the time that the batch took; what ran while nobody else was here is free. */
  ranBatch(proofs: number, expectedMs: number, runMs: number, nowMs: number): void {
    this.#costMs += (runMs / proofs - this.#costMs) * SMOOTHING;
    this.#creditMs += expectedMs - (this.#others.isPresent(nowMs) ? runMs : 0);
  }

  /** Counts the bad proofs of a batch: those that would have broken a combination. */
  found(bad: number, proofs: number): void {
    this.#bad += (bad / proofs - this.#bad) * SMOOTHING;
  }

  /** Whether so many of the next proofs will be bad that it does not pay to combine them. */
  get expectsBad(): boolean {
    return this.#bad >= MANY;
  }

  #fraction(suspects: number): number {
    const own = Math.max(this.#level, 1);
    const all = own + this.#others.level;
    return Math.min((own + (BONUS * this.#others.level) / suspects) / all, MOST);
  }
}
