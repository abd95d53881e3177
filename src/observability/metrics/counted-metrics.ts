import { Counter, type Histogram as PromHistogram, type Registry } from 'prom-client';
import { Histogram, type HistogramSample } from '../../histogram.ts';

/** One value for each label name, in the order of the names. */
type LabelValues<Names extends readonly string[]> = { readonly [I in keyof Names]: string };

/** Cells by label values, in nested maps, one level per label, so that no key string is built. */
class CellTree<Cell> {
  readonly cells: { readonly labels: Readonly<Record<string, string>>; readonly cell: Cell }[] = [];
  readonly #names: readonly string[];
  readonly #root = new Map<string, unknown>();
  readonly #make: () => Cell;

  constructor(names: readonly string[], make: () => Cell) {
    this.#names = names;
    this.#make = make;
  }

  /** Returns the cell of these values, one for each name; creates it if needed. */
  at(values: readonly string[]): Cell {
    let level: Map<string, unknown> = this.#root;
    const last = values.length - 1;
    for (let index = 0; index < last; index++) {
      const value = values[index] as string;
      let next = level.get(value) as Map<string, unknown> | undefined;
      if (next === undefined) {
        next = new Map();
        level.set(value, next);
      }
      level = next;
    }
    const value = values[last] ?? '';
    return (level.get(value) as Cell | undefined) ?? this.#add(level, value, values);
  }

  #add(level: Map<string, unknown>, key: string, values: readonly string[]): Cell {
    const labels = Object.fromEntries(this.#names.map((name, index) => [name, values[index] ?? '']));
    const cell = this.#make();
    level.set(key, cell);
    this.cells.push({ labels, cell });
    return cell;
  }
}

/** The count of one set of label values; adding to it needs no lookup. */
interface CountCell {
  add(count?: number): void;
}

class PendingCount implements CountCell {
  count = 0;

  add(count = 1): void {
    this.count += count;
  }
}

/**
 * A counter with permanent cells: `at` returns the cell of a set of label values, and the cells are summed when the
 * metric is read. prom-client checks, sorts and joins the labels at each increment, which costs a microsecond.
 */
export class CountedCounter<Names extends readonly string[]> extends Counter<Names[number]> {
  readonly #tree: CellTree<PendingCount>;

  constructor(name: string, help: string, labelNames: Names, registry: Registry) {
    super({ name, help, labelNames: [...labelNames], registers: [registry] });
    this.#tree = new CellTree(labelNames, () => new PendingCount());
  }

  /** Returns the cell of one value for each label, in the order of the metric table. */
  at(...values: LabelValues<Names>): CountCell {
    return this.#tree.at(values);
  }

  override async get(): ReturnType<Counter['get']> {
    for (const { labels, cell } of this.#tree.cells) {
      if (cell.count === 0) continue;
      this.inc(labels as Parameters<typeof this.inc>[0] & object, cell.count);
      cell.count = 0;
    }
    return super.get();
  }
}

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
