const WINDOW_MS = 10_000;

/** Writes one line; `count` is how often its cause occurred since the line before. */
type Say = (count: number) => void;

interface Window {
  count: number;
  say: Say;
}

/**
 * Turns what may happen thousands of times a second into one line per cause and window. The first occurrence is told at
 * once; those of the ten seconds after it are told together at the end of them, and so on until a window without any.
 * Causes must be a bounded set.
 */
export class Tally {
  readonly #windows = new Map<string, Window>();
  readonly #windowMs: number;

  constructor(windowMs: number = WINDOW_MS) {
    this.#windowMs = windowMs;
  }

  /** Counts one occurrence; the first `say` of a window is the one that is called at its end. */
  note(cause: string, say: Say): void {
    const window = this.#windows.get(cause);
    if (window === undefined) {
      this.#open(cause, { count: 0, say });
      say(1);
    } else {
      if (window.count === 0) window.say = say;
      window.count++;
    }
  }

  /** Tells what is still to be told. */
  flush(): void {
    for (const window of this.#windows.values()) tell(window);
  }

  #open(cause: string, window: Window): void {
    this.#windows.set(cause, window);
    setTimeout(() => this.#close(cause, window), this.#windowMs).unref();
  }

  #close(cause: string, window: Window): void {
    if (tell(window)) this.#open(cause, window);
    else this.#windows.delete(cause);
  }
}

function tell(window: Window): boolean {
  const { count, say } = window;
  if (count === 0) return false;
  window.count = 0;
  say(count);
  return true;
}
