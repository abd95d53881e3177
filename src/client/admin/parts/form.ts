import { element, field, whileBusy } from '../../dom.ts';
import { explainField, explainProblem, Problem } from '../api/problem.ts';
import type { ViewContext } from '../context.ts';

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
  /** Sends the form. A `Problem` is shown at the fields that it names, or above the buttons. */
  readonly submit: () => Promise<void>;
}

/** Creates a form that shows a refusal where it belongs and is disabled, with the reason, for a token that may only read. */
export function form(parts: FormParts): HTMLFormElement {
  const { fields, action, context, layout, controls = [], submit } = parts;
  const alert = element('p', { class: 'status', role: 'alert', 'data-mood': 'bad' });
  const button = element('button', { class: parts.isDanger === true ? 'danger' : 'primary' }, action);
  guard(button, context);
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
      alert.textContent = '';
      for (const one of fields) one.fail('');
      try {
        await submit();
      } catch (error) {
        showRefusal(error, fields, alert);
      }
    });
  });
  return node;
}

function showRefusal(error: unknown, fields: readonly FormField[], alert: HTMLElement): void {
  const named = error instanceof Problem ? fields.filter(({ name }) => error.fields.includes(name)) : [];
  const [first] = named;
  if (first === undefined || !(error instanceof Problem)) {
    alert.textContent = explainProblem(error);
    return;
  }
  for (const one of named) one.fail(explainField(error));
  const target = first.control instanceof HTMLFieldSetElement ? first.control.querySelector('input') : null;
  (target ?? first.control).focus();
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
