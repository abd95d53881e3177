import { LRUCache } from 'lru-cache';
import { describeError, type ErrorDescription } from './describe-error.ts';

const WINDOW_MS = 10_000;
const MAX_LOCATIONS = 256;

/**
 * Describes errors for the log, and leaves out the stack if one from the same location was written within the last ten
 * seconds, so that a repeated request that meets an internal error does not fill the log.
 */
export class StackWindow {
  readonly #now: () => number;
  /** When a stack of each location was last written. */
  readonly #written = new LRUCache<string, number>({ max: MAX_LOCATIONS });

  /** @param now - Milliseconds of a monotonic clock. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  describe(error: unknown): ErrorDescription {
    const description = describeError(error);
    const { type, code, stack } = description;
    if (stack === undefined) return description;
    // Only the source position: the function name in a frame depends on how it was called.
    const location = /[^ (]*$/.exec(stack[0] ?? '')?.[0];
    return this.#isDue(`${type} ${code} ${location}`) ? description : withoutStacks(description);
  }

  #isDue(location: string): boolean {
    const now = this.#now();
    const last = this.#written.get(location);
    if (last !== undefined && now - last < WINDOW_MS) return false;
    this.#written.set(location, now);
    return true;
  }
}

/** Returns the description of an error and its causes without call sites. */
export function withoutStacks({ stack: _stack, cause, ...rest }: ErrorDescription): ErrorDescription {
  return { ...rest, ...(cause === undefined ? {} : { cause: withoutStacks(cause) }) };
}
