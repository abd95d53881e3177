import { Histogram } from 'prom-client';

/** Cumulative histogram as data: `counts[i]` values were at most `bounds[i]`; the last count has no bound. */
export interface SnapshotSample {
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
  readonly sum: number;
  readonly count: number;
}

type Exposed = Awaited<ReturnType<Histogram['get']>>;

/**
 * A histogram whose counts were taken elsewhere (the engine counts in its own code): it exposes the last sample
 * that `show` got, and nothing before the first.
 */
export class SnapshotHistogram extends Histogram {
  readonly #name: string;
  // An unregistered twin: it gives the parts of the exposition that are not values.
  readonly #shape: Histogram;
  #labels: Readonly<Record<string, string>> = {};
  #sample: SnapshotSample | undefined;

  constructor(options: ConstructorParameters<typeof Histogram>[0]) {
    super(options);
    this.#name = options.name;
    this.#shape = new Histogram({ ...options, registers: [] });
  }

  /** Replaces what the next exposition shows. */
  show(labels: Readonly<Record<string, string>>, sample: SnapshotSample): void {
    this.#labels = labels;
    this.#sample = sample;
  }

  override async get(): Promise<Exposed> {
    return { ...(await this.#shape.get()), values: this.#values() };
  }

  /** What `Registry` calls for the text format. */
  async getForPromString(): Promise<Exposed> {
    return this.get();
  }

  #values(): Exposed['values'] {
    const name = this.#name;
    const sample = this.#sample;
    if (sample === undefined) return [];
    const labels = this.#labels;
    const buckets = sample.bounds.map((bound, i) => ({
      metricName: `${name}_bucket`,
      labels: { ...labels, le: bound },
      value: sample.counts[i] ?? 0,
    }));
    return [
      ...buckets,
      { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: sample.count },
      { metricName: `${name}_sum`, labels, value: sample.sum },
      { metricName: `${name}_count`, labels, value: sample.count },
    ];
  }
}
