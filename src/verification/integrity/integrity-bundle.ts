import { Ajv2020, type ErrorObject, type SchemaObject } from 'ajv/dist/2020.js';
import { ServiceError } from '../../errors/service-error.ts';
import { isObject } from '../../json.ts';
import {
  fieldOf,
  integerOr,
  type Message,
  messageText,
  NOT_NULL,
  wrongType,
} from '../request/field-messages.ts';
import { refusal } from '../request/report-faults.ts';

/** The member `integrity_bundle` of a request, whose schema it fits. */
export interface IntegrityBundle {
  readonly version: 1 | 2;
  readonly signature_format: 'apple_app_attest' | 'android_keystore';
  /** Seconds since the epoch. */
  readonly timestamp: number;
  /** Hex digits, an even number of them. */
  readonly signature: string;
  readonly jwt: string;
}

/**
 * Checks the member `integrity_bundle` of a body; undefined if it is absent.
 *
 * @throws ServiceError `verify.schema`; its message is the `detail` of the response, its `path` the `attribute`
 */
export type BundleReader = (value: unknown) => IntegrityBundle | undefined;

const NAME = 'integrity_bundle';
const MAX_BYTES = 8192;
const MAX_CHARACTERS = 8192;
/** Names of the fields, in the order of reporting. */
const FIELDS = ['jwt', 'signature', 'timestamp', 'signature_format', 'version'] as const;

/** Schema of the fields. */
export const BUNDLE_SCHEMA: SchemaObject = {
  type: 'object',
  required: [...FIELDS],
  properties: {
    version: { type: 'number', enum: [1, 2] },
    signature_format: { type: 'string', enum: ['apple_app_attest', 'android_keystore'] },
    timestamp: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    signature: { type: 'string', maxLength: MAX_CHARACTERS, pattern: '^(?:[0-9a-fA-F]{2})+$' },
    jwt: { type: 'string', minLength: 1, maxLength: MAX_CHARACTERS },
  },
};

/** Schema of the names of the fields. A schema of its own, since the first unknown name ends the check. */
export const BUNDLE_NAMES_SCHEMA: SchemaObject = {
  type: 'object',
  additionalProperties: false,
  properties: Object.fromEntries(FIELDS.map((field) => [field, true])),
};

const REQUIRED: Message = (name) => `${name} is required`;

/** Messages of the fields by ajv keyword, in the order of reporting. */
const MESSAGES: Readonly<Record<string, Message>> = {
  required: REQUIRED,
  type: (name, value, { type }) =>
    type === 'integer'
      ? messageText(integerOr(wrongType('number')), name, value, {})
      : messageText(wrongType(String(type)), name, value, {}),
  enum: (name, _value, { allowedValues }) =>
    `${name} must be one of the following values: ${(allowedValues as unknown[]).join(', ')}`,
  minimum: (name, _value, { limit }) => `${name} must be greater than or equal to ${limit}`,
  maximum: (name, _value, { limit }) => `${name} must be less than or equal to ${limit}`,
  pattern: (name) => `Invalid ${name}.`,
  minLength: REQUIRED,
  maxLength: (name, _value, { limit }) => `${name} must be at most ${limit} characters`,
};

/** Creates the reader; compiles the schemas. */
export function createBundleReader(): BundleReader {
  const modes = { strict: true, strictNumbers: false, meta: false, validateSchema: false } as const;
  const namesFit = new Ajv2020(modes).compile(BUNDLE_NAMES_SCHEMA);
  const ajv = new Ajv2020({ ...modes, allErrors: true });
  const fieldsFit = ajv.compile<IntegrityBundle>(BUNDLE_SCHEMA);

  return (value) => {
    if (value === undefined) return undefined;
    if (value === null) throw refused(NAME, NOT_NULL, value);
    if (!isObject(value)) throw refused(NAME, wrongType('object'), value);
    if (!namesFit(value)) throw refusal(`Unknown ${NAME} field.`, NAME);
    if (sizeOf(value) > MAX_BYTES) throw refusal(`${NAME} is too large.`, NAME);
    if (fieldsFit(value)) return value;
    throw fieldRefusal(value, fieldsFit.errors ?? []);
  };
}

/**
 * Returns the size of a bundle as JSON, in bytes. Arrays and objects in it do not count: no field may be one, and they
 * may be deep.
 */
function sizeOf(bundle: Readonly<Record<string, unknown>>): number {
  return Buffer.byteLength(
    JSON.stringify(bundle, (name, value: unknown) =>
      name !== '' && typeof value === 'object' ? undefined : value,
    ),
  );
}

/** Returns the refusal for the first field with an error. */
function fieldRefusal(
  bundle: Readonly<Record<string, unknown>>,
  errors: readonly ErrorObject[],
): ServiceError {
  for (const field of FIELDS) {
    const name = `${NAME}.${field}`;
    const value = bundle[field];
    const own = errors.filter((error) => fieldOf(error) === field);
    if (own.length > 0 && value === null) return refused(name, REQUIRED, value);
    for (const [keyword, message] of Object.entries(MESSAGES)) {
      const error = own.find((candidate) => candidate.keyword === keyword);
      if (error !== undefined) return refused(name, message, value, error.params);
    }
  }
  throw new Error(`no message for ${errors.map(({ keyword }) => keyword).join(', ')}`);
}

function refused(
  name: string,
  message: Message,
  value: unknown,
  params: Record<string, unknown> = {},
): ServiceError {
  return refusal(messageText(message, name, value, params), name);
}

/** Why an integrity bundle is refused; a value of the metric label `result` and of the log field `rule`. */
export type IntegrityCause =
  | 'bundle_required'
  | 'timestamp_in_future'
  | 'timestamp_too_old'
  | 'version_of_protocol'
  | 'unreadable_number'
  | 'signature_form'
  | 'keys_unavailable'
  | 'key_unknown'
  | 'token_form'
  | 'token_algorithm'
  | 'token_signature'
  | 'token_issuer'
  | 'token_audience'
  | 'token_expired'
  | 'token_claims'
  | 'device_failed'
  | 'platform'
  | 'device_key'
  | 'device_signature'
  | 'used_before';

/** Returns the refusal of a request by its integrity bundle (spec/worldid4.md#integrity-bundle). */
export function integrityRefusal(rule: IntegrityCause, cause?: unknown): ServiceError {
  const code = rule === 'bundle_required' ? 'verify.integrity_required' : 'verify.integrity_failed';
  return new ServiceError(code, undefined, { rule }, cause === undefined ? undefined : { cause });
}
