import { LRUCache } from 'lru-cache';
import { isServiceError } from '../../errors/service-error.ts';

/** A thrown value for the log: bounded, without text that may quote an input. */
export interface ErrorDescription {
  readonly type: string;
  readonly code?: string;
  readonly message?: string;
  /** Call sites only. */
  readonly stack?: readonly string[];
  readonly cause?: ErrorDescription;
}

const MAX_CAUSES = 4;
const MAX_FRAMES = 12;
const MAX_MESSAGE_CHARACTERS = 300;
// Long runs of hex, base64 or base64url: a proof, hash, nullifier, key or token, whole or in part.
const LONG_TOKEN = /(?:0x)?[0-9a-fA-F]{16,}|[A-Za-z0-9_+-]{32,}={0,2}/g;

/**
 * Describes a thrown value for the log. JavaScript engines quote the input in a `SyntaxError` (JSON.parse, BigInt), so
 * its message is left out; long runs of hex or base64 are removed from other messages.
 */
export function describeError(error: unknown, depth = 0): ErrorDescription {
  if (!(error instanceof Error)) return { type: typeof error };
  const code = isServiceError(error) ? error.code : systemCode(error);
  const stack = callSites(error.stack);
  return {
    type: error.name,
    ...(code === undefined ? {} : { code }),
    ...(error instanceof SyntaxError ? {} : { message: bounded(error.message) }),
    ...(stack.length === 0 ? {} : { stack }),
    ...(error.cause === undefined || depth >= MAX_CAUSES
      ? {}
      : { cause: describeError(error.cause, depth + 1) }),
  };
}

function systemCode(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? bounded(error.code) : undefined;
}

function bounded(text: string): string {
  return text.replace(LONG_TOKEN, '[removed]').slice(0, MAX_MESSAGE_CHARACTERS);
}

function callSites(stack: string | undefined): string[] {
  if (stack === undefined) return [];
  return stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, MAX_FRAMES)
    .map((line) => line.trim().slice('at '.length));
}

const WINDOW_MS = 10_000;
const MAX_LOCATIONS = 256;

/**
 * Describes errors for the log. The stack is left out if one from the same location was written within the last ten
 * seconds, so that repeated requests with an internal error do not fill the log.
 */
export class StackWindow {
  readonly #now: () => number;
  /** Time of the last written stack by location. */
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
