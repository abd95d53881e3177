/** JSON helpers for server and browser code; no Node API and no import. */

// A byte order mark is skipped: RFC 8259 section 8.1 lets parsers ignore it.
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Members of a JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a JSON value is an object; an array is not. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Parses JSON in UTF-8. Do not log or return its errors: the message of the parser quotes the text.
 *
 * @throws TypeError for bytes that are not UTF-8; SyntaxError for a text that is not JSON
 */
export function parseJson(bytes: Uint8Array | ArrayBuffer): unknown {
  return JSON.parse(decoder.decode(bytes)) as unknown;
}

/** Returns the members of the JSON object in a text; none for any other text. */
export function membersOf(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** Name of a JSON type. */
export type JsonType = 'object' | 'integer' | 'number' | 'boolean' | 'string' | 'array' | 'null';

/** The part of JSON Schema that settings, app fields and the interfaces need. */
export interface JsonSchema {
  readonly $schema?: string;
  readonly title?: string;
  /** Absent if `enum` or `anyOf` says what is accepted. */
  readonly type?: JsonType | readonly JsonType[];
  readonly anyOf?: readonly JsonSchema[];
  readonly description?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly format?: 'date-time';
  readonly contentEncoding?: 'base64';
  readonly enum?: readonly (string | number)[];
  readonly writeOnly?: boolean;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly properties?: Record<string, JsonSchema>;
  readonly additionalProperties?: boolean;
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly maxProperties?: number;
}
