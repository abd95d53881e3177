import { ServiceError } from '../../errors/index.ts';
import type { ResponseType } from '../../storage/index.ts';
import { hasWord, type Parameters } from '../parameters.ts';
import type { ResponseMode } from '../types.ts';

const MODES: readonly ResponseMode[] = ['query', 'fragment', 'form_post'];

/**
 * Reads the response mode (spec/sign-in.md#checks-answered-to-the-app, response-mode): the requested one, or
 * the default of the type. `query` is for `code` alone: queries end up in logs and in the Referer header.
 *
 * @throws ServiceError `authorize.response_mode_invalid`
 */
export function readResponseMode(parameters: Parameters, type: ResponseType): ResponseMode {
  const path = 'response_mode';
  const text = parameters.get(path);
  if (text === undefined) return usualMode(type);
  const mode = MODES.find((known) => known === text);
  if (mode === undefined) {
    const message = 'response_mode: expected query, fragment or form_post.';
    throw new ServiceError('authorize.response_mode_invalid', message, { path });
  }
  if (mode === 'query' && type !== 'code') {
    const message = 'response_mode: query is for response_type code only.';
    throw new ServiceError('authorize.response_mode_invalid', message, { path });
  }
  return mode;
}

/**
 * How an error travels whose request could not be read to its end
 * (spec/sign-in.md#mode-of-an-error-response): the mode that was asked for where it is one and the type
 * allows it, else the usual one of what the type says.
 */
export function modeOfError(parameters: Parameters): ResponseMode {
  const asked = parameters.get('response_mode');
  if (asked === 'fragment' || asked === 'form_post') return asked;
  // `query` is allowed exactly where it is the usual mode
  return usualMode(parameters.get('response_type'));
}

function usualMode(type: string | undefined): ResponseMode {
  return hasWord(type, 'id_token') || hasWord(type, 'token') ? 'fragment' : 'query';
}
