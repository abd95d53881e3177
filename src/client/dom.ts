/** Attributes by name; `true` sets an empty one, `false` and undefined leave it out. */
export type Attributes = Readonly<Record<string, string | boolean | undefined>>;

/**
 * Makes an element. Texts become text nodes, so that none of them is ever read as HTML, and styles are classes,
 * because the page's policy forbids them in attributes.
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

/** A button that does something on the page. While one press is at work, further ones do nothing. */
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
 * Runs what a control started. The control stays focusable, unlike a disabled one, so that whoever works by keyboard
 * does not lose the place.
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

/** A labelled control, with a hint below the label where there is one. */
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

/** One radio button with its label; `detail` stands below the label. */
export function radio(name: string, value: string, label: string, detail?: string): HTMLElement {
  const input = element('input', { type: 'radio', name, value });
  const words = element('span', {}, label);
  if (detail !== undefined) words.append(element('small', {}, detail));
  return element('label', { class: 'choice' }, input, words);
}

/** Names and values; a value that is a text becomes one. */
export function facts(...rows: readonly (readonly [string, Node | string])[]): HTMLElement {
  const cells = rows.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]);
  return element('dl', {}, ...cells);
}
