import { element } from '../../dom.ts';
import { problemNote } from './problem-note.ts';

/** Creates grey lines in the place of content that is being read. */
export function skeleton(lines = 4): HTMLElement {
  const bars = Array.from({ length: lines }, () => element('span', { class: 'bone' }));
  const words = element('span', { class: 'visually-hidden' }, 'Loading…');
  return element('div', { class: 'skeleton', 'aria-busy': 'true' }, words, ...bars);
}

/** Creates the text in the place of a list that has no rows, with an optional next step. */
export function emptyState(title: string, text: string, ...steps: readonly Node[]): HTMLElement {
  return element(
    'div',
    { class: 'empty' },
    element('p', { class: 'empty-title' }, title),
    element('p', {}, text),
    ...(steps.length === 0 ? [] : [element('div', { class: 'buttons' }, ...steps)]),
  );
}

/** Creates the text in the place of content that could not be read. */
export function failure(error: unknown, retry: () => void): HTMLElement {
  const again = element('button', { type: 'button' }, 'Try again');
  again.addEventListener('click', retry);
  return element(
    'div',
    { class: 'alert', 'data-level': 'error', role: 'alert' },
    ...problemNote(error),
    element('div', { class: 'buttons' }, again),
  );
}

/** Shows a sentence; what stands between backticks is code. */
export function prose(text: string): HTMLElement {
  const parts = text.split('`').map((part, index) => (index % 2 === 1 ? element('code', {}, part) : part));
  return element('span', {}, ...parts);
}

/** Word on a coloured ground; its meaning is in the word, not in the colour. */
export type Tone = 'good' | 'bad' | 'note' | 'plain' | 'accent';

/** Creates a badge. */
export function badge(text: string, tone: Tone = 'plain'): HTMLElement {
  return element('span', { class: 'badge', 'data-tone': tone }, text);
}

/** Creates a card with a heading, and with controls at the end of its line. */
export function card(
  title: string,
  children: readonly (Node | string)[],
  controls: readonly Node[] = [],
): HTMLElement {
  const id = `card-${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`;
  const head = element('div', { class: 'card-head' }, element('h2', { id }, title));
  if (controls.length > 0) head.append(element('div', { class: 'buttons' }, ...controls));
  return element('section', { 'aria-labelledby': id }, head, ...children);
}

const fillings = new WeakMap<HTMLElement, AbortController>();

/**
 * Fills a place with content that is read first: a skeleton meanwhile, the reason and a second try if it fails. Content
 * that is already there stays until the new one has come, so that nothing jumps. A later call for the same place ends
 * an earlier one that still reads.
 */
export async function fill(
  place: HTMLElement,
  signal: AbortSignal,
  read: (signal: AbortSignal) => Promise<readonly Node[]>,
): Promise<void> {
  fillings.get(place)?.abort();
  const filling = new AbortController();
  fillings.set(place, filling);
  const ended = AbortSignal.any([signal, filling.signal]);
  if (place.childElementCount === 0) place.append(skeleton());
  place.setAttribute('aria-busy', 'true');
  let nodes: readonly Node[];
  try {
    nodes = await read(ended);
  } catch (error) {
    nodes = [failure(error, () => void fill(place, signal, read))];
  }
  if (ended.aborted) return;
  place.replaceChildren(...nodes);
  place.removeAttribute('aria-busy');
}
