import type { ErrorObject } from 'ajv';

const MAX_CHARACTERS = 200;

/**
 * Prints a JSON value for an error message (spec/verification.md#printed-values): a string in double quotes without
 * escaping, another scalar as it is, an array or object as JSON with two-space indentation whose inner scalars are
 * first converted to strings; cut to 200 characters. Conversion ends at the cut, so the cost is bounded for any depth
 * and size of a hostile value.
 */
export function printValue(value: unknown): string {
  if (typeof value === 'string') return cutText(`"${value.slice(0, MAX_CHARACTERS * 2)}"`);
  if (typeof value !== 'object' || value === null) return cutText(scalarText(value));
  const out = new BoundedText();
  writeJson(value, '', out);
  return cutText(out.text);
}

class BoundedText {
  text = '';

  get isFull(): boolean {
    // a character has at most two code units
    return this.text.length > MAX_CHARACTERS * 2;
  }
}

function scalarText(value: unknown): string {
  if (typeof value === 'string') return `"${value.slice(0, MAX_CHARACTERS * 2)}"`;
  return Object.is(value, -0) ? '-0' : String(value);
}

function writeJson(value: unknown, indent: string, out: BoundedText): void {
  if (typeof value !== 'object' || value === null) {
    out.text += JSON.stringify(scalarText(value));
    return;
  }
  const isArray = Array.isArray(value);
  const entries: Iterable<readonly [string, unknown]> = isArray
    ? value.map((member) => ['', member] as const)
    : Object.entries(value);
  const inner = `${indent}  `;
  let isFirst = true;
  out.text += isArray ? '[' : '{';
  for (const [name, member] of entries) {
    if (out.isFull) return;
    out.text += `${isFirst ? '' : ','}\n${inner}`;
    isFirst = false;
    if (!isArray) out.text += `${JSON.stringify(name.slice(0, MAX_CHARACTERS * 2))}: `;
    writeJson(member, inner, out);
  }
  if (!isFirst) out.text += `\n${indent}`;
  out.text += isArray ? ']' : '}';
}

/** Cuts a text to 200 characters. */
export function cutText(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  let end = 0;
  for (let count = 0; count < MAX_CHARACTERS && end < text.length; count++) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}

/** Text of a message, or a function of field, value and parameters of the ajv error. */
export type Message = string | ((field: string, value: unknown, params: Record<string, unknown>) => string);

/**
 * Messages of the fields of one object, by field and ajv keyword. `null` replaces any keyword if the value is null.
 * Several keywords of one field are reported in the order of the rows.
 */
export type MessageTable = Readonly<Record<string, Readonly<Record<string, Message>>>>;

/** Returns the message for a value of a wrong type. */
export function wrongType(type: string): Message {
  return (field, value) =>
    `${field} must be a \`${type}\` type, but the final value was: \`${printValue(value)}\`.`;
}

/**
 * Returns the message for a value that is not an integer; values that are not numbers get the message of `otherType`.
 */
export function integerOr(otherType: Message): Message {
  return (field, value, params) =>
    typeof value === 'number' ? `${field} must be an integer` : messageText(otherType, field, value, params);
}

/** Message for null where the field has no message of its own. */
export const NOT_NULL: Message = (field: string): string => `${field} cannot be null`;

const OBJECT_TYPE = wrongType('object');

/** Returns the name of the field that an error of a schema is about; empty for the value itself. */
export function fieldOf(error: ErrorObject): string {
  if (error.keyword === 'required') return String(error.params.missingProperty);
  return error.instancePath.slice(1);
}

/**
 * Returns all messages of one field, in the order of the table.
 *
 * @param holder - The object that has the field.
 */
export function fieldMessages(
  table: MessageTable,
  errors: readonly ErrorObject[],
  field: string,
  holder: Readonly<Record<string, unknown>>,
): string[] {
  const value = holder[field];
  const found = new Map<string, ErrorObject>();
  for (const error of errors) {
    if (fieldOf(error) === field) found.set(value === null ? 'null' : error.keyword, error);
  }
  if (found.size === 0) return [];
  const messages: string[] = [];
  for (const [keyword, message] of Object.entries(table[field] ?? {})) {
    const error = found.get(keyword);
    if (error) messages.push(messageText(message, field, value, error.params));
  }
  if (messages.length === 0) throw new Error(`no message for ${field}: ${[...found.keys()].join(', ')}`);
  return messages;
}

/** Returns the message for a value that should be an object: the body, or an item of `responses`. */
export function objectMessage(value: unknown): string {
  return value === null ? 'this cannot be null' : messageText(OBJECT_TYPE, 'this', value, {});
}

/** Returns the text of a message. */
export function messageText(
  message: Message,
  field: string,
  value: unknown,
  params: Record<string, unknown>,
): string {
  return typeof message === 'string' ? message : message(field, value, params);
}
