/** One value for each label name, in the order of the names. */
export type LabelValues<Names extends readonly string[]> = { readonly [I in keyof Names]: string };

/** Cells by label values, in nested maps, one level per label, so that no key string is built. */
export class CellTree<Cell> {
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
