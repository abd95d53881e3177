import { element, field, whileBusy } from '../../dom.ts';
import { explainRefusal, type MemberFault, Problem } from '../api/problem.ts';
import type { ViewContext } from '../context.ts';
import { linksOf, problemNote } from './problem-note.ts';

/** A control with its label, hint and place for an error. */
export interface FormField {
  /** Member of the request. */
  readonly name: string;
  readonly node: HTMLElement;
  readonly control: HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement | HTMLFieldSetElement;
  /** Shows an error below the control; empty text removes it. */
  fail(text: string): void;
}

/** Wraps a control into a field. */
export function formField(
  name: string,
  label: string,
  control: HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement,
  hint?: string,
): FormField {
  const node = field(label, control, hint);
  return withError(name, node, control);
}

function withError(name: string, node: HTMLElement, control: FormField['control']): FormField {
  const place = element('p', { class: 'field-error', id: `${control.id}-error` });
  place.hidden = true;
  node.append(place);
  const described = [control.getAttribute('aria-describedby'), place.id].filter((id) => id !== null);
  control.setAttribute('aria-describedby', described.join(' '));
  return {
    name,
    node,
    control,
    fail(text) {
      place.textContent = text;
      place.hidden = text === '';
      if (text === '') control.removeAttribute('aria-invalid');
      else control.setAttribute('aria-invalid', 'true');
    },
  };
}

/** Creates a group of checkboxes or radio buttons. */
export function choiceGroup(
  name: string,
  legend: string,
  kind: 'radio' | 'checkbox',
  choices: readonly (readonly [value: string, label: string, detail?: string])[],
  chosen: readonly string[],
): FormField {
  const items = choices.map(([value, label, detail]) => {
    const input = element('input', { type: kind, name, value, checked: chosen.includes(value) });
    const words = element('span', {}, label);
    if (detail !== undefined) words.append(element('small', {}, detail));
    return element('label', { class: 'choice' }, input, words);
  });
  const group = element('fieldset', { id: `group-${name}` }, element('legend', {}, legend), ...items);
  return withError(name, element('div', { class: 'field' }, group), group);
}

/** Creates one checkbox with its label. */
export function checkbox(name: string, label: string, detail: string, isChecked: boolean): FormField {
  const input = element('input', { type: 'checkbox', name, id: `check-${name}`, checked: isChecked });
  const words = element('span', {}, label, element('small', {}, detail));
  const choice = element('label', { class: 'choice' }, input, words);
  return withError(name, element('div', { class: 'field' }, choice), input);
}

/** Creates a selection. */
export function select(
  choices: readonly (readonly [value: string, label: string])[],
  chosen?: string,
): HTMLSelectElement {
  const options = choices.map(([value, label]) =>
    element('option', { value, selected: value === chosen }, label),
  );
  return element('select', {}, ...options);
}

/** Values of the checked controls of a group. */
export function checkedIn({ control }: FormField): string[] {
  return [...control.querySelectorAll<HTMLInputElement>('input:checked')].map(({ value }) => value);
}

/** A refusal of the page itself: what is wrong with a field, as a sentence. */
export class FieldError extends Error {
  readonly field: string;

  constructor(field: string, text: string) {
    super(text);
    this.field = field;
  }
}

/** Settings of a form. */
export interface FormParts {
  readonly fields: readonly FormField[];
  readonly action: string;
  readonly context: Pick<ViewContext, 'caller' | 'announce'>;
  /** Fields and what is between them, in order; the fields if absent. */
  readonly layout?: readonly Node[];
  /** Further controls beside the button that submits. */
  readonly controls?: readonly Node[];
  readonly isDanger?: boolean;
  /** Whether the form changes nothing, so that any token may send it. */
  readonly isReading?: boolean;
  /** Returns the field to which a refusal belongs that names none. */
  readonly fieldOf?: (problem: Problem) => string | undefined;
  /** Sends the form. A `Problem` is shown at the fields that it names, or above the buttons. */
  readonly submit: () => Promise<void>;
}

/** Creates a form that shows every refusal where it belongs and is disabled, with the reason, for a token that may only read. */
export function form(parts: FormParts): HTMLFormElement {
  const { fields, action, context, layout, controls = [], submit } = parts;
  const alert = element('div', { class: 'status', role: 'alert', 'data-mood': 'bad' });
  const button = element('button', { class: parts.isDanger === true ? 'danger' : 'primary' }, action);
  if (parts.isReading !== true) guard(button, context);
  const node = element(
    'form',
    { novalidate: true },
    ...(layout ?? fields.map((one) => one.node)),
    alert,
    element('div', { class: 'buttons' }, button, ...controls),
  );
  if (button.disabled) node.append(readOnlyNote());
  node.addEventListener('submit', (event) => {
    event.preventDefault();
    if (button.disabled) return;
    void whileBusy(button, async () => {
      alert.replaceChildren();
      for (const one of fields) one.fail('');
      try {
        await submit();
      } catch (error) {
        showRefusal(error, parts, alert);
      }
    });
  });
  return node;
}

/** Shows each fault at its field, and what belongs to none above the buttons. */
function showRefusal(error: unknown, { fields, fieldOf }: FormParts, alert: HTMLElement): void {
  const faults = faultsOf(error, fieldOf);
  const named = fields.filter(({ name }) => faults.some(({ field }) => field === name));
  const others = faults.filter(({ field }) => !named.some(({ name }) => name === field));
  for (const one of named) {
    const texts = faults.flatMap(({ field, text }) => (field === one.name ? [text] : []));
    one.fail(texts.join('\n'));
  }
  if (named.length === 0) alert.replaceChildren(...problemNote(error));
  else {
    const rest = others.map(({ field, text }) => element('p', {}, `${field}: ${text}`));
    const what =
      named.length === 1 ? 'Correct the marked field.' : `Correct the ${named.length} marked fields.`;
    alert.replaceChildren(element('p', {}, what), ...rest, ...linksOf(error));
  }
  const [first] = fields.filter(({ node }) => node.querySelector('[aria-invalid]') !== null);
  if (first === undefined) return;
  // A control in a closed part of the form cannot be seen nor take the focus.
  for (const { node } of named) node.closest('details')?.setAttribute('open', '');
  const target = first.control instanceof HTMLFieldSetElement ? first.control.querySelector('input') : null;
  (target ?? first.control).focus();
}

function faultsOf(error: unknown, fieldOf: FormParts['fieldOf']): readonly MemberFault[] {
  if (error instanceof FieldError) return [{ field: error.field, text: error.message }];
  if (!(error instanceof Problem)) return [];
  const field = fieldOf?.(error);
  return field === undefined ? error.faults : [{ field, text: explainRefusal(error) }];
}

/** Disables a button for a token that may only read. */
export function guard<B extends HTMLButtonElement>(button: B, { caller }: Pick<ViewContext, 'caller'>): B {
  if (caller.scope !== 'write') {
    button.disabled = true;
    button.title = 'Your token may only read.';
  }
  return button;
}

/** Creates the sentence that says why buttons are disabled. */
export function readOnlyNote(): HTMLElement {
  return element('p', { class: 'hint' }, 'Your token may only read. A token of scope write can change this.');
}
