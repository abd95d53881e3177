interface Event {
  readonly at: number;
  /** Events of the same time run in the order in which they were scheduled. */
  readonly order: number;
  readonly run: () => void;
}

/** Simulated time in µs: runs events in the order of their times, from a binary heap. */
export class Clock {
  #now = 0;
  #count = 0;
  readonly #heap: Event[] = [];

  /** Current time in µs. */
  get now(): number {
    return this.#now;
  }

  /** Runs a function `us` after now. */
  after(us: number, run: () => void): void {
    const event = { at: this.#now + us, order: this.#count++, run };
    const heap = this.#heap;
    let index = heap.length;
    heap.push(event);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(event, heap[parent] as Event)) break;
      heap[index] = heap[parent] as Event;
      index = parent;
    }
    heap[index] = event;
  }

  /** Runs all events up to a time, which is then the current time. */
  runUntil(end: number): void {
    for (let next = this.#heap[0]; next !== undefined && next.at <= end; next = this.#heap[0]) {
      this.#removeFirst();
      this.#now = next.at;
      next.run();
    }
    this.#now = end;
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop() as Event;
    if (heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Event, heap[child] as Event)) child++;
      if (!isBefore(heap[child] as Event, last)) break;
      heap[index] = heap[child] as Event;
      index = child;
    }
    heap[index] = last;
  }
}

function isBefore(one: Event, other: Event): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
