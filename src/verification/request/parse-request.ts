import { ServiceError } from '../../errors/index.ts';
import { isObject, type JsonObject, parseJson } from '../../json.ts';
import type { Identifier } from '../../membership/roots/trees.ts';
import type { Environment } from '../../storage/index.ts';
import { decodeStatement } from '../run/decode-statement.ts';
import { createCommonReader } from './read-common-request.ts';
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

/** Turns a body into a request; keeps nothing of its bytes. */
export type RequestParser = (body: Uint8Array) => VerifyRequest;

const UNPAIRED_SURROGATE = /\p{Surrogate}/u;

/**
 * Makes the parser of request bodies: the quick reader for what nearly all requests are, and the one that knows all of
 * JSON and has the messages.
 *
 * @param maxResponses - Items a request may have (`verify.maxResponses`).
 * @returns A function that throws ServiceError `verify.invalid_json` or `verify.schema`; the latter's message is
 * the detail and its `path` the attribute of the answer.
 */
export function createRequestParser(maxResponses: number): RequestParser {
  const readCommon = createCommonReader(maxResponses);
  const parseAny = createGeneralParser(maxResponses);
  return (body) => readCommon(body) ?? parseAny(body);
}

/** The parser of all bodies; schemas are compiled here, once. Parameters and errors as of `createRequestParser`. */
export function createGeneralParser(maxResponses: number): RequestParser {
  const checks = compileRequestChecks(maxResponses);

  return function parseRequest(bytes) {
    const value = parseBody(bytes);
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
    const request = readRequest(value);
    checkTexts(request, value.nonce);
    return request;
  };

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

/** Reads the checked body; the checks above are what makes these conversions true. */
function readRequest(body: JsonObject): VerifyRequest {
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

/** Our own rules: a stored text cannot hold U+0000, and two unpaired surrogates would hash to one action. */
function checkTexts(request: VerifyRequest, nonce: unknown): void {
  const stored = { action_description: request.actionDescription, action: request.action };
  for (const [field, text] of Object.entries({ ...stored, nonce: String(nonce) })) {
    if (text.length * 3 > TEXT_LIMIT_BYTES && Buffer.byteLength(text) > TEXT_LIMIT_BYTES) {
      throw refusal(RULE_MESSAGES.tooLong(field, TEXT_LIMIT_BYTES), field);
    }
  }
  for (const [field, text] of Object.entries(stored)) {
    if (text.includes('\0') || UNPAIRED_SURROGATE.test(text))
      throw refusal(RULE_MESSAGES.badText(field), field);
  }
}
