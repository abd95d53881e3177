import type { Histogram as PromHistogram, Registry } from 'prom-client';
import { Histogram, type HistogramSample } from '../../histogram.ts';
import { CellTree, type LabelValues } from './cell-tree.ts';

type Labels = Readonly<Record<string, string>>;
type Exposed = Awaited<ReturnType<PromHistogram['get']>>;

/**
 * A histogram of the registry. `at` returns a permanent histogram for a set of label values: prom-client checks, sorts and
 * joins the labels of each value, which costs a microsecond. `show` exposes a sample that was counted elsewhere.
 */
export class CountedHistogram<Names extends readonly string[]> {
  readonly name: string;
  readonly help: string;
  readonly type = 'histogram';
  readonly #tree: CellTree<Histogram>;
  #shown: { readonly labels: Labels; readonly sample: HistogramSample } | undefined;

  /** @param bounds - Upper bounds of the buckets of cells, ascending. */
  constructor(name: string, help: string, labelNames: Names, bounds: readonly number[], registry: Registry) {
    this.name = name;
    this.help = help;
    this.#tree = new CellTree(labelNames, () => new Histogram(bounds));
    // A histogram without labels is exposed before its first value.
    if (labelNames.length === 0) this.#tree.at([]);
    // The registry uses only name, help, type and values of a metric.
    registry.registerMetric(this as unknown as PromHistogram);
  }

  /** Returns the histogram of one value for each label, in the order of the metric table. */
  at(...values: LabelValues<Names>): Histogram {
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
