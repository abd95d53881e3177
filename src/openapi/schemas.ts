import type { Json } from './operation.ts';

/** Any text. */
export const TEXT: Json = { type: 'string' };
/** A text, or null. */
export const OPTIONAL_TEXT: Json = { type: ['string', 'null'] };
/** A number of seconds since 1970-01-01T00:00:00Z. */
export const UNIX_SECONDS: Json = { type: 'integer', minimum: 0 };
/** A number of 32 bytes: `0x` and 64 lower-case hex digits. */
export const WORD: Json = { type: 'string', pattern: '^0x[0-9a-f]{64}$' };
/** A URL. */
export const ADDRESS: Json = { type: 'string', format: 'uri' };

/**
 * Builds the schema of an object in a request or answer. Other members are allowed: requests may contain them, and
 * later versions may add them to answers.
 *
 * @param optional - Names of the members that may be absent.
 */
export function objectOf(properties: Readonly<Record<string, Json>>, optional: readonly string[] = []): Json {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', ...(required.length === 0 ? {} : { required }), properties };
}

/** Builds the schema of a list. */
export function listOf(items: Json): Json {
  return { type: 'array', items };
}

/** Builds the schema of one of several texts. */
export function oneOfTexts(...values: readonly string[]): Json {
  return { type: 'string', enum: values };
}

/** Adds a description to a schema. */
export function described(description: string, schema: Json): Json {
  return { ...schema, description };
}

/** Refers to a schema of the document. */
export function ref(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}
