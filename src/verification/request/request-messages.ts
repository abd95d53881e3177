import { ENVIRONMENTS, IDENTIFIERS } from '../../membership/roots/trees.ts';
import { integerOr, type MessageTable, NOT_NULL, wrongType } from './field-messages.ts';
import { PROTOCOL_VERSIONS } from './request-schema.ts';

const NONCE_REQUIRED = 'nonce is required';
const RESPONSES_REQUIRED = 'responses array is required';
const UNKNOWN_VERSION = 'Unknown protocol_version';
const MERKLE_ROOT_REQUIRED = 'merkle_root is required';
const NULLIFIER_REQUIRED = 'nullifier is required';
const PROOF_REQUIRED = 'proof is required';
/** Message for a nullifier that is not hex digits, optionally after `0x`. */
export const BAD_NULLIFIER = 'Invalid nullifier. Must be a hex string with optional 0x prefix.';

/** Schema messages of the top level (spec/verification.md#schema-messages). */
export const BODY_MESSAGES: MessageTable = {
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
  min_protocol_version: {
    null: NOT_NULL,
    enum: `min_protocol_version must be one of the following values: ${PROTOCOL_VERSIONS.join(', ')}`,
  },
};

/** Schema messages of an item (spec/verification.md#schema-messages). */
export const ITEM_MESSAGES: MessageTable = {
  identifier: {
    required: 'identifier is required',
    null: 'identifier is required',
    enum: `identifier must be one of the following values: ${IDENTIFIERS.join(', ')}`,
  },
  signal_hash: { null: NOT_NULL, type: badSignalHash, pattern: badSignalHash },
  merkle_root: {
    required: MERKLE_ROOT_REQUIRED,
    null: MERKLE_ROOT_REQUIRED,
    type: wrongType('string'),
    minLength: MERKLE_ROOT_REQUIRED,
  },
  nullifier: {
    required: NULLIFIER_REQUIRED,
    null: NULLIFIER_REQUIRED,
    type: wrongType('string'),
    pattern: BAD_NULLIFIER,
    minLength: NULLIFIER_REQUIRED,
  },
  proof: {
    required: PROOF_REQUIRED,
    null: PROOF_REQUIRED,
    type: wrongType('string'),
    minLength: PROOF_REQUIRED,
  },
  max_age: {
    null: NOT_NULL,
    type: integerOr(wrongType('number')),
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
  'min_protocol_version',
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

/** Messages of rules that no schema keyword expresses. */
export const RULE_MESSAGES = {
  actionMissing: 'action is required',
  sessionUnsupported: 'session_id is not supported for protocol_version 3.0',
  sessionNeedsVersion4: 'session proofs require protocol_version 4.0',
  tooLong: (field: string, limitBytes: number): string => `${field} must be at most ${limitBytes} bytes`,
  badText: (field: string): string => `${field} must not contain U+0000 or unpaired surrogates`,
} as const;
