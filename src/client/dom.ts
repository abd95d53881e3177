import type { Mood } from '../pages.ts';

/** Attributes by name; `true` sets an empty value, `false` and undefined omit the attribute. */
export type Attributes = Readonly<Record<string, string | boolean | undefined>>;

/**
 * Creates an element. Strings become text nodes, so that they are never parsed as HTML. Styles are classes,
 * because the page's policy forbids style attributes.
 */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) node.setAttribute(name, '');
    else if (typeof value === 'string') node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

/** Creates a button. While the work of one press runs, further presses do nothing. */
export function button(
  text: string,
  press: () => Promise<void> | void,
  attributes: Attributes = {},
): HTMLButtonElement {
  const node = element('button', { type: 'button', ...attributes }, text);
  node.addEventListener('click', () => void whileBusy(node, press));
  return node;
}

/**
 * Runs the work that a control started, and marks the control busy during it. Unlike a disabled control it stays
 * focusable, so that keyboard users keep their place.
 */
export async function whileBusy(control: HTMLElement, work: () => Promise<void> | void): Promise<void> {
  if (control.getAttribute('aria-busy') === 'true') return;
  control.setAttribute('aria-busy', 'true');
  try {
    await work();
  } finally {
    control.removeAttribute('aria-busy');
  }
}

let nextId = 1;

/** Creates a labelled control, with an optional hint below the label. */
export function field(label: string, control: HTMLElement, hint?: string): HTMLElement {
  control.id ||= `field-${nextId++}`;
  const parts: Node[] = [element('label', { for: control.id }, label)];
  if (hint !== undefined) {
    const hintId = `${control.id}-hint`;
    control.setAttribute('aria-describedby', hintId);
    parts.push(element('p', { class: 'hint', id: hintId }, hint));
  }
  return element('div', { class: 'field' }, ...parts, control);
}

/** Creates a radio button with its label; `detail` is shown below the label. */
export function radio(name: string, value: string, label: string, detail?: string): HTMLElement {
  return choice({ type: 'radio', name, value }, label, detail);
}

/** Creates a checkbox with its label. */
export function checkbox(value: string, label: string): HTMLElement {
  return choice({ type: 'checkbox', value }, label);
}

function choice(attributes: Attributes, label: string, detail?: string): HTMLElement {
  const input = element('input', attributes);
  const words = element('span', {}, label);
  if (detail !== undefined) words.append(element('small', {}, detail));
  return element('label', { class: 'choice' }, input, words);
}

/** Creates a description list of names and values. */
export function facts(...rows: readonly (readonly [string, Node | string])[]): HTMLElement {
  const cells = rows.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]);
  return element('dl', {}, ...cells);
}

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
