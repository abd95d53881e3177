import { MOODS, type Mood, type SignInConfig, sentenceOf } from '../../pages.ts';
import { formatTimeLeft } from '../../text.ts';
import { fetchWithRetry } from '../retry-after.ts';
import type { SignInStatus } from './poller.ts';

/** The part of the page that changes during a sign-in. */
export interface SignInView {
  show(status: SignInStatus): void;
  /** Shows that the service does not answer; the rest of the page is unchanged. */
  showUnreachable(): void;
  /** Shows that the service told the page to wait; the rest of the page is unchanged. */
  showBusy(): void;
}

/** Elements that show the status of the sign-in. */
export interface StatusLines {
  /** Polite live region: screen readers read it when they are idle. */
  readonly line: HTMLElement;
  /** Assertive live region for the end of the sign-in or attempt: screen readers read it immediately. */
  readonly alert: HTMLElement;
}

/** Controls the page that the server rendered; `data-show` lists the states in which a part is visible. */
export function signInView(
  main: HTMLElement,
  { line, alert }: StatusLines,
  config: SignInConfig,
): SignInView {
  const parts = [...main.querySelectorAll<HTMLElement>('[data-show]')];
  // Set only if it differs, because screen readers announce each change.
  const put = (node: HTMLElement, text: string): void => {
    if (node.textContent !== text) node.textContent = text;
  };
  const say = (text: string, mood: Mood, isAlert: boolean): void => {
    line.dataset.mood = mood;
    put(line, isAlert ? '' : text);
    put(alert, isAlert ? text : '');
  };
  return {
    show({ state, code }) {
      const isAlert = MOODS[state] === 'bad';
      const { sentences } = config;
      say(sentenceOf({ state, code }, sentences), MOODS[state], isAlert);
      const held = document.activeElement;
      for (const part of parts) part.hidden = !(part.dataset.show ?? '').split(' ').includes(state);
      // If the focused element was removed, the focus moves to the sentence with the reason.
      if (held === null || held === document.body) return;
      const isEmptied = (held === line || held === alert) && held.textContent === '';
      const isGone = held.closest('[hidden]') !== null || isEmptied;
      if (isGone) (isAlert ? alert : line).focus();
    },
    showUnreachable() {
      say(config.unreachable, 'bad', false);
    },
    showBusy() {
      say(config.busy, 'busy', false);
    },
  };
}

/** Sentences for a change of a choice that is not stored yet. */
export interface AgreeTexts {
  /** While the service makes the page wait. */
  readonly busy: string;
  /** While no answer arrives. */
  readonly unreachable: string;
}

/**
 * Shows the checkboxes of the choices and sends each change, again while no answer arrives: the service may have stored
 * it. If it refuses, the checkboxes are reset.
 *
 * @param said - Element for messages.
 * @returns A function whose promise resolves when the last change is stored or refused.
 */
export function startAgreeForm(
  form: HTMLFormElement,
  said: HTMLElement,
  texts: AgreeTexts,
): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  const send = async (box: HTMLInputElement): Promise<void> => {
    const isStored = await post(form, (text) => {
      said.textContent = texts[text];
    });
    said.textContent = isStored ? '' : (form.dataset.failed ?? '');
    if (!isStored) box.checked = !box.checked;
  };
  form.hidden = false;
  form.addEventListener('change', ({ target }) => {
    if (target instanceof HTMLInputElement) last = last.then(() => send(target));
  });
  form.addEventListener('submit', (event) => event.preventDefault());
  return () => last;
}

const SEND_AGAIN_MS = 2000;

async function post(form: HTMLFormElement, say: (text: keyof AgreeTexts) => void): Promise<boolean> {
  for (;;) {
    try {
      const fields = [...new FormData(form)].map(([name, value]) => [name, String(value)]);
      const body = new URLSearchParams(fields);
      const response = await fetchWithRetry(
        () => fetch(form.action, { method: 'POST', body, redirect: 'manual' }),
        () => say('busy'),
      );
      // The redirect to the page, which is not followed.
      return response.type === 'opaqueredirect';
    } catch {
      say('unreachable');
      await new Promise((resolve) => setTimeout(resolve, SEND_AGAIN_MS));
    }
  }
}

/**
 * Time for which a page must be in front before its controls work: systems allow at most 900 ms between the clicks of a
 * double click.
 */
const SETTLED_MS = 900;

/**
 * Disables controls until the page has been in front for a while, and again whenever it returns to the front. In a
 * double click requested by another page, the first click closes the window in front of this page, and the second one
 * reaches this page. The same applies to keys, since a held key repeats in the next window. Assistive technology
 * reports the controls as unavailable meanwhile; they keep the focus.
 */
export function guardControls(controls: readonly HTMLElement[]): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isSettled = false;
  const put = (settled: boolean): void => {
    isSettled = settled;
    for (const control of controls) {
      if (settled) control.removeAttribute('aria-disabled');
      else control.setAttribute('aria-disabled', 'true');
    }
  };
  const restart = (): void => {
    clearTimeout(timer);
    put(false);
    if (!document.hidden) timer = setTimeout(() => put(true), SETTLED_MS);
  };
  for (const control of controls) {
    control.addEventListener('click', (event) => {
      if (!isSettled) event.preventDefault();
    });
  }
  document.addEventListener('visibilitychange', restart);
  // A click that brings the window to the front is preceded by its focus.
  for (const event of ['focus', 'pageshow']) window.addEventListener(event, restart);
  restart();
}

/** Countdown of the remaining time for the answer of the wallet. */
export interface Countdown {
  /** Sets the remaining time reported by the service. */
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
