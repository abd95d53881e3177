import type { ErrorObject } from 'ajv';
import type { IssuerList } from '../../config/values/issuer-list.ts';
import type { JsonObject } from '../../json.ts';
import {
  fieldMessages,
  fieldOf,
  integerOr,
  type Message,
  type MessageTable,
  messageText,
  NOT_NULL,
  printValue,
  wrongType,
} from '../request/field-messages.ts';
import { BAD_NULLIFIER } from '../request/request-messages.ts';
import { PROOF_WORDS, SESSION_NULLIFIER_WORDS } from './request4-schema.ts';

/** The issuer of the credential Self Check, whose items have a `sybil_score`. */
export const SELF_CHECK_ISSUER = '11';

const IDENTIFIER_REQUIRED = 'identifier is required';
const NULLIFIER_REQUIRED = 'nullifier is required for v4 uniqueness proofs';
const SESSION_NULLIFIER_REQUIRED = 'session_nullifier is required for session proofs';
const BAD_SIGNAL_HASH = 'Invalid signal_hash.';
const LABEL_UNKNOWN = 'issuer_schema_id does not match a supported credential identifier';
const SCORE_REQUIRED = 'sybil_score is required for Self Check 4.0 responses';
const SCORE_ELSEWHERE = 'sybil_score is only supported for Self Check 4.0 responses';

const requiredForVersion4: Message = (field) => `${field} is required for v4`;
const belowZero: Message = (field) => `${field} must be greater than or equal to 0`;
const aboveLimit: Message = (field) => `${field} must be less than or equal to ${Number.MAX_SAFE_INTEGER}`;
const notANumber: Message = (field, value) =>
  `${field} must be a \`number\` type, but the final value was: \`NaN\` (cast from the value \`${printValue(value)}\`).`;

const RANGE: Readonly<Record<string, Message>> = {
  minimum: belowZero,
  maximum: aboveLimit,
  'x-decimal-maximum': aboveLimit,
};
const WHOLE_NUMBER: Readonly<Record<string, Message>> = {
  required: requiredForVersion4,
  null: requiredForVersion4,
  type: integerOr(notANumber),
  pattern: notANumber,
  ...RANGE,
};

function wordArray(required: Message, length: string): Readonly<Record<string, Message>> {
  return { required, null: required, type: wrongType('array'), minItems: length, maxItems: length };
}

/** Schema messages of an item, fields in the order of reporting (spec/worldid4.md#messages). */
const ITEM4_MESSAGES: MessageTable = {
  identifier: {
    required: IDENTIFIER_REQUIRED,
    null: IDENTIFIER_REQUIRED,
    type: wrongType('string'),
    minLength: IDENTIFIER_REQUIRED,
  },
  signal_hash: { null: NOT_NULL, type: BAD_SIGNAL_HASH, pattern: BAD_SIGNAL_HASH },
  issuer_schema_id: WHOLE_NUMBER,
  nullifier: {
    required: NULLIFIER_REQUIRED,
    null: NULLIFIER_REQUIRED,
    type: wrongType('string'),
    pattern: BAD_NULLIFIER,
    minLength: NULLIFIER_REQUIRED,
  },
  session_nullifier: wordArray(
    SESSION_NULLIFIER_REQUIRED,
    `session_nullifier must have exactly ${SESSION_NULLIFIER_WORDS} elements [nullifier, action]`,
  ),
  expires_at_min: WHOLE_NUMBER,
  credential_genesis_issued_at_min: { ...WHOLE_NUMBER, null: NOT_NULL },
  proof: wordArray(requiredForVersion4, `proof must have exactly ${PROOF_WORDS} elements`),
  sybil_score: { null: NOT_NULL, type: integerOr(wrongType('number')), ...RANGE },
};

/** Messages of rules that no schema keyword expresses, about the top level. */
export const RULE4_MESSAGES = {
  actionMissing: 'action is required for uniqueness proofs',
  typeUnknown: 'proof_type must be one of the following values: uniqueness, session',
  sessionMissing: 'session_id is required for session proofs',
  actionWithSession: 'action field must not be present for session proofs',
} as const;

/**
 * Returns all messages of an item in the order of its fields, then those of the rules over two fields.
 *
 * @param errors - Errors of the schema of the item.
 * @param issuers - The accepted issuers; undefined if the environment is not valid, which is reported later.
 */
export function item4Messages(
  item: JsonObject,
  errors: readonly ErrorObject[],
  issuers: IssuerList | undefined,
): string[] {
  // Nearly all items fit the schema; they skip the loop over all fields.
  const fields = errors.length === 0 ? [] : Object.keys(ITEM4_MESSAGES);
  const messages = fields.flatMap((field) => [
    ...elementMessages(errors, field, item[field]),
    ...fieldMessages(ITEM4_MESSAGES, errors, field, item),
  ]);
  return [...messages, ...ruleMessages(item, errors, issuers)];
}

/** Returns the messages about elements of an array field; ajv lists them in the order of the elements. */
function elementMessages(errors: readonly ErrorObject[], field: string, value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  const start = `/${field}/`;
  return errors
    .filter(({ instancePath }) => instancePath.startsWith(start))
    .map(({ instancePath }) => {
      const index = Number(instancePath.slice(start.length));
      const element: unknown = value[index];
      const name = `${field}["${index}"]`;
      const isMissing = element === '' || element === null;
      return isMissing ? `${name} is a required field` : messageText(wrongType('string'), name, element, {});
    });
}

/** Returns the messages of the rules over `issuer_schema_id` and another field, if both fit the schema. */
function ruleMessages(
  { identifier, issuer_schema_id: issuer, sybil_score: score }: JsonObject,
  errors: readonly ErrorObject[],
  issuers: IssuerList | undefined,
): string[] {
  const isBad = (field: string): boolean => errors.some((error) => fieldOf(error) === field);
  if (isBad('issuer_schema_id')) return [];
  const messages: string[] = [];
  const labels = issuers?.get(String(issuer));
  if (labels !== undefined && !isBad('identifier') && !labels.has(identifier as string)) {
    messages.push(LABEL_UNKNOWN);
  }
  if (isBad('sybil_score')) return messages;
  const isSelfCheck = String(issuer) === SELF_CHECK_ISSUER;
  if (isSelfCheck && score === undefined) messages.push(SCORE_REQUIRED);
  if (!isSelfCheck && score !== undefined) messages.push(SCORE_ELSEWHERE);
  return messages;
}
