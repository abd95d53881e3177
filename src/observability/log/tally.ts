const WINDOW_MS = 10_000;

/** Writes one line; `count` is the number of occurrences since the previous line. */
type WriteLine = (count: number) => void;

interface Window {
  /** Number of occurrences that are still written immediately. */
  left: number;
  /** Number of occurrences not written yet. */
  count: number;
  write: WriteLine;
}

/**
 * Reduces events that may occur thousands of times a second to one line per cause and window of ten seconds. The first
 * ones are written immediately; the rest of each window is written as one line at its end, until a window has none.
 * Causes must be a bounded set.
 */
export class Tally {
  readonly #windows = new Map<string, Window>();
  readonly #immediate: number;

  /** @param immediate - Number of occurrences that are written immediately. */
  constructor(immediate: number = 1) {
    this.#immediate = immediate;
  }

  /** Number of causes with an open window. */
  get size(): number {
    return this.#windows.size;
  }

  /** Whether a cause has an open window. */
  has(cause: string): boolean {
    return this.#windows.has(cause);
  }

  /** Counts one occurrence; the end of a window calls the first `write` of that window. */
  note(cause: string, write: WriteLine): void {
    let window = this.#windows.get(cause);
    if (window === undefined) {
      window = { left: this.#immediate, count: 0, write };
      this.#open(cause, window);
    }
    if (window.left > 0) {
      window.left--;
      write(1);
    } else {
      if (window.count === 0) window.write = write;
      window.count++;
    }
  }

  /** Writes the pending counts. */
  flush(): void {
    for (const window of this.#windows.values()) writePending(window);
  }

  #open(cause: string, window: Window): void {
    this.#windows.set(cause, window);
    setTimeout(() => this.#close(cause, window), WINDOW_MS).unref();
  }

  #close(cause: string, window: Window): void {
    if (writePending(window)) this.#open(cause, window);
    else this.#windows.delete(cause);
  }
}

function writePending(window: Window): boolean {
  const { count, write } = window;
  if (count === 0) return false;
  window.count = 0;
  write(count);
  return true;
}
