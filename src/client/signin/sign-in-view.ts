import { MOODS, type Mood, type SignInConfig } from '../../pages.ts';
import type { SignInStatus } from './read-status.ts';

/** The part of the page that changes during a sign-in. */
export interface SignInView {
  show(status: SignInStatus): void;
  /** Says that the service does not answer, and leaves the rest of the page as it is. */
  showUnreachable(): void;
  /** Says that the service told the page to wait, and leaves the rest of the page as it is. */
  showBusy(): void;
}

/** Elements that show the status of the sign-in. */
export interface StatusLines {
  /** Polite live region: screen readers read it when they are idle. */
  readonly line: HTMLElement;
  /** Assertive live region for what ended the sign-in or the attempt: screen readers read it immediately. */
  readonly alert: HTMLElement;
}

/** Controls the page that the server rendered; `data-show` lists the states in which a part is visible. */
export function signInView(
  main: HTMLElement,
  { line, alert }: StatusLines,
  config: SignInConfig,
): SignInView {
  const parts = [...main.querySelectorAll<HTMLElement>('[data-show]')];
  // Set only if it differs, because screen readers read out each change.
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
      say(sentences[`${state}.${code}`] ?? sentences[state] ?? '', MOODS[state], isAlert);
      const held = document.activeElement;
      for (const part of parts) part.hidden = !(part.dataset.show ?? '').split(' ').includes(state);
      // If the focused element is gone, the focus moves to the sentence that says why.
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
