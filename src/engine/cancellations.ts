import type { Item } from './queue.ts';

interface Watch<I> {
  readonly items: Set<I>;
  readonly listener: () => void;
}

/** Which waiting items a signal drops. One listener for each signal, however many proofs a request has. */
export class Cancellations<I extends Item = Item> {
  readonly #watches = new Map<AbortSignal, Watch<I>>();
  readonly #drop: (item: I) => void;

  /** @param drop - Called with each watched item when its signal aborts. */
  constructor(drop: (item: I) => void) {
    this.#drop = drop;
  }

  /** Signals that are watched now. */
  get size(): number {
    return this.#watches.size;
  }

  watch(signal: AbortSignal, item: I): void {
    let watch = this.#watches.get(signal);
    if (!watch) {
      const items = new Set<I>();
      watch = { items, listener: () => [...items].forEach(this.#drop) };
      this.#watches.set(signal, watch);
      signal.addEventListener('abort', watch.listener, { once: true });
    }
    watch.items.add(item);
  }

  forget(signal: AbortSignal, item: I): void {
    const watch = this.#watches.get(signal);
    if (!watch?.items.delete(item) || watch.items.size > 0) return;
    signal.removeEventListener('abort', watch.listener);
    this.#watches.delete(signal);
  }
}
