/** Shows how long the wallet may still take. */
export interface Countdown {
  /** Takes over what the service says. */
  set(secondsLeft: number): void;
  /** Seconds left by this page's own clock. */
  left(): number;
}

/** Minutes and seconds, such as `4:05`. */
export function formatTimeLeft(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

/**
 * Counts down in `node`, by a clock that the person cannot set.
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
