import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { type InputFault, ServiceError } from '../errors/service-error.ts';
import { isObject, type JsonObject, type JsonSchema, parseJson } from '../json.ts';
import { hasLoneSurrogate } from '../text.ts';
import type { Operation } from './operation.ts';

/** Parts of a request, as they were sent. */
export interface SentRequest {
  readonly params: Readonly<Record<string, string>>;
  /** Without `?`. */
  readonly query: string;
  readonly contentType: string | undefined;
  readonly body: Uint8Array;
}

const JSON_TYPE = /^application\/json *(?:;.*)?$/i;
const MAX_SHOWN_CHARACTERS = 120;
/** Faults of one request that are reported. */
const MAX_FAULTS = 20;

/** Checks of the parts of a request against the schemas of an operation. */
interface PartChecks {
  readonly params: ValidateFunction;
  readonly query: ValidateFunction;
  /** Undefined for an operation without a body. */
  readonly body: ValidateFunction | undefined;
}

/**
 * Creates the check of the requests of an operation, which returns its input. The schemas are compiled at the first request: a start that compiles
 * those of all operations takes 100 ms longer.
 *
 * The returned function throws ServiceError `admin.invalid_request`, `admin.unsupported_media_type`.
 */
export function requestCheck(operation: Operation): (request: SentRequest) => JsonObject {
  let compiled: PartChecks | undefined;
  return ({ params, query, contentType, body }) => {
    compiled ??= compileParts(operation);
    const given = readQuery(query, operation.query ?? {});
    checkTexts(params, 'path');
    checkTexts(given, 'query');
    const faults = [
      ...faultsOf(compiled.params, params, 'path'),
      ...faultsOf(compiled.query, given, 'query'),
    ];
    if (compiled.body === undefined) {
      throwFaults(faults);
      if (body.length > 0) throw invalid('body', 'expected none');
      return { ...params, ...given };
    }
    const parsed = readBody(contentType, body);
    throwFaults([...faults, ...faultsOf(compiled.body, parsed, 'body')]);
    checkTexts(parsed, 'body');
    return { ...params, ...given, ...parsed };
  };
}

function compileParts(operation: Operation): PartChecks {
  const { params, query, requiredQuery, body } = operation;
  return {
    params: compile(objectOf(params)),
    query: compile(objectOf(query, requiredQuery)),
    body: body === undefined ? undefined : compile(bodySchemaOf(operation)),
  };
}

/** Returns the schema that the body must fit before the operation runs, which checks the other members itself. */
function bodySchemaOf({ body = {}, ownChecks = [] }: Operation): JsonSchema {
  const checkedLater = Object.fromEntries(ownChecks.map((name) => [name, {}]));
  return { ...body, properties: { ...body.properties, ...checkedLater } };
}

function compile(schema: JsonSchema): ValidateFunction {
  // The schemas are the program's own; a test compiles them strictly.
  const ajv = new Ajv2020({ strict: false, meta: false, validateSchema: false, allErrors: true });
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

/** Returns the first fault of each member. */
function faultsOf(check: ValidateFunction, value: unknown, part: string): InputFault[] {
  if (check(value)) return [];
  const faults = new Map<string, InputFault>();
  for (const error of check.errors ?? []) {
    const path = `${part}${pointerOf(error)}`;
    if (faults.size < MAX_FAULTS && !faults.has(path)) faults.set(path, { path, text: ruleOf(error) });
  }
  return [...faults.values()];
}

function throwFaults(faults: readonly InputFault[]): void {
  const [first] = faults;
  if (first === undefined) return;
  const message = faults.map(({ path, text }) => `${path}: ${text}`).join('\n  ');
  throw new ServiceError('admin.invalid_request', message, { path: first.path, faults });
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
  if (keyword === 'minLength' && params.limit === 1) return 'must not be empty';
  return message ?? 'has a wrong value';
}

/** Refuses texts that a store cannot hold, wherever they are. Called after the schema, which bounds the depth. */
function checkTexts(value: unknown, path: string): void {
  if (typeof value === 'string' && (value.includes('\0') || hasLoneSurrogate(value))) {
    throw invalid(path, 'expected a text without U+0000 and lone surrogates');
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    checkTexts(name, path);
    checkTexts(member, `${path}/${shown(name)}`);
  }
}

function invalid(path: string, text: string): ServiceError {
  return new ServiceError('admin.invalid_request', `${path}: ${text}`, { path, faults: [{ path, text }] });
}

function shown(name: string): string {
  return name.slice(0, MAX_SHOWN_CHARACTERS).replaceAll(/[^\x20-\x7e]/g, '?');
}
