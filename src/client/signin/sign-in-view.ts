import type { Mood } from '../status-line.ts';
import type { SignInConfig, SignInState } from './config.ts';
import type { SignInStatus } from './read-status.ts';

const MOODS: Readonly<Record<SignInState, Mood>> = {
  waiting: 'busy',
  connected: 'busy',
  verifying: 'busy',
  completed: 'good',
  failed: 'bad',
  refused: 'bad',
  expired: 'bad',
};

/** The part of the page that changes while a sign-in goes on. */
export interface SignInView {
  show(status: SignInStatus): void;
  /** Says that the service does not answer; what is shown stays. */
  showUnreachable(): void;
}

/** Takes over the page that the server made: it says in `data-show` in which states a part is seen. */
export function signInView(main: HTMLElement, line: HTMLElement, config: SignInConfig): SignInView {
  const parts = [...main.querySelectorAll<HTMLElement>('[data-show]')];
  const say = (text: string, mood: Mood): void => {
    line.dataset.mood = mood;
    // Set only when it differs: screen readers read out each change.
    if (line.textContent !== text) line.textContent = text;
  };
  return {
    show({ state, code, detail }) {
      say(config.sentences[`${state}.${code}`] ?? detail ?? config.sentences[state] ?? '', MOODS[state]);
      const held = document.activeElement;
      for (const part of parts) part.hidden = !(part.dataset.show ?? '').split(' ').includes(state);
      // What had the focus is gone: the place to go on from is the sentence that says why.
      if (held !== null && held !== document.body && held.closest('[hidden]') !== null) line.focus();
    },
    showUnreachable() {
      say(config.unreachable, 'bad');
    },
  };
}
