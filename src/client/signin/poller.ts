import type { ShownState } from '../../pages.ts';
import { retryAfterSeconds } from '../retry-after.ts';

/** Status of a sign-in. */
export interface SignInStatus {
  readonly state: ShownState;
  readonly expiresInSeconds: number;
  /** Number of the attempt; undefined for World ID 3.0. */
  readonly attempt: number | undefined;
  /** Reason for the states `failed` and `refused`. */
  readonly code: string | null;
  /** The service's sentence about `code`. */
  readonly detail: string | null;
}

/** Result of one poll. */
export type StatusAnswer =
  | { readonly kind: 'status'; readonly status: SignInStatus }
  /** The service told the page to wait. */
  | { readonly kind: 'wait'; readonly seconds: number }
  /** The sign-in is unknown or has ended; the reloaded page shows the reason. */
  | { readonly kind: 'over' }
  /** No usable answer arrived. */
  | { readonly kind: 'unreachable' };

const TIMEOUT_MS = 15_000;
const STATES: ReadonlySet<unknown> = new Set<ShownState>([
  ...(['waiting', 'connected', 'verifying', 'completed', 'failed', 'refused', 'expired'] as const),
]);

/**
 * Fetches the status of the sign-in. Never throws; failures are results.
 *
 * @param signal - Gives up.
 */
export async function readStatus(url: string, signal?: AbortSignal): Promise<StatusAnswer> {
  try {
    const response = await fetch(url, {
      headers: { Accept: 'application/json' },
      cache: 'no-store',
      credentials: 'same-origin',
      redirect: 'error',
      ...(signal === undefined ? {} : { signal }),
    });
    if (response.status === 403) return { kind: 'over' };
    if (response.status === 429 || (response.status === 503 && response.headers.has('Retry-After'))) {
      return { kind: 'wait', seconds: retryAfterSeconds(response.headers) };
    }
    return response.status === 200 ? parseStatus(await response.json()) : { kind: 'unreachable' };
  } catch {
    return { kind: 'unreachable' };
  }
}

function parseStatus(body: unknown): StatusAnswer {
  const members = (body ?? {}) as Readonly<Record<string, unknown>>;
  const { status, expires_in: expiresIn, code, detail, attempt } = members;
  if (!STATES.has(status) || typeof expiresIn !== 'number') return { kind: 'unreachable' };
  return {
    kind: 'status',
    status: {
      state: status as ShownState,
      expiresInSeconds: expiresIn,
      attempt: typeof attempt === 'number' ? attempt : undefined,
      code: typeof code === 'string' ? code : null,
      detail: typeof detail === 'string' ? detail : null,
    },
  };
}

/** Callbacks of the poller. */
export interface PollerEvents {
  /** @returns Whether to continue polling. */
  readonly onStatus: (status: SignInStatus) => boolean;
  /** The sign-in is unknown or has ended. */
  readonly onOver: () => void;
  /** The service did not answer; polling continues. */
  readonly onUnreachable: () => void;
  /** The service told the page to wait; polling continues after that time. */
  readonly onWait: () => void;
}

/** Polls the status while the page is visible. */
export interface Poller {
  /** Polls immediately, unless a poll is in flight or the service told the page to wait. */
  askNow(): void;
  /** Stops polling until a promise has settled. */
  hold(until: Promise<unknown>): void;
}

const INTERVAL_MS = 2000;
const LONGEST_INTERVAL_MS = 16_000;

/**
 * Polls two seconds after each answer, and pauses while the page is hidden. The interval doubles with each
 * failure, up to 16 seconds; if the service tells the page to wait, polling pauses for that time. It polls at once when
 * the page or the network comes back.
 *
 * @param isOver - Whether the page is of a state that does not change by itself: polls only once a browser has kept the
 *   page and shows it again.
 */
export function startPoller(statusUrl: string, events: PollerEvents, isOver = false): Poller {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asking: AbortController | undefined;
  let isWaiting = false;
  let isDone = isOver;
  let isHeld = false;
  let failures = 0;

  const askLater = (delayMs: number): void => {
    clearTimeout(timer);
    if (!isDone && !document.hidden) timer = setTimeout(() => void ask(), delayMs);
  };
  /** Keeps running while the page is hidden, because the service requested the wait. */
  const wait = (delayMs: number): void => {
    isWaiting = true;
    timer = setTimeout(() => {
      isWaiting = false;
      askNow();
    }, delayMs);
  };
  const ask = async (): Promise<void> => {
    if (asking !== undefined || isWaiting || isHeld || isDone || document.hidden) return;
    const own = new AbortController();
    asking = own;
    const limit = setTimeout(() => own.abort(), TIMEOUT_MS);
    const answer = await readStatus(statusUrl, own.signal);
    clearTimeout(limit);
    if (asking !== own) return;
    asking = undefined;
    if (isHeld) return;
    failures = answer.kind === 'unreachable' ? failures + 1 : 0;
    if (answer.kind === 'status') isDone = !events.onStatus(answer.status);
    else if (answer.kind === 'over') {
      isDone = true;
      events.onOver();
    } else if (answer.kind === 'wait') {
      events.onWait();
      return wait(answer.seconds * 1000);
    } else events.onUnreachable();
    askLater(Math.min(INTERVAL_MS * 2 ** failures, LONGEST_INTERVAL_MS));
  };
  const askNow = (): void => {
    if (isWaiting) return;
    clearTimeout(timer);
    void ask();
  };
  /** Asks at once, in place of a request whose connection may have ended unnoticed while the device slept. */
  const askAnew = (): void => {
    if (document.hidden) return;
    asking?.abort();
    asking = undefined;
    failures = 0;
    askNow();
  };
  const hold = (until: Promise<unknown>): void => {
    isHeld = true;
    void until.finally(() => {
      isHeld = false;
      askNow();
    });
  };
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) askAnew();
    else if (!isWaiting) clearTimeout(timer);
  });
  addEventListener('online', askAnew);
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return;
    isDone = false;
    askAnew();
  });
  askLater(INTERVAL_MS);
  return { askNow, hold };
}
