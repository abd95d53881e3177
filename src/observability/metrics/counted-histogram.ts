import type { Histogram, Registry } from 'prom-client';
import { CellTree, type LabelValues } from './cell-tree.ts';

/** The histogram of one set of label values; observing needs no lookup. */
export interface HistogramCell {
  observe(value: number): void;
}

/** Cumulative histogram as data: `counts[i]` values were at most `bounds[i]`; the last count has no bound. */
export interface HistogramSample {
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
  readonly sum: number;
  readonly count: number;
}

type Labels = Readonly<Record<string, string>>;
type Exposed = Awaited<ReturnType<Histogram['get']>>;

class Buckets implements HistogramCell {
  readonly #bounds: readonly number[];
  /** Number of values up to each bound and above the previous one; the last count is for values above all bounds. */
  readonly #counts: number[];
  #sum = 0;
  #count = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Array<number>(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    const bounds = this.#bounds;
    let index = 0;
    while (index < bounds.length && value > (bounds[index] as number)) index++;
    this.#counts[index] = (this.#counts[index] as number) + 1;
    this.#sum += value;
    this.#count++;
  }

  sample(): HistogramSample {
    let below = 0;
    const counts = this.#counts.map((count) => {
      below += count;
      return below;
    });
    return { bounds: this.#bounds, counts, sum: this.#sum, count: this.#count };
  }
}

/**
 * A histogram of the registry. `at` returns a permanent cell for a set of label values: prom-client checks, sorts and
 * joins the labels of each value, which costs a microsecond. `show` exposes a sample that was counted elsewhere.
 */
export class CountedHistogram<Names extends readonly string[]> {
  readonly name: string;
  readonly help: string;
  readonly type = 'histogram';
  readonly #tree: CellTree<Buckets>;
  #shown: { readonly labels: Labels; readonly sample: HistogramSample } | undefined;

  /** @param bounds - Upper bounds of the buckets of cells, ascending. */
  constructor(name: string, help: string, labelNames: Names, bounds: readonly number[], registry: Registry) {
    this.name = name;
    this.help = help;
    this.#tree = new CellTree(labelNames, () => new Buckets(bounds));
    // A histogram without labels is exposed before its first value.
    if (labelNames.length === 0) this.#tree.at([]);
    // The registry uses only name, help, type and values of a metric.
    registry.registerMetric(this as unknown as Histogram);
  }

  /** Returns the cell of one value for each label, in the order of the metric table. */
  at(...values: LabelValues<Names>): HistogramCell {
    return this.#tree.at(values);
  }

  /** Observes a value of a histogram without labels. */
  observe(value: number): void {
    this.#tree.at([]).observe(value);
  }

  /** Exposes a sample in place of all cells. */
  show(labels: Labels, sample: HistogramSample): void {
    this.#shown = { labels, sample };
  }

  /** Called by the registry for each exposition. */
  async get(): Promise<Exposed> {
    const { name, help, type } = this;
    const samples =
      this.#shown === undefined
        ? this.#tree.cells.map(({ labels, cell }) => ({ labels, sample: cell.sample() }))
        : [this.#shown];
    const values = samples.flatMap(({ labels, sample }) => [
      ...sample.bounds.map((bound, index) => ({
        metricName: `${name}_bucket`,
        labels: { ...labels, le: bound },
        value: sample.counts[index] ?? 0,
      })),
      { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: sample.count },
      { metricName: `${name}_sum`, labels, value: sample.sum },
      { metricName: `${name}_count`, labels, value: sample.count },
    ]);
    return { name, help, type, values, aggregator: 'sum' } as unknown as Exposed;
  }
}
