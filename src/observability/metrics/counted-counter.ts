import { Counter, type Registry } from 'prom-client';
import { CellTree, type LabelValues } from './cell-tree.ts';

/** The count of one set of label values; adding to it needs no lookup. */
export interface CountCell {
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
