import { CallFailure, callOut, type OutgoingCall } from './outgoing.ts';

/** One attempt of a delivery to another system. */
export type Post = Pick<OutgoingCall, 'url' | 'reach' | 'headers' | 'body' | 'timeoutMs'>;

/**
 * Outcome of an attempt: the status of the answer, the reason why there is none, or that the service stopped before it.
 */
export type PostOutcome =
  | { readonly kind: 'answered'; readonly status: number }
  | { readonly kind: 'unanswered'; readonly reason: string }
  | { readonly kind: 'stopped' };

/** Work that is done repeatedly until it is stopped. */
export interface Repeated {
  /** Aborts when the work is to stop. */
  readonly signal: AbortSignal;
  start(): void;
  /** Stops the repetition; resolves when the running run has ended. */
  stop(): Promise<void>;
}

const POLL_MS = 1000;
/** A delay varies by this share in both directions, so that attempts that failed together are spread out. */
const JITTER = 0.2;

/**
 * Makes one attempt. Only the status of the answer counts; its body is not read.
 *
 * @param stop - Aborts the attempt.
 */
export async function post(attempt: Post, stop: AbortSignal | undefined): Promise<PostOutcome> {
  try {
    const { status } = await callOut({ ...attempt, method: 'POST', maxBytes: 0, stop });
    return { kind: 'answered', status };
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error;
    return error.code === 'STOPPED' ? { kind: 'stopped' } : { kind: 'unanswered', reason: error.message };
  }
}

/** Returns a text about an unexpected status. */
export function describeStatus(status: number): string {
  const note = status >= 300 && status < 400 ? ', a redirect, which is not followed' : '';
  return `the receiver answered ${status}${note}`;
}

/**
 * Returns the delay until the next attempt, with jitter; undefined if none follows.
 *
 * @param delaysMs - Delays after each failed attempt except the last.
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
 * @param run - A run; must end soon after the signal aborts.
 * @param onFault - Receives the error of a failed run; the next run follows anyway.
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
