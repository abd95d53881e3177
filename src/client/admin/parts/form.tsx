import type { ComponentChildren, VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { whileBusy } from '../../dom.ts';
import { explainRefusal, type MemberFault, Problem } from '../api/problem.ts';
import { useView, type ViewContext } from '../context.ts';
import { READ_ONLY_NOTE, useGuard } from './action.tsx';
import { linkOf, problemNote } from './content.tsx';
import { type ErrorsByField, type FormFields, fieldRows, namesOf } from './fields.tsx';

/** A refusal of the page itself: what is wrong with a field, as a sentence. */
export class FieldError extends Error {
  readonly field: string;

  constructor(field: string, text: string) {
    super(text);
    this.field = field;
  }
}

/** Values of a form, by the names of its fields. */
export interface FormValues {
  /** Returns a text without spaces around it. */
  text(name: string): string;
  /** Returns the lines that are not empty, without spaces around them. */
  lines(name: string): string[];
  /** Returns the values of the checked controls of a group. */
  chosen(name: string): string[];
  isOn(name: string): boolean;
  file(name: string): File | undefined;
  /** Replaces the text of a control, or with an empty text the file. */
  set(name: string, value: string): void;
}

/** Returns the values that a form has now. */
export function valuesOf(form: HTMLFormElement): FormValues {
  const data = new FormData(form);
  const texts = (name: string): string[] =>
    data.getAll(name).flatMap((value) => (typeof value === 'string' ? [value.trim()] : []));
  return {
    text: (name) => texts(name)[0] ?? '',
    lines: (name) => linesOf(texts(name)[0] ?? ''),
    chosen: texts,
    isOn: (name) => data.has(name),
    file(name) {
      const file = data.get(name);
      return file instanceof File && file.name !== '' ? file : undefined;
    },
    set(name, value) {
      const control = form.elements.namedItem(name);
      if (control !== null && 'value' in control) control.value = value;
    },
  };
}

/** Returns the lines that are not empty, without spaces around them. */
export function linesOf(text: string): string[] {
  return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
}

/** Parts of a form. */
export interface FormParts {
  readonly fields: FormFields;
  /** Text of the button that submits. */
  readonly action: string;
  /** Further controls next to the button. */
  readonly controls?: ComponentChildren;
  readonly isDanger?: boolean;
  /** Whether the form changes nothing, so that any token may send it. */
  readonly isReading?: boolean;
  /** Returns the field to which a refusal belongs that names none. */
  readonly fieldOf?: (problem: Problem) => string | undefined;
  /** Sends the form. A `Problem` is shown at the fields that it names, or above the buttons. */
  readonly submit: (values: FormValues, context: ViewContext) => Promise<void>;
}

/** Faults of the values of a form. */
interface Refusal {
  readonly error: unknown;
  readonly errors: ErrorsByField;
  /** Faults of members that the form does not have. */
  readonly others: readonly MemberFault[];
}

/** Returns a form that shows every refusal where it belongs and is disabled, with the reason, for a token that may only read. */
export function form(parts: FormParts): VNode {
  return <Form {...parts} />;
}

function Form(parts: FormParts): VNode {
  const { fields, action, controls, isDanger = false, isReading = false, submit } = parts;
  const self = useRef<HTMLFormElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const [refusal, setRefusal] = useState<Refusal>();
  const context = useView();
  const guard = useGuard(isReading);
  useLayoutEffect(() => {
    if (refusal !== undefined) showMarked(self.current);
  }, [refusal]);
  const send = (values: FormValues) => async (): Promise<void> => {
    setRefusal(undefined);
    try {
      await submit(values, context);
    } catch (error) {
      setRefusal(refusalOf(error, parts));
    }
  };
  return (
    <form
      noValidate
      ref={self}
      onSubmit={(event) => {
        event.preventDefault();
        if (button.current === null || button.current.disabled) return;
        void whileBusy(button.current, send(valuesOf(event.currentTarget)));
      }}
    >
      {fieldRows(fields, refusal?.errors ?? new Map())}
      <div class="status" role="alert" data-mood="bad">
        {refusal && noteOf(refusal)}
      </div>
      <div class="buttons">
        <button type="submit" ref={button} class={isDanger ? 'danger' : 'primary'} {...guard}>
          {action}
        </button>
        {controls}
      </div>
      {guard.disabled === true && <p class="hint">{READ_ONLY_NOTE}</p>}
    </form>
  );
}

function refusalOf(error: unknown, { fields, fieldOf }: FormParts): Refusal {
  const faults = faultsOf(error, fieldOf);
  const names = namesOf(fields);
  const errors = new Map<string, string>();
  for (const { field, text } of faults.filter((fault) => names.includes(fault.field))) {
    const before = errors.get(field);
    errors.set(field, before === undefined ? text : `${before}\n${text}`);
  }
  return { error, errors, others: faults.filter(({ field }) => !errors.has(field)) };
}

function faultsOf(error: unknown, fieldOf: FormParts['fieldOf']): readonly MemberFault[] {
  if (error instanceof FieldError) return [{ field: error.field, text: error.message }];
  if (!(error instanceof Problem)) return [];
  const field = fieldOf?.(error);
  return field === undefined ? error.faults : [{ field, text: explainRefusal(error) }];
}

function noteOf({ error, errors: { size }, others }: Refusal): ComponentChildren {
  if (size === 0) return problemNote(error);
  const what = size === 1 ? 'Correct the marked field.' : `Correct the ${size} marked fields.`;
  return [<p>{what}</p>, others.map(({ field, text }) => <p>{`${field}: ${text}`}</p>), linkOf(error)];
}

/** Brings the marked fields into view and gives the first one the focus. */
function showMarked(form: HTMLFormElement | null): void {
  const marked = [...(form?.querySelectorAll<HTMLElement>('[aria-invalid]') ?? [])];
  // A control in a closed part of the form cannot be seen nor take the focus.
  for (const control of marked) control.closest('details')?.setAttribute('open', '');
  const [first] = marked;
  const target = first instanceof HTMLFieldSetElement ? first.querySelector('input') : first;
  target?.focus();
}

/** A text that is pasted or read from a file. */
export interface TextOrFile {
  /** The text first; it also shows what is wrong with a file. */
  readonly fields: FormFields;
  /** Returns the text. @throws FieldError if there is none, or both. */
  read(values: FormValues): Promise<string>;
  clear(values: FormValues): void;
}

/**
 * Creates the two fields of a text.
 *
 * @param accept - Kinds of files, as for a file control.
 * @param textOf - Returns the text of a file.
 */
export function textOrFile(
  name: string,
  label: string,
  accept: string,
  hint: string,
  textOf = (file: File): Promise<string> => file.text(),
): TextOrFile {
  const fileName = `${name}_file`;
  return {
    fields: {
      [name]: { label, kind: 'lines', hint, attributes: { rows: 5 } },
      [fileName]: { label: 'Or a file with it', kind: 'file', attributes: { accept } },
    },
    async read(values) {
      const [pasted, file] = [values.text(name), values.file(fileName)];
      if (file !== undefined && pasted !== '') {
        throw new FieldError(name, 'Give the text or a file, not both.');
      }
      const content = file === undefined ? pasted : (await textOf(file)).trim();
      if (content !== '') return content;
      throw new FieldError(
        name,
        file === undefined ? 'Paste the text or choose a file.' : 'The file is empty.',
      );
    },
    clear(values) {
      for (const one of [name, fileName]) values.set(one, '');
    },
  };
}
