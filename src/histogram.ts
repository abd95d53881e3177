/** Cumulative histogram as data: `counts[i]` values were at most `bounds[i]`; the last count has no bound. */
export interface HistogramSample {
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
  readonly sum: number;
  readonly count: number;
}

/** Counts values by bound. `observe` allocates nothing: it runs for each proof and each request. */
export class Histogram {
  readonly #bounds: readonly number[];
  /** Number of values up to each bound and above the previous one; the last count is for values above all bounds. */
  readonly #counts: number[];
  #sum = 0;
  #count = 0;

  /** @param bounds - Ascending; an unbounded last one is added. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Array<number>(bounds.length + 1).fill(0);
  }

  /** Counts one value, or as many equal ones. */
  observe(value: number, times: number = 1): void {
    const bounds = this.#bounds;
    let index = 0;
    while (index < bounds.length && value > (bounds[index] as number)) index++;
    this.#counts[index] = (this.#counts[index] as number) + times;
    this.#sum += value * times;
    this.#count += times;
  }

  /** Returns the counts so far, cumulative as in the Prometheus text form. */
  sample(): HistogramSample {
    let below = 0;
    const counts = this.#counts.map((count) => {
      below += count;
      return below;
    });
    return { bounds: this.#bounds, counts, sum: this.#sum, count: this.#count };
  }
}
