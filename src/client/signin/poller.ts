import { readStatus, type SignInStatus } from './read-status.ts';

/** What the poller tells the page. */
export interface PollerEvents {
  /** @returns Whether there is anything more to ask for. */
  readonly onStatus: (status: SignInStatus) => boolean;
  /** The sign-in is unknown or over. */
  readonly onOver: () => void;
  /** The service did not answer; it is asked again. */
  readonly onUnreachable: () => void;
}

/** Asks for the status again and again while the page is seen. */
export interface Poller {
  /** Asks at once, unless a question is under way. */
  askNow(): void;
}

const INTERVAL_MS = 2000;
const LONGEST_INTERVAL_MS = 16_000;

/**
 * Asks every two seconds, each time counted from the last answer, and pauses while the page is hidden. A service that
 * does not answer is asked less and less often.
 */
export function startPoller(statusUrl: string, { onStatus, onOver, onUnreachable }: PollerEvents): Poller {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAsking = false;
  let isDone = false;
  let failures = 0;

  const askLater = (delayMs: number): void => {
    clearTimeout(timer);
    if (!isDone && !document.hidden) timer = setTimeout(() => void ask(), delayMs);
  };
  const ask = async (): Promise<void> => {
    if (isAsking || isDone || document.hidden) return;
    isAsking = true;
    const answer = await readStatus(statusUrl);
    isAsking = false;
    failures = answer.kind === 'unreachable' ? failures + 1 : 0;
    if (answer.kind === 'status') isDone = !onStatus(answer.status);
    else if (answer.kind === 'over') {
      isDone = true;
      onOver();
    } else if (answer.kind === 'unreachable') onUnreachable();
    const pauseMs = answer.kind === 'wait' ? answer.seconds * 1000 : INTERVAL_MS * 2 ** failures;
    askLater(answer.kind === 'wait' ? pauseMs : Math.min(pauseMs, LONGEST_INTERVAL_MS));
  };
  const askNow = (): void => {
    clearTimeout(timer);
    void ask();
  };
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) clearTimeout(timer);
    else askNow();
  });
  askLater(INTERVAL_MS);
  return { askNow };
}
