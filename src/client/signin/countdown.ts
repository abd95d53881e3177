import { formatTimeLeft } from '../../text.ts';

/** Countdown of the time that is left for the wallet to answer. */
export interface Countdown {
  /** Sets the time that the service reports. */
  set(secondsLeft: number): void;
  /** Returns the seconds left by the clock of this page. */
  left(): number;
}

/**
 * Counts down in `node`, by a monotonic clock.
 *
 * @param onEnd - Called once each time that zero is reached.
 */
export function startCountdown(node: HTMLElement, secondsLeft: number, onEnd: () => void): Countdown {
  let endsAt = performance.now() + secondsLeft * 1000;
  let hasEnded = secondsLeft <= 0;
  const left = (): number => Math.max(0, (endsAt - performance.now()) / 1000);
  const show = (): void => {
    node.textContent = formatTimeLeft(left());
    if (left() > 0 || hasEnded) return;
    hasEnded = true;
    onEnd();
  };
  setInterval(show, 1000);
  return {
    left,
    set(seconds) {
      endsAt = performance.now() + seconds * 1000;
      hasEnded = seconds <= 0;
      node.textContent = formatTimeLeft(seconds);
    },
  };
}
