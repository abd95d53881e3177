import { MOODS, type Mood, type SignInConfig } from '../../pages.ts';
import type { SignInStatus } from './read-status.ts';

/** The part of the page that changes while a sign-in goes on. */
export interface SignInView {
  show(status: SignInStatus): void;
  /** Says that the service does not answer; what is shown stays. */
  showUnreachable(): void;
  /** Says that the service asks the page to wait; what is shown stays. */
  showBusy(): void;
}

/** Where the page says how far the sign-in is. */
export interface StatusLines {
  /** Read out by screen readers when they have time. */
  readonly line: HTMLElement;
  /** Read out at once; has what ended the sign-in or the attempt. */
  readonly alert: HTMLElement;
}

/** Takes over the page that the server made: it says in `data-show` in which states a part is seen. */
export function signInView(
  main: HTMLElement,
  { line, alert }: StatusLines,
  config: SignInConfig,
): SignInView {
  const parts = [...main.querySelectorAll<HTMLElement>('[data-show]')];
  // Set only when it differs: screen readers read out each change.
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
      // What had the focus is gone: the place to go on from is the sentence that says why.
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
