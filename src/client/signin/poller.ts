import { readStatus, type SignInStatus } from './read-status.ts';

/** What the poller tells the page. */
export interface PollerEvents {
  /** @returns Whether there is anything more to ask for. */
  readonly onStatus: (status: SignInStatus) => boolean;
  /** The sign-in is unknown or over. */
  readonly onOver: () => void;
  /** The service did not answer; it is asked again. */
  readonly onUnreachable: () => void;
  /** The service asks the page to wait; it is asked again after that time. */
  readonly onWait: () => void;
}

/** Asks for the status again and again while the page is seen. */
export interface Poller {
  /** Asks at once, unless a question is under way or the service has asked the page to wait. */
  askNow(): void;
}

const INTERVAL_MS = 2000;
const LONGEST_INTERVAL_MS = 16_000;

/**
 * Asks every two seconds, each time counted from the last answer, and pauses while the page is hidden. A service that
 * does not answer is asked less and less often, and one that asks for time gets it.
 */
export function startPoller(statusUrl: string, events: PollerEvents): Poller {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAsking = false;
  let isWaiting = false;
  let isDone = false;
  let failures = 0;

  const askLater = (delayMs: number): void => {
    clearTimeout(timer);
    if (!isDone && !document.hidden) timer = setTimeout(() => void ask(), delayMs);
  };
  /** Runs on while the page is hidden: the service named a time, not a number of looks at the page. */
  const wait = (delayMs: number): void => {
    isWaiting = true;
    timer = setTimeout(() => {
      isWaiting = false;
      askNow();
    }, delayMs);
  };
  const ask = async (): Promise<void> => {
    if (isAsking || isWaiting || isDone || document.hidden) return;
    isAsking = true;
    const answer = await readStatus(statusUrl);
    isAsking = false;
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
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) askNow();
    else if (!isWaiting) clearTimeout(timer);
  });
  askLater(INTERVAL_MS);
  return { askNow };
}
