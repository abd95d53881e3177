import type { ErrorObject } from 'ajv';
import { ENVIRONMENTS, IDENTIFIERS } from '../../membership/roots/trees.ts';
import { printValue } from './print-value.ts';

type Message = string | ((field: string, value: unknown, params: Record<string, unknown>) => string);

function wrongType(type: string): Message {
  return (field, value) =>
    `${field} must be a \`${type}\` type, but the final value was: \`${printValue(value)}\`.`;
}
const NOT_NULL: Message = (field) => `${field} cannot be null`;
const NONCE_REQUIRED = 'nonce is required';
const RESPONSES_REQUIRED = 'responses array is required';
const UNKNOWN_VERSION = 'Unknown protocol_version';
const MERKLE_ROOT_REQUIRED = 'merkle_root is required';
const NULLIFIER_REQUIRED = 'nullifier is required';
const PROOF_REQUIRED = 'proof is required';

/**
 * All schema messages (spec/verification.md#schema-messages), by path and ajv keyword. `null` replaces `type`
 * or `enum` if the value is null. Several keywords of one field are reported in the order of the rows.
 */
const MESSAGES: Readonly<Record<string, Readonly<Record<string, Message>>>> = {
  '': { null: 'this cannot be null', type: wrongType('object') },
  responses: {
    required: RESPONSES_REQUIRED,
    null: RESPONSES_REQUIRED,
    type: wrongType('array'),
    minItems: 'At least one response item is required',
    maxItems: (field, _value, params) =>
      `${field} field must have less than or equal to ${params.limit} items`,
  },
  environment: {
    null: NOT_NULL,
    enum: `environment must be one of the following values: ${ENVIRONMENTS.join(', ')}`,
  },
  session_id: { null: NOT_NULL, type: wrongType('string') },
  action_description: { null: NOT_NULL, type: wrongType('string') },
  action: { null: NOT_NULL, type: wrongType('string') },
  nonce: {
    required: NONCE_REQUIRED,
    null: NONCE_REQUIRED,
    type: wrongType('string'),
    minLength: NONCE_REQUIRED,
  },
  protocol_version: { required: UNKNOWN_VERSION, null: UNKNOWN_VERSION, const: UNKNOWN_VERSION },
  'responses[].identifier': {
    required: 'identifier is required',
    null: 'identifier is required',
    enum: `identifier must be one of the following values: ${IDENTIFIERS.join(', ')}`,
  },
  'responses[].signal_hash': { null: NOT_NULL, type: badSignalHash, pattern: badSignalHash },
  'responses[].merkle_root': {
    required: MERKLE_ROOT_REQUIRED,
    null: MERKLE_ROOT_REQUIRED,
    type: wrongType('string'),
    minLength: MERKLE_ROOT_REQUIRED,
  },
  'responses[].nullifier': {
    required: NULLIFIER_REQUIRED,
    null: NULLIFIER_REQUIRED,
    type: wrongType('string'),
    pattern: 'Invalid nullifier. Must be a hex string with optional 0x prefix.',
    minLength: NULLIFIER_REQUIRED,
  },
  'responses[].proof': {
    required: PROOF_REQUIRED,
    null: PROOF_REQUIRED,
    type: wrongType('string'),
    minLength: PROOF_REQUIRED,
  },
  'responses[].max_age': {
    null: NOT_NULL,
    type: wrongType('number'),
    format: 'max_age must be an integer',
    minimum: 'max_age cannot be less than 3600 seconds (1 hour).',
    maximum: 'max_age cannot be more than 604800 seconds (7 days).',
  },
};

function badSignalHash(_field: string, value: unknown): string {
  return `Invalid signal_hash. Must be a hex string with 0x prefix, but ${signalHashFault(value)}.`;
}

// Does not repeat the value, since a client may log the response.
function signalHashFault(value: unknown): string {
  if (typeof value !== 'string') return 'it is not a string';
  if (value === '') return 'it is empty';
  if (!/^0x/i.test(value)) return 'it does not begin with 0x';
  return value.length === 2 ? 'no digits follow 0x' : 'it has characters that are not hex digits';
}

/** Fields of the top level in the order of reporting. */
export const FIELD_ORDER = [
  'responses',
  'environment',
  'session_id',
  'action_description',
  'action',
  'nonce',
  'protocol_version',
] as const;

/** Fields of an item in the order of reporting. */
export const ITEM_FIELD_ORDER = [
  'identifier',
  'signal_hash',
  'merkle_root',
  'nullifier',
  'proof',
  'max_age',
] as const;

/** Returns the name of the field that an error of a flat schema is about; empty for the value itself. */
export function fieldOf(error: ErrorObject): string {
  if (error.keyword === 'required') return String(error.params.missingProperty);
  return error.instancePath.slice(1);
}

/**
 * Returns all messages of one field, in the order of the table.
 *
 * @param scope - Prefix of the table path: empty for the top level, `responses[].` for an item.
 * @param holder - The object that has the field.
 */
export function fieldMessages(
  errors: readonly ErrorObject[],
  scope: '' | 'responses[].',
  field: string,
  holder: Readonly<Record<string, unknown>>,
): string[] {
  const value = holder[field];
  const found = new Map<string, ErrorObject>();
  for (const error of errors) {
    if (fieldOf(error) === field) found.set(value === null ? 'null' : error.keyword, error);
  }
  if (found.size === 0) return [];
  const table = MESSAGES[scope + field] ?? {};
  const messages: string[] = [];
  for (const [keyword, message] of Object.entries(table)) {
    const error = found.get(keyword);
    if (error) messages.push(typeof message === 'string' ? message : message(field, value, error.params));
  }
  if (messages.length === 0)
    throw new Error(`no message for ${scope}${field}: ${[...found.keys()].join(', ')}`);
  return messages;
}

/** Returns the message for a value that should be an object: the body, or an item of `responses`. */
export function objectMessage(value: unknown): string {
  const message = MESSAGES['']?.[value === null ? 'null' : 'type'];
  return typeof message === 'function' ? message('this', value, {}) : (message ?? '');
}

/** Messages of rules that no schema keyword expresses. */
export const RULE_MESSAGES = {
  actionMissing: 'action is required',
  sessionUnsupported: 'session_id is not supported for protocol_version 3.0',
  tooLong: (field: string, limitBytes: number): string => `${field} must be at most ${limitBytes} bytes`,
  badText: (field: string): string => `${field} must not contain U+0000 or unpaired surrogates`,
} as const;
