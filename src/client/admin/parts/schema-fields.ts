import type { JsonSchema } from '../../../json.ts';
import { type Choices, type FieldSpec, same } from './fields.tsx';
import type { FormValues } from './form.tsx';

/** Members of a request or an answer. */
export type Members = Readonly<Record<string, unknown>>;

/**
 * Returns the field of a member: its label, hint and control follow from the schema.
 *
 * @param own - What the schema cannot tell, such as words for each choice.
 * @param value - Of the object that the form changes; that of `own`, or none, if it is undefined or null.
 */
export function fieldOf(
  name: string,
  schema: JsonSchema,
  own: Partial<FieldSpec> = {},
  value?: unknown,
): FieldSpec {
  const { title: label = name, description } = schema;
  const control = controlOf(schema);
  const hint = control.kind === 'lines' ? `One per line. ${description ?? ''}` : description;
  const field: FieldSpec = { label, hint, ...control, ...own };
  return { ...field, value: initialOf(field, value) };
}

function controlOf({ type, enum: values, items = {}, pattern, maxLength }: JsonSchema): Partial<FieldSpec> {
  const types = [type].flat();
  if (types.includes('boolean')) return { kind: 'check' };
  if (values !== undefined) return { kind: 'select', choices: choicesOf(values) };
  if (types.includes('array')) {
    if (items.enum !== undefined) return { kind: 'checks', choices: choicesOf(items.enum) };
    return { kind: 'lines', attributes: { rows: 2 } };
  }
  if (types.includes('integer')) return { attributes: { inputmode: 'numeric' } };
  return {
    kind: pattern === undefined ? 'text' : 'code',
    ...(maxLength === undefined ? {} : { attributes: { maxlength: maxLength } }),
  };
}

function choicesOf(values: readonly (string | number)[]): Choices {
  return same(...values.map(String));
}

type Initial = NonNullable<FieldSpec['value']>;

/** Returns the initial value of a field; for a radio group one of its choices. */
function initialOf({ kind, choices = {}, value = '' }: FieldSpec, member: unknown): Initial {
  if (kind === 'radio') {
    const values = Object.keys(choices);
    return values.find((one) => one === member) ?? values[0] ?? '';
  }
  if (member === undefined || member === null) return value;
  if (Array.isArray(member)) return kind === 'lines' ? member.join('\n') : member;
  return typeof member === 'boolean' ? member : String(member);
}

/** Returns the value of a member as a form has it: an empty text or list if its field is empty. */
export function readMember(
  values: FormValues,
  name: string,
  { kind }: FieldSpec,
  schema: JsonSchema,
): unknown {
  if (kind === 'check') return values.isOn(name);
  if (kind === 'checks') return values.chosen(name);
  if (kind === 'lines') {
    const hasNumbers = schema.items?.anyOf?.some(takesNumbers) === true;
    return values.lines(name).map((line) => (hasNumbers ? numberOr(line) : line));
  }
  const text = values.text(name);
  return takesNumbers(schema) ? numberOr(text) : text;
}

function takesNumbers({ type }: JsonSchema): boolean {
  return [type].flat().includes('integer');
}

/** Returns digits as a number; any other text unchanged, for validation by the service. */
function numberOr(text: string): number | string {
  const number = Number(text);
  return /^(?:0|[1-9]\d*)$/.test(text) && Number.isSafeInteger(number) ? number : text;
}
