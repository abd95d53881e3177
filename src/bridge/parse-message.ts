import { ServiceError } from '../errors/index.ts';
import { isObject, type JsonObject, parseJson } from '../json.ts';
import type { BridgeMessage } from '../storage/index.ts';
import { type BridgeId, parseId } from './parse-id.ts';

/** A new request and, if the caller chose one, its id. */
export interface NewRequest {
  readonly message: BridgeMessage;
  readonly id: BridgeId | undefined;
}

const NOT_STORABLE = /[\0\p{Surrogate}]/u;

/**
 * Reads a body `{"iv","payload"}`; other members are ignored.
 *
 * @throws ServiceError `bridge.invalid`
 */
export function parseMessage(body: Uint8Array): BridgeMessage {
  return toMessage(parseObject(body));
}

/**
 * Reads the body of a new request: a message, and `request_id` if the caller chose it.
 *
 * @throws ServiceError `bridge.invalid`
 */
export function parseRequest(body: Uint8Array): NewRequest {
  const members = parseObject(body);
  const { request_id: id = null } = members;
  if (id !== null && typeof id !== 'string') throw invalid('request_id: expected text', 'request_id');
  return { message: toMessage(members), id: id === null ? undefined : parseId(id) };
}

function toMessage(members: JsonObject): BridgeMessage {
  return { iv: textMember(members, 'iv'), payload: textMember(members, 'payload') };
}

function parseObject(body: Uint8Array): JsonObject {
  let value: unknown;
  try {
    value = parseJson(body);
  } catch {
    // The parser's message quotes the body, so it is dropped.
    throw invalid('body: expected JSON');
  }
  if (!isObject(value)) throw invalid('body: expected a JSON object');
  return value;
}

/** Accepts any text: the relay cannot decrypt, and whatever is not ciphertext fails at the receiver. */
function textMember(members: JsonObject, name: 'iv' | 'payload'): string {
  const value = members[name];
  if (typeof value !== 'string' || NOT_STORABLE.test(value)) {
    throw invalid(`${name}: expected text without U+0000 and unpaired surrogates`, name);
  }
  return value;
}

function invalid(message: string, path?: string): ServiceError {
  return new ServiceError('bridge.invalid', message, path === undefined ? {} : { path });
}
