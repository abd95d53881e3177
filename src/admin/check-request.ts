import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { ServiceError } from '../errors/index.ts';
import { isObject, type JsonObject, type JsonSchema, parseJson } from '../json.ts';
import type { Operation } from './operation.ts';

/** Parts of a request, as they were sent. */
export interface SentRequest {
  readonly params: Readonly<Record<string, string>>;
  /** Without `?`. */
  readonly query: string;
  readonly contentType: string | undefined;
  readonly body: Uint8Array;
}

/** Parts of a request that fit the schemas of its operation. */
export interface CheckedRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | number>>;
  readonly body: JsonObject;
}

const JSON_TYPE = /^application\/json *(?:;.*)?$/i;
const LONE_SURROGATE = /\p{Cs}/u;
const MAX_SHOWN_CHARACTERS = 120;

/**
 * Creates the check of the requests of an operation.
 *
 * The returned function throws ServiceError `admin.invalid_request`, `admin.unsupported_media_type`.
 */
export function requestCheck(operation: Operation): (request: SentRequest) => CheckedRequest {
  const checkParams = compile(objectOf(operation.params));
  const checkQuery = compile(objectOf(operation.query, operation.requiredQuery));
  const checkBody = operation.body === undefined ? undefined : compile(operation.body);
  return ({ params, query, contentType, body }) => {
    const given = readQuery(query, operation.query ?? {});
    checkTexts(params, 'path');
    checkTexts(given, 'query');
    throwFault(checkParams, params, 'path');
    throwFault(checkQuery, given, 'query');
    if (checkBody === undefined) {
      if (body.length > 0) throw invalid('body', 'expected none');
      return { params, query: given, body: {} };
    }
    const parsed = readBody(contentType, body);
    throwFault(checkBody, parsed, 'body');
    checkTexts(parsed, 'body');
    return { params, query: given, body: parsed };
  };
}

function compile(schema: JsonSchema): ValidateFunction {
  // The schemas are the program's own; a test compiles them strictly.
  const ajv = new Ajv2020({ strict: false, meta: false, validateSchema: false });
  addFormats.default(ajv, ['date-time']);
  return ajv.compile(schema);
}

function objectOf(
  properties: Readonly<Record<string, JsonSchema>> = {},
  required: readonly string[] = [],
): JsonSchema {
  return { type: 'object', additionalProperties: false, properties, required };
}

/** Reads the parameters of a query; those whose schema is an integer become numbers. */
function readQuery(
  query: string,
  schemas: Readonly<Record<string, JsonSchema>>,
): Record<string, string | number> {
  const given: Record<string, string | number> = Object.create(null);
  for (const [name, value] of new URLSearchParams(query)) {
    if (name in given) throw invalid('query', `${shown(name)} was given more than once`);
    const isNumber = schemas[name]?.type === 'integer' && /^[0-9]{1,15}$/.test(value);
    given[name] = isNumber ? Number(value) : value;
  }
  return given;
}

function readBody(contentType: string | undefined, body: Uint8Array): JsonObject {
  if (!JSON_TYPE.test(contentType ?? '')) throw new ServiceError('admin.unsupported_media_type');
  let parsed: unknown;
  try {
    parsed = parseJson(body);
  } catch {
    throw invalid('body', 'expected JSON in UTF-8');
  }
  if (!isObject(parsed)) throw invalid('body', 'expected a JSON object');
  return parsed;
}

function throwFault(check: ValidateFunction, value: unknown, part: string): void {
  if (check(value)) return;
  const [error] = check.errors ?? [];
  if (error !== undefined) throw invalid(`${part}${pointerOf(error)}`, ruleOf(error));
}

function pointerOf({ instancePath, keyword, params }: ErrorObject): string {
  if (keyword === 'required') return `${instancePath}/${params.missingProperty}`;
  if (keyword === 'additionalProperties') return `${instancePath}/${shown(params.additionalProperty)}`;
  return instancePath;
}

function ruleOf({ keyword, params, message }: ErrorObject): string {
  if (keyword === 'required') return 'is required';
  if (keyword === 'additionalProperties') return 'is not known';
  if (keyword === 'enum') return `expected one of ${JSON.stringify(params.allowedValues)}`;
  return message ?? 'has a wrong value';
}

/** Refuses texts that a store cannot hold, wherever they are. Called after the schema, which bounds the depth. */
function checkTexts(value: unknown, path: string): void {
  if (typeof value === 'string' && (value.includes('\0') || LONE_SURROGATE.test(value))) {
    throw invalid(path, 'expected a text without U+0000 and lone surrogates');
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    checkTexts(name, path);
    checkTexts(member, `${path}/${shown(name)}`);
  }
}

function invalid(path: string, rule: string): ServiceError {
  return new ServiceError('admin.invalid_request', `${path}: ${rule}`, { path });
}

function shown(name: string): string {
  return name.slice(0, MAX_SHOWN_CHARACTERS).replaceAll(/[^\x20-\x7e]/g, '?');
}
