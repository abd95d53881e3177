/** FIFO queue in a ring buffer: adding and taking allocate nothing unless its length exceeds all previous ones. */
export class Fifo<T> {
  #ring: (T | undefined)[] = new Array<T | undefined>(16).fill(undefined);
  #head = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The oldest item, or undefined if the queue is empty. */
  get first(): T | undefined {
    return this.#ring[this.#head];
  }

  push(value: T): void {
    if (this.#size === this.#ring.length) this.#grow();
    this.#ring[(this.#head + this.#size) & (this.#ring.length - 1)] = value;
    this.#size += 1;
  }

  /** Removes and returns the oldest item, or undefined if the queue is empty. */
  shift(): T | undefined {
    const value = this.#ring[this.#head];
    if (this.#size === 0) return undefined;
    this.#ring[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#ring.length - 1);
    this.#size -= 1;
    return value;
  }

  /** Removes the items for which the test returns false; preserves the order. */
  keep(test: (value: T) => boolean): void {
    for (let left = this.#size; left > 0; left -= 1) {
      const value = this.shift() as T;
      if (test(value)) this.push(value);
    }
  }

  #grow(): void {
    const ring = this.#ring;
    const length = ring.length;
    const larger = new Array<T | undefined>(2 * length).fill(undefined);
    for (let index = 0; index < length; index += 1) larger[index] = ring[(this.#head + index) & (length - 1)];
    this.#ring = larger;
    this.#head = 0;
  }
}
