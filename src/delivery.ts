import { withTimeLimit } from './bounded-body.ts';
import { VERSION } from './version.ts';

/** One attempt to deliver something to another system. */
export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
}

/** Outcome of an attempt: the status of the answer, why there is none, or that the service stopped before it. */
export type PostOutcome =
  | { readonly kind: 'answered'; readonly status: number }
  | { readonly kind: 'unanswered'; readonly reason: string }
  | { readonly kind: 'stopped' };

/** Work that is done repeatedly until it is stopped. */
export interface Repeated {
  /** Aborts when the work is to stop. */
  readonly signal: AbortSignal;
  start(): void;
  /** Stops; resolves when a run has ended. */
  stop(): Promise<void>;
}

const POLL_MS = 1000;
/** A delay varies by this share in both directions, so that what failed together comes back apart. */
const JITTER = 0.2;

/**
 * Makes one attempt. Only the status of the answer counts; its body is not read, and a redirect is not followed.
 *
 * @param stop - Ends the attempt.
 */
export async function post(
  { url, headers, body, timeoutMs }: Post,
  stop: AbortSignal | undefined,
): Promise<PostOutcome> {
  let isLate = false;
  try {
    const status = await withTimeLimit(timeoutMs, stop, async (limit) => {
      limit.addEventListener('abort', () => {
        isLate = true;
      });
      const response = await fetch(url, {
        ...{ method: 'POST', redirect: 'manual', signal: limit, body },
        headers: { 'user-agent': `proofgate/${VERSION}`, ...headers },
      });
      await response.body?.cancel();
      return response.status;
    });
    return { kind: 'answered', status };
  } catch (error) {
    if (stop?.aborted === true) return { kind: 'stopped' };
    const reason = isLate ? `no answer within ${timeoutMs} ms` : `no answer: ${causeOf(error)}`;
    return { kind: 'unanswered', reason };
  }
}

/** Says in words that a status is not the expected one. */
export function describeStatus(status: number): string {
  const note = status >= 300 && status < 400 ? ', a redirect, which is not followed' : '';
  return `the receiver answered ${status}${note}`;
}

/**
 * Returns the delay until the next attempt, with jitter; undefined if none follows.
 *
 * @param delaysMs - Delays after each failed attempt but the last.
 * @param attempts - Attempts so far.
 * @param random - Returns a number from 0 to 1.
 */
export function retryDelayMs(
  delaysMs: readonly number[],
  attempts: number,
  random: () => number,
): number | undefined {
  const delay = delaysMs[attempts - 1];
  return delay === undefined ? undefined : Math.round(delay * (1 - JITTER + 2 * JITTER * random()));
}

/**
 * Creates work that runs once a second, one run at a time.
 *
 * @param run - A run; it ends soon once the signal aborts.
 * @param onFault - Receives what a run throws; the next run follows all the same.
 */
export function repeatedly(
  run: (signal: AbortSignal) => Promise<void>,
  onFault: (error: unknown) => void,
): Repeated {
  const stopping = new AbortController();
  const { signal } = stopping;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const runOnce = async (): Promise<void> => {
    try {
      await run(signal);
    } catch (error) {
      onFault(error);
    } finally {
      running = undefined;
    }
  };
  return {
    signal,
    start() {
      timer = setInterval(() => {
        running ??= runOnce();
      }, POLL_MS).unref();
    },
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await running;
    },
  };
}

/** Returns the code of the cause of a failed fetch, for example ECONNREFUSED; its message may hold the address. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? code : 'the connection failed';
}
