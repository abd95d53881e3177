import type { ComponentChildren, InputHTMLAttributes, VNode } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useView } from '../context.ts';
import { details } from './content.tsx';

/** Values that may be chosen, each with its label and what it means. Keys that are whole numbers come first. */
export type Choices = Readonly<Record<string, string | readonly [label: string, detail: string]>>;

/** Returns choices that are their own labels. */
export function same(...values: readonly string[]): Choices {
  return Object.fromEntries(values.map((one) => [one, one]));
}

/** Attributes of a control. */
type Attributes = Readonly<Record<string, string | number | boolean>>;

const PLAIN: Attributes = { autocomplete: 'off' };
const MONO: Attributes = { class: 'mono', spellcheck: false, autocomplete: 'off' };
/** A kind of field that is one text control. */
type TextKind = 'text' | 'code' | 'lines' | 'search' | 'password' | 'number' | 'date' | 'file';

/** Attributes of the control of a kind. */
const CONTROLS: Readonly<Record<TextKind, Attributes>> = {
  text: PLAIN,
  code: MONO,
  lines: MONO,
  search: { ...PLAIN, type: 'search' },
  password: { type: 'password', spellcheck: false },
  number: { type: 'number' },
  date: { type: 'date' },
  file: { type: 'file' },
};

/** One field of a form. */
export interface FieldSpec {
  readonly label: string;
  /** A text if absent. `code` and `lines` are of a fixed width; `check` is one checkbox, `checks` a group of them. */
  readonly kind?: TextKind | 'select' | 'check' | 'checks' | 'radio';
  /** Shown below the label. */
  readonly hint?: string | undefined;
  /** Initial value; the checked ones of a group. */
  readonly value?: string | boolean | readonly string[];
  readonly choices?: Choices;
  /** Further attributes of the control. */
  readonly attributes?: Attributes;
}

/** Fields below a legend, or in a part that can be closed. */
export interface FieldGroup {
  readonly legend?: string;
  readonly summary?: string;
  readonly hint?: string;
  readonly fields: FormFields;
}

/** Fields by the names of the members of the request, and groups of them by any name, in order. */
export type FormFields = { readonly [name: string]: FieldSpec | FieldGroup };

/** Texts of wrong fields, by their names. */
export type ErrorsByField = ReadonlyMap<string, string>;

/** Returns the names of the fields of a form. */
export function namesOf(fields: FormFields): string[] {
  return Object.entries(fields).flatMap(([name, row]) => ('fields' in row ? namesOf(row.fields) : [name]));
}

/** Returns the rows of a form. */
export function fieldRows(rows: FormFields, errors: ErrorsByField): VNode[] {
  return Object.entries(rows).map(([name, row]) => {
    if (!('fields' in row)) return field(name, row, undefined, errors.get(name));
    const { summary, legend, hint, fields } = row;
    const inner = fieldRows(fields, errors);
    if (summary !== undefined) return details(summary, <div class="stack">{inner}</div>);
    return <fieldset>{[<legend>{legend}</legend>, hint && <p class="hint">{hint}</p>, inner]}</fieldset>;
  });
}

type OnValue = (value: string, isOn: boolean) => void;

/**
 * Returns a labelled control with its hint and its error. The control keeps its own value.
 *
 * @param onValue - Called when a person changes it, with whether a checkbox is checked.
 * @param error - Shown below the control; absent if the value is right.
 */
export function field(name: string, spec: FieldSpec, onValue?: OnValue, error?: string): VNode {
  return <Field name={name} spec={spec} onValue={onValue} error={error} />;
}

interface FieldProps {
  readonly name: string;
  readonly spec: FieldSpec;
  readonly onValue: OnValue | undefined;
  readonly error: string | undefined;
}

/** An event of any control. */
interface ControlEvent {
  readonly currentTarget: { readonly value: string; readonly checked?: boolean };
}

function Field({ name, spec, onValue, error }: FieldProps): VNode {
  const { label, kind = 'text', hint, value = '', choices = {}, attributes } = spec;
  const id = useId();
  const hintId = hint === undefined || kind === 'check' ? '' : `${id}-hint `;
  const aria = {
    'aria-describedby': `${hintId}${id}-error`,
    'aria-invalid': error === undefined ? undefined : ('true' as const),
  };
  const onInput = ({ currentTarget: { value: now, checked = false } }: ControlEvent): void =>
    onValue?.(now, checked);
  const common = { id, name, ...aria, ...attributes, onInput };
  const text = String(value);
  const entries = Object.entries(choices);
  const note = hint !== undefined && (
    <p class="hint" id={hintId.trim()}>
      {hint}
    </p>
  );
  let parts: ComponentChildren;
  if (kind === 'check') {
    parts = choice([label, hint ?? ''], { type: 'checkbox', defaultChecked: value === true, ...common });
  } else if (kind === 'radio' || kind === 'checks') {
    const type = kind === 'radio' ? 'radio' : 'checkbox';
    const chosen = typeof value === 'object' ? value : [text];
    const items = entries.map(([one, words]) =>
      choice(words, { type, name, value: one, defaultChecked: chosen.includes(one) }),
    );
    parts = (
      <fieldset id={id} {...aria}>
        {[<legend>{label}</legend>, note, items]}
      </fieldset>
    );
  } else {
    const options = entries.map(([one, words]) => (
      <option value={one} selected={one === text}>
        {typeof words === 'string' ? words : words.join(': ')}
      </option>
    ));
    let control = <select {...common}>{options}</select>;
    if (kind === 'lines') control = <textarea {...CONTROLS.lines} defaultValue={text} {...common} />;
    else if (kind !== 'select') control = <input {...CONTROLS[kind]} defaultValue={text} {...common} />;
    parts = [<label for={id}>{label}</label>, note, control];
  }
  return (
    <div class="field">
      {parts}
      <p class="field-error" id={`${id}-error`} hidden={error === undefined}>
        {error}
      </p>
    </div>
  );
}

/** Returns a checkbox or a radio button with its label. */
function choice(
  words: string | readonly [string, string],
  input: InputHTMLAttributes<HTMLInputElement>,
): VNode {
  const [label, detail] = typeof words === 'string' ? [words] : words;
  const text = <span>{[label, detail !== undefined && <small>{detail}</small>]}</span>;
  return (
    <label class="choice">
      <input {...input} />
      {text}
    </label>
  );
}

/**
 * Creates fields whose values are parameters of the address.
 *
 * @param delayMs - Time without a keystroke after which a value applies.
 * @returns The values, and the fields.
 */
export function useFilters<N extends string>(
  specs: Readonly<Record<N, FieldSpec>>,
  delayMs = 0,
): readonly [values: Readonly<Record<N, string>>, fields: readonly VNode[]] {
  const { query, remember, signal } = useView();
  const entries = Object.entries<FieldSpec>(specs);
  const first = entries.map(([name, { value = '' }]) => [name, query.get(name) ?? String(value)]);
  const [values, setValues] = useState<Record<string, string>>(() => Object.fromEntries(first));
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => signal.addEventListener('abort', () => clearTimeout(timer.current)), []);
  const fields = entries.map(([name, spec]) =>
    field(name, { ...spec, value: values[name] ?? '' }, (text) => {
      const next = { ...values, [name]: text.trim() };
      const count = (): void => {
        remember(next);
        setValues(next);
      };
      clearTimeout(timer.current);
      if (delayMs === 0) count();
      else timer.current = setTimeout(count, delayMs);
    }),
  );
  return [values as Record<N, string>, fields];
}
