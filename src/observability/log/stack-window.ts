import { LRUCache } from 'lru-cache';
import { describeError, type ErrorDescription } from './describe-error.ts';

const WINDOW_MS = 10_000;
const MAX_PLACES = 256;

/**
 * Describes errors for the log and leaves the stack out where the same place gave one within the last ten seconds, so
 * that a request that meets an internal error costs little log however often it is repeated.
 */
export class StackWindow {
  readonly #now: () => number;
  /** When a stack of each place was last written. */
  readonly #written = new LRUCache<string, number>({ max: MAX_PLACES });

  /** @param now - Milliseconds of a clock that does not jump. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  describe(error: unknown): ErrorDescription {
    const description = describeError(error);
    const { type, code, stack } = description;
    if (stack === undefined) return description;
    // the location alone: the name of a function in it depends on how it was called
    const location = /[^ (]*$/.exec(stack[0] ?? '')?.[0];
    return this.#isDue(`${type} ${code} ${location}`) ? description : withoutStacks(description);
  }

  #isDue(place: string): boolean {
    const now = this.#now();
    const last = this.#written.get(place);
    if (last !== undefined && now - last < WINDOW_MS) return false;
    this.#written.set(place, now);
    return true;
  }
}

/** The description of an error and its causes without call sites. */
export function withoutStacks({ stack: _stack, cause, ...rest }: ErrorDescription): ErrorDescription {
  return { ...rest, ...(cause === undefined ? {} : { cause: withoutStacks(cause) }) };
}
