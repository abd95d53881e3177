import type { Mood } from '../pages.ts';
import { element } from './dom.ts';

/** A line that screen readers announce when it changes. It remains on the page, empty without a message. */
export interface StatusLine {
  readonly node: HTMLElement;
  say(text: string, mood: Mood): void;
  clear(): void;
}

/** Creates a status line. */
export function statusLine(): StatusLine {
  const node = element('p', { class: 'status', role: 'status', 'aria-live': 'polite' });
  return {
    node,
    say(text, mood) {
      node.dataset.mood = mood;
      node.textContent = text;
    },
    clear() {
      node.textContent = '';
    },
  };
}
