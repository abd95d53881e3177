/** Items ordered by a small whole number, 0 for those that are not in it. Moving one costs the same however many there are. */
export class Ranking<T> {
  readonly #ranks: Set<T>[] = [];
  #highest = 0;

  move(item: T, from: number, to: number): void {
    if (from === to) return;
    if (from > 0) this.#ranks[from]?.delete(item);
    if (to > 0) {
      this.#ranks[to] ??= new Set();
      this.#ranks[to].add(item);
      if (to > this.#highest) this.#highest = to;
    }
    while (this.#highest > 0 && this.#ranks[this.#highest]?.size === 0) this.#highest--;
  }

  /** The items from the highest rank down; of one rank the one that has been there for longest comes first. */
  *fromHighest(): Generator<T, void> {
    for (let rank = this.#highest; rank > 0; rank--) yield* this.#ranks[rank] ?? [];
  }
}
