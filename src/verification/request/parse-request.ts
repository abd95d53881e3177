import { ServiceError } from '../../errors/index.ts';
import { isObject, type JsonObject, parseJson } from '../../json.ts';
import type { Identifier } from '../../membership/roots/trees.ts';
import type { Environment } from '../../storage/index.ts';
import { decodeStatement } from './decode-statement.ts';
import { readUsualRequest } from './read-usual-request.ts';
import {
  FIELD_ORDER,
  fieldMessages,
  ITEM_FIELD_ORDER,
  objectMessage,
  RULE_MESSAGES,
} from './request-messages.ts';
import {
  compileRequestChecks,
  DEFAULT_SIGNAL_HASH_TEXT,
  MAX_MAX_AGE_SECONDS,
  TEXT_LIMIT_BYTES,
} from './request-schema.ts';
import type { RequestItem, VerifyRequest } from './request-types.ts';

/** Parses a body to a request; keeps no reference to its bytes. */
export type RequestParser = (body: Uint8Array) => VerifyRequest;

const UNPAIRED_SURROGATE = /\p{Surrogate}/u;

/**
 * Creates the parser of request bodies; compiles the schemas once.
 *
 * @param maxResponses - Maximum number of items in a request (`verify.maxResponses`).
 * @returns A function that throws ServiceError `verify.invalid_json` or `verify.schema`; the message of the
 *   latter is the `detail` of the response, its `path` the `attribute`.
 */
export function createRequestParser(maxResponses: number): RequestParser {
  const checks = compileRequestChecks(maxResponses);

  return function parseRequest(bytes) {
    const value = parseBody(bytes);
    const request = readUsualRequest(value, maxResponses) ?? readRequest(checkSchema(value));
    checkTexts(request, (value as JsonObject).nonce);
    return request;
  };

  /** Returns the value as an object that fits the schema, or throws its first failure. */
  function checkSchema(value: unknown): JsonObject {
    if (!isObject(value)) throw refusal(objectMessage(value), '');
    checkSession(value);
    const errors = checks.body(value);
    const report = (field: string): void => {
      const [message] = fieldMessages(errors, '', field, value);
      if (message !== undefined) throw refusal(message, field);
    };
    const responses = value.responses;
    if (Array.isArray(responses) && responses.length > 0) {
      report('responses');
      report('protocol_version');
      responses.forEach(checkItem);
    }
    if (errors.length > 0) FIELD_ORDER.forEach(report);
    return value;
  }

  function checkItem(item: unknown, index: number): void {
    const attribute = `responses[${index}]`;
    if (!isObject(item)) throw refusal(objectMessage(item), attribute);
    const errors = checks.item(item);
    if (errors.length === 0) return;
    const messages = ITEM_FIELD_ORDER.flatMap((field) => fieldMessages(errors, 'responses[].', field, item));
    throw refusal(messages.join(', '), attribute);
  }
}

function refusal(message: string, attribute: string): ServiceError {
  return new ServiceError('verify.schema', message, { path: attribute });
}

function parseBody(bytes: Uint8Array): unknown {
  try {
    return parseJson(bytes);
  } catch (cause) {
    throw new ServiceError('verify.invalid_json', undefined, {}, { cause });
  }
}

function checkSession(body: JsonObject): void {
  if (body.session_id) throw refusal(RULE_MESSAGES.sessionUnsupported, 'session_id');
  if (!body.action) throw refusal(RULE_MESSAGES.actionMissing, 'action');
}

/** Reads a body that fits the schema, which makes these casts safe. */
export function readRequest(body: JsonObject): VerifyRequest {
  return {
    action: body.action as string,
    actionDescription: String(body.action_description ?? ''),
    environment: (body.environment ?? 'production') as Environment,
    items: (body.responses as readonly JsonObject[]).map(readItem),
    hasIntegrityBundle: body.integrity_bundle !== undefined,
  };
}

function readItem(item: JsonObject): RequestItem {
  const nullifier = item.nullifier as string;
  return {
    identifier: item.identifier as Identifier,
    nullifier,
    maxAgeSeconds: (item.max_age ?? MAX_MAX_AGE_SECONDS) as number,
    statement: decodeStatement({
      proof: item.proof as string,
      nullifier,
      merkleRoot: item.merkle_root as string,
      signalHash: (item.signal_hash ?? DEFAULT_SIGNAL_HASH_TEXT) as string,
    }),
  };
}

/** Applies the text rules of `spec/verification.md#order-of-reporting`: sizes first, then characters. */
function checkTexts({ action, actionDescription }: VerifyRequest, nonce: unknown): void {
  checkSize('action_description', actionDescription);
  checkSize('action', action);
  checkSize('nonce', nonce as string);
  checkCharacters('action_description', actionDescription);
  checkCharacters('action', action);
}

function checkSize(field: string, text: string): void {
  // a UTF-16 unit has at most three bytes in UTF-8
  if (text.length * 3 > TEXT_LIMIT_BYTES && Buffer.byteLength(text) > TEXT_LIMIT_BYTES) {
    throw refusal(RULE_MESSAGES.tooLong(field, TEXT_LIMIT_BYTES), field);
  }
}

function checkCharacters(field: string, text: string): void {
  if (text.includes('\0') || UNPAIRED_SURROGATE.test(text))
    throw refusal(RULE_MESSAGES.badText(field), field);
}
