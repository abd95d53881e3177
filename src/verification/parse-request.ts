import { ServiceError } from '../errors/index.ts';
import type { Identifier } from '../membership/trees.ts';
import type { Environment } from '../storage/index.ts';
import {
  FIELD_ORDER,
  fieldMessages,
  ITEM_FIELD_ORDER,
  objectMessage,
  RULE_MESSAGES,
} from './request-messages.ts';
import { compileRequestChecks, MAX_MAX_AGE_SECONDS } from './request-schema.ts';

/** One item of `responses`, fields as sent, defaults filled in. */
export interface RequestItem {
  readonly identifier: Identifier;
  readonly merkleRoot: string;
  readonly nullifier: string;
  readonly proof: string;
  readonly signalHash: string;
  readonly maxAgeSeconds: number;
}

/** A request that fits the schema. The nonce is not kept: a 3.0 proof does not bind it. */
export interface VerifyRequest {
  readonly action: string;
  readonly actionDescription: string;
  readonly environment: Environment;
  readonly items: readonly RequestItem[];
  /** Whether the body had an `integrity_bundle`, which is ignored and counted. */
  readonly hasIntegrityBundle: boolean;
}

/** Turns a body into a request. */
export type RequestParser = (body: Uint8Array) => VerifyRequest;

type Fields = Readonly<Record<string, unknown>>;

const TEXT_LIMIT_BYTES = 4096;
/** hash_signal of the empty text. */
const EMPTY_SIGNAL_HASH = '0x00c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a4';
const UNPAIRED_SURROGATE = /\p{Surrogate}/u;
const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Makes the parser of request bodies; schemas are compiled here, once.
 *
 * @param maxResponses - Items a request may have (`verify.maxResponses`).
 * @returns A function that throws ServiceError `verify.invalid_json` or `verify.schema`; the latter's message is
 * the detail and its `path` the attribute of the answer.
 */
export function createRequestParser(maxResponses: number): RequestParser {
  const checks = compileRequestChecks(maxResponses);

  return function parseRequest(bytes) {
    const value = parseJson(bytes);
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

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch (cause) {
    throw new ServiceError('verify.invalid_json', undefined, {}, { cause });
  }
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function checkSession(body: Fields): void {
  if (body.session_id) {
    if (body.action) throw refusal(RULE_MESSAGES.sessionWithAction, 'action');
    throw refusal(RULE_MESSAGES.sessionUnsupported, 'session_id');
  }
  if (!body.action) throw refusal(RULE_MESSAGES.actionMissing, 'action');
}

/** Reads the checked body; the checks above are what makes these conversions true. */
function readRequest(body: Fields): VerifyRequest {
  return {
    action: body.action as string,
    actionDescription: String(body.action_description ?? ''),
    environment: (body.environment ?? 'production') as Environment,
    items: (body.responses as readonly Fields[]).map(readItem),
    hasIntegrityBundle: body.integrity_bundle !== undefined,
  };
}

function readItem(item: Fields): RequestItem {
  return {
    identifier: item.identifier as Identifier,
    merkleRoot: item.merkle_root as string,
    nullifier: item.nullifier as string,
    proof: item.proof as string,
    signalHash: (item.signal_hash ?? EMPTY_SIGNAL_HASH) as string,
    maxAgeSeconds: (item.max_age ?? MAX_MAX_AGE_SECONDS) as number,
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
