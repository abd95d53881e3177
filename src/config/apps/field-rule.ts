import type { JsonSchema, Typed } from '../../json.ts';

const MAX_SHOWN_CHARACTERS = 120;

/** One field: its schema, and the accepted values as text after "expected". */
export interface FieldRule<T = unknown> {
  readonly schema: Typed<T>;
  readonly expected: string;
  /** Members of an object. */
  readonly fields?: Readonly<Record<string, FieldRule>>;
  /** Maximum characters of the value as JSON. */
  readonly maxCharacters?: number;
}

/** One fault of an app: the field, with its index in a list, and the reason. Contains no secret. */
export interface FieldFault {
  /** E.g. `name`, `redirect_uris[1]` or `policy.actions[2]`. */
  readonly field: string;
  /** Text after the field and a colon. */
  readonly text: string;
}

/** Returns the schema of an object with these fields and no others. */
export function fieldsSchema(rules: Readonly<Record<string, FieldRule>>): JsonSchema {
  const properties = Object.entries(rules).map(([field, { schema }]) => [field, schema]);
  return { type: 'object', additionalProperties: false, properties: Object.fromEntries(properties) };
}

/** Returns a value as text for a fault: JSON, truncated to 120 characters. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS - 1)}…` : text;
}
