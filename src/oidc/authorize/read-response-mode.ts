import { ServiceError } from '../../errors/index.ts';
import type { ResponseType } from '../../storage/index.ts';
import { hasWord, type Parameters } from '../parameters.ts';
import type { ResponseMode } from '../types.ts';

const MODES: readonly ResponseMode[] = ['query', 'fragment', 'form_post'];

/**
 * Reads the response mode (spec/sign-in.md#checks-answered-to-the-app, response-mode): the requested one, or
 * the default of the type. `query` is allowed only for `code`, since queries end up in logs and in the
 * Referer header.
 *
 * @throws ServiceError `authorize.response_mode_invalid`
 */
export function readResponseMode(parameters: Parameters, type: ResponseType): ResponseMode {
  const path = 'response_mode';
  const text = parameters.get(path);
  if (text === undefined) return defaultMode(type);
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
 * Returns the response mode of an error whose request could not be read completely
 * (spec/sign-in.md#mode-of-an-error-response): the requested mode if it is valid and allowed for the type,
 * otherwise the default of the type.
 *
 * @param fallback - The requested mode if the parameters have none.
 */
export function modeOfError(parameters: Parameters, fallback?: string): ResponseMode {
  const requested = parameters.get('response_mode') ?? fallback;
  if (requested === 'fragment' || requested === 'form_post') return requested;
  // `query` is allowed only where it is the default mode
  return defaultMode(parameters.get('response_type'));
}

function defaultMode(type: string | undefined): ResponseMode {
  return hasWord(type, 'id_token') || hasWord(type, 'token') ? 'fragment' : 'query';
}
