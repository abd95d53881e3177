import { ServiceError } from '../../errors/index.ts';
import { isObject, type JsonObject, parseJson } from '../../json.ts';
import { AUTHORIZE_PARAMETERS } from '../authorize/index.ts';
import type { Parameters } from '../parameters.ts';

/** What a wallet sent: the authorization request that it intercepted, and its answer to it. */
export interface WalletRequest {
  readonly parameters: Parameters;
  /** All members, among them those of the proof. */
  readonly answer: JsonObject;
}

// JSON can write half a character, which no address can carry.
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Reads the request body (spec/sign-in.md#mobile-sign-in): a JSON object with the parameters of /authorize as
 * texts; `max_age` may be a number. An empty text counts as absent, and of members with the same name the
 * last counts, as JSON has it.
 *
 * @throws ServiceError `authorize.body_not_an_object`
 */
export function readWalletRequest(body: Uint8Array): WalletRequest {
  const answer = parseObject(body);
  const values = new Map(AUTHORIZE_PARAMETERS.map((name) => [name, textOf(answer, name)]));
  return { parameters: { get: (name) => values.get(name) || undefined, isRepeated: () => false }, answer };
}

function parseObject(body: Uint8Array): JsonObject {
  let value: unknown;
  try {
    value = parseJson(body);
  } catch {
    // Without the cause: the parser's message quotes the body, which holds a proof.
    throw new ServiceError('authorize.body_not_an_object', 'body: expected JSON in UTF-8.');
  }
  if (isObject(value)) return value;
  throw new ServiceError('authorize.body_not_an_object', 'body: expected a JSON object.');
}

function textOf(members: JsonObject, name: string): string | undefined {
  const value = Object.hasOwn(members, name) ? members[name] : undefined;
  if (value === undefined || (typeof value === 'string' && !LONE_SURROGATE.test(value))) return value;
  if (name === 'max_age' && typeof value === 'number') return String(value);
  throw new ServiceError('authorize.body_not_an_object', `${name}: expected a text.`, { path: name });
}
