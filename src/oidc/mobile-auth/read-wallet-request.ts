import { ServiceError } from '../../errors/index.ts';
import { isObject, type JsonObject, parseJson } from '../../json.ts';
import { AUTHORIZE_PARAMETERS } from '../authorize/index.ts';
import type { Parameters } from '../parameters.ts';

/** Request of a wallet: the authorization request that it intercepted, and its answer. */
export interface WalletRequest {
  readonly parameters: Parameters;
  /** All members, including those of the proof. */
  readonly answer: JsonObject;
}

// JSON can contain a lone surrogate, which no URL can.
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Reads the request body (spec/sign-in.md#mobile-sign-in): a JSON object with the parameters of /authorize as
 * strings; `max_age` may be a number. An empty string counts as absent. If a name occurs twice, the last
 * member counts, as in `JSON.parse`.
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
