import type { InputHTMLAttributes, VNode } from 'preact';
import { useId } from 'preact/hooks';

/** A value that may be chosen, with its label. */
export type Choice = readonly [value: string, label: string, detail?: string];

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
  /** Member of the request. */
  readonly name: string;
  readonly label: string;
  /** A text if absent. `code` and `lines` are of a fixed width; `check` is one checkbox, `checks` a group of them. */
  readonly kind?: TextKind | 'select' | 'check' | 'checks' | 'radio';
  /** Shown below the label. */
  readonly hint?: string;
  /** Initial value; the checked ones of a group. */
  readonly value?: string | boolean | readonly string[];
  readonly choices?: readonly Choice[];
  /** Further attributes of the control. */
  readonly attributes?: Attributes;
}

/** Fields below a legend, or in a part that can be closed. */
export interface FieldGroup {
  readonly legend?: string;
  readonly summary?: string;
  readonly hint?: string;
  readonly fields: readonly FormRow[];
}

/** One row of a form. */
export type FormRow = FieldSpec | FieldGroup;

/** Called when a person changes a field. @param isOn - Whether a checkbox is checked. */
export type OnValue = (value: string, isOn: boolean) => void;

/** An event of any control. */
interface ControlEvent {
  readonly currentTarget: { readonly value: string; readonly checked?: boolean };
}

/** Parts of `Field`. */
export interface FieldProps {
  readonly spec: FieldSpec;
  /** Shown below the control; absent if it is right. */
  readonly error?: string | undefined;
  readonly onValue?: OnValue;
}

/** A labelled control with its hint and its error. The control keeps its own value. */
export function Field({ spec, error, onValue }: FieldProps): VNode {
  const { name, label, kind = 'text', hint, value = '', choices = [], attributes } = spec;
  const id = useId();
  const described = [...(hint === undefined || kind === 'check' ? [] : [`${id}-hint`]), `${id}-error`];
  const aria = {
    'aria-describedby': described.join(' '),
    'aria-invalid': error === undefined ? undefined : ('true' as const),
  };
  const common = {
    ...{ id, name, ...aria, ...attributes },
    onInput: ({ currentTarget: { value: now, checked = false } }: ControlEvent) => onValue?.(now, checked),
  };
  const text = String(value);
  let control: VNode;
  if (kind === 'check') {
    const input = { type: 'checkbox' as const, defaultChecked: value === true, ...common };
    control = <ChoiceLabel label={label} detail={hint ?? ''} input={input} />;
  } else if (kind === 'radio' || kind === 'checks') {
    const chosen = typeof value === 'object' ? value : [text];
    control = (
      <fieldset id={id} {...aria}>
        <legend>{label}</legend>
        {choices.map(([one, words, detail]) => (
          <ChoiceLabel
            label={words}
            detail={detail}
            input={{
              ...{ type: kind === 'radio' ? 'radio' : 'checkbox', name, value: one },
              defaultChecked: chosen.includes(one),
            }}
          />
        ))}
      </fieldset>
    );
  } else {
    control = (
      <>
        <label for={id}>{label}</label>
        {hint !== undefined && (
          <p class="hint" id={`${id}-hint`}>
            {hint}
          </p>
        )}
        {kind === 'select' ? (
          <select {...common}>
            {choices.map(([one, words]) => (
              <option value={one} selected={one === text}>
                {words}
              </option>
            ))}
          </select>
        ) : kind === 'lines' ? (
          <textarea {...CONTROLS.lines} defaultValue={text} {...common} />
        ) : (
          <input {...CONTROLS[kind]} defaultValue={text} {...common} />
        )}
      </>
    );
  }
  return (
    <div class="field">
      {control}
      <p class="field-error" id={`${id}-error`} hidden={error === undefined}>
        {error}
      </p>
    </div>
  );
}

interface ChoiceLabelProps {
  readonly label: string;
  readonly detail: string | undefined;
  readonly input: InputHTMLAttributes<HTMLInputElement>;
}

function ChoiceLabel({ label, detail, input }: ChoiceLabelProps): VNode {
  return (
    <label class="choice">
      <input {...input} />
      <span>
        {label}
        {detail !== undefined && <small>{detail}</small>}
      </span>
    </label>
  );
}

/** The rows of a form, in order. @param errors - By the name of a field. */
export function Fields({ rows, errors }: { rows: readonly FormRow[]; errors: ErrorsByField }): VNode {
  return (
    <>
      {rows.map((row) => {
        if (!('fields' in row)) return <Field key={row.name} spec={row} error={errors.get(row.name)} />;
        const inner = <Fields rows={row.fields} errors={errors} />;
        if (row.summary !== undefined) {
          return (
            <details>
              <summary>{row.summary}</summary>
              <div class="stack">{inner}</div>
            </details>
          );
        }
        return (
          <fieldset>
            <legend>{row.legend}</legend>
            {row.hint !== undefined && <p class="hint">{row.hint}</p>}
            {inner}
          </fieldset>
        );
      })}
    </>
  );
}

/** Texts of wrong fields, by their names. */
export type ErrorsByField = ReadonlyMap<string, string>;

/** Returns the names of the fields of a form. */
export function namesOf(rows: readonly FormRow[]): string[] {
  return rows.flatMap((row) => ('fields' in row ? namesOf(row.fields) : [row.name]));
}
