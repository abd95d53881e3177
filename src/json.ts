/** JSON helpers for server and browser code; no Node API and no import. */

// A byte order mark is skipped: RFC 8259 section 8.1 allows parsers to ignore it.
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Members of a JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a JSON value is an object; an array is not. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Maximum nesting of objects and arrays in foreign JSON: functions that traverse a value recurse for each level. */
const MAX_DEPTH = 32;

/**
 * Parses JSON in UTF-8. Do not log or return its errors: the message of the parser quotes the text.
 *
 * @throws TypeError for bytes that are not UTF-8; SyntaxError for a text that is not JSON, or is nested deeper than 32
 */
export function parseJson(bytes: Uint8Array | ArrayBuffer): unknown {
  return parseJsonText(decoder.decode(bytes));
}

/** Encoding of a text file. */
export type TextEncodingName = 'utf-8' | 'utf-16le' | 'utf-16be';

/**
 * Returns the encoding of a text file by its first four bytes: UTF-16, as some programs of Windows write it, has a byte
 * order mark, or a zero byte beside each of its first two characters; else UTF-8.
 */
export function encodingOf([first, second, third, fourth]: Uint8Array): TextEncodingName {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (isAscii(first) && second === 0 && (third === undefined || (isAscii(third) && fourth === 0)))
    return 'utf-16le';
  if (first === 0 && isAscii(second) && (third === undefined || (third === 0 && isAscii(fourth))))
    return 'utf-16be';
  return 'utf-8';
}

/** Whether a byte is white space or a printable character of ASCII. */
function isAscii(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  return byte === 0x09 || byte === 0x0a || byte === 0x0d || (byte >= 0x20 && byte < 0x7f);
}

/**
 * Decodes the bytes of a text file, in the encoding of `encodingOf`, and skips a byte order mark.
 *
 * @returns undefined for bytes that are no text
 */
export function decodeText(bytes: Uint8Array): string | undefined {
  const encoding = encodingOf(bytes);
  try {
    // Made when needed: not every runtime knows UTF-16.
    const own = encoding === 'utf-8' ? decoder : new TextDecoder(encoding, { fatal: true });
    return own.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Decodes the bytes of a text file like `decodeText`; those that are no text become U+FFFD. */
export function textOfFile(bytes: Uint8Array): string {
  return decodeText(bytes) ?? new TextDecoder(encodingOf(bytes)).decode(bytes);
}

/** Parses JSON text from another system, like `parseJson`. @throws SyntaxError */
export function parseJsonText(text: string): unknown {
  if (isDeep(text)) throw new SyntaxError(`expected JSON of at most ${MAX_DEPTH} levels`);
  return JSON.parse(text) as unknown;
}

const [QUOTE, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x22, 0x5b, 0x5d, 0x7b, 0x7d];

/** Whether brackets outside strings nest deeper than allowed; may be wrong for a text that is not JSON. */
function isDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      at = endOfString(text, at);
      if (at === -1) return false;
    } else if (unit === OPEN_ARRAY || unit === OPEN_OBJECT) {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (unit === CLOSE_ARRAY || unit === CLOSE_OBJECT) depth -= 1;
  }
  return false;
}

/** Returns the index of the closing quote of a string that begins at `start`; -1 if there is none. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1) {
    let before = end - 1;
    while (text[before] === '\\') before -= 1;
    if ((end - before) % 2 === 1) return end;
    end = text.indexOf('"', end + 1);
  }
  return -1;
}

/** Returns the members of the JSON object in a text; an empty object for any other text. */
export function membersOf(text: string): JsonObject {
  try {
    const value = parseJsonText(text);
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
  /** Absent if `enum` or `anyOf` defines the accepted values. */
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

/** Schema whose values have a type that cannot be inferred from it, such as a schema built from another table. */
export interface Typed<T> extends JsonSchema {
  /** Never set; for the type checker only. */
  readonly valueType?: T;
}

/**
 * Type of the values that a schema accepts, read from its own members. Schemas stay plain JSON, as shown in the
 * documents (nullable types, enumerations), so that ajv is the only validator and nothing is computed at start.
 */
export type TypeOf<S> = S extends { readonly valueType?: infer T }
  ? unknown extends T
    ? ValueOf<S>
    : Exclude<T, undefined>
  : ValueOf<S>;

type ValueOf<S> = S extends { readonly enum: readonly (infer V)[] }
  ? V
  : S extends { readonly type: infer N }
    ? ValueOfType<N extends readonly (infer One)[] ? One : N, S>
    : unknown;

type ValueOfType<N, S> = N extends 'string'
  ? string
  : N extends 'integer' | 'number'
    ? number
    : N extends 'boolean'
      ? boolean
      : N extends 'null'
        ? null
        : N extends 'array'
          ? readonly (S extends { readonly items: infer I } ? TypeOf<I> : unknown)[]
          : N extends 'object'
            ? MembersOf<S>
            : unknown;

type MembersOf<S> = S extends { readonly properties: infer P; readonly required: readonly (infer R)[] }
  ? Flat<
      { readonly [K in keyof P as K extends R ? K : never]: TypeOf<P[K]> } & {
        readonly [K in keyof P as K extends R ? never : K]?: TypeOf<P[K]>;
      }
    >
  : JsonObject;

type Flat<T> = { [K in keyof T]: T[K] };
