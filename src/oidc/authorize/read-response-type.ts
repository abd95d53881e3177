import { ServiceError } from '../../errors/index.ts';
import { type AppRow, RESPONSE_TYPES, type ResponseType } from '../../storage/index.ts';
import { hasWord, type Parameters, wordsOf } from '../parameters.ts';

/**
 * The six response types, by the sorted words of each (spec/sign-in.md#response-types); `token` alone is not
 * one.
 */
const TYPES: ReadonlyMap<string, ResponseType> = new Map(
  RESPONSE_TYPES.map((type) => [sortedWords(type), type]),
);

/**
 * Reads the response type (spec/sign-in.md#checks-answered-to-the-app, response-type): the words of
 * `response_type` as a set, case-sensitively.
 *
 * @throws ServiceError `signin.parameter_required`, `authorize.response_type_unsupported`,
 *   `authorize.response_type_not_registered`, `dpop.front_channel`
 */
export function readResponseType(parameters: Parameters, { client }: AppRow): ResponseType {
  const path = 'response_type';
  const text = parameters.get(path);
  if (text === undefined) throw new ServiceError('signin.parameter_required', undefined, { path });
  const type = TYPES.get(sortedWords(text));
  if (type === undefined) throw new ServiceError('authorize.response_type_unsupported', undefined, { path });
  if (!client.responseTypes.includes(type)) {
    throw new ServiceError('authorize.response_type_not_registered', undefined, { path });
  }
  // Nothing in the front channel proves possession of a key, so such a token would be bound to none.
  if (client.dpopBoundAccessTokens && hasWord(type, 'token')) {
    throw new ServiceError('dpop.front_channel', undefined, { path });
  }
  return type;
}

function sortedWords(text: string): string {
  return [...new Set(wordsOf(text))].sort().join(' ');
}
