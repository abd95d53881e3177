import type { Json, PublicOperation } from './operation.ts';

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

/** Describes the limit of requests per minute and address; empty if it is off. */
export function requestsPerMinute(limit: number, setting: string): string[] {
  return timesPerMinute('call', limit, setting);
}

/** Describes a limit of an action per minute and address; empty if it is off. */
export function timesPerMinute(what: string, limit: number, setting: string): string[] {
  return limit === 0 ? [] : [`An address may ${what} ${limit} times per minute (\`${setting}\`).`];
}

/** Describes the limit of requests per second and address; empty if it is off. */
export function requestsPerSecond(limit: number, setting: string): string[] {
  return limit === 0 ? [] : [`An address may call ${limit} times per second (\`${setting}\`).`];
}

/** Describes the maximum size of a body. */
export function bodyOfAtMost(bytes: number): string {
  return `A body has at most ${bytes} bytes.`;
}

/** Marks an operation whose requests are limited per address, unless the limit is off. */
export function limited(limit: number): Pick<PublicOperation, 'isRateLimited'> {
  return limit > 0 ? { isRateLimited: true } : {};
}
