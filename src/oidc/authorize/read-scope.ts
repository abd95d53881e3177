import { ServiceError } from '../../errors/index.ts';
import { type Parameters, wordsOf } from '../parameters.ts';

const KNOWN_SCOPES: ReadonlySet<string> = new Set(['openid', 'email', 'profile']);

/**
 * Reads the granted scopes (spec/sign-in.md#checks-answered-to-the-app, scope): the known ones, once each, in
 * the order of the request.
 *
 * @throws ServiceError `signin.parameter_required`, `authorize.scope_without_openid`
 */
export function readScope(parameters: Parameters): readonly string[] {
  const path = 'scope';
  const text = parameters.get(path);
  if (text === undefined) throw new ServiceError('signin.parameter_required', undefined, { path });
  const granted = [...new Set(wordsOf(text))].filter((scope) => KNOWN_SCOPES.has(scope));
  if (!granted.includes('openid')) {
    throw new ServiceError('authorize.scope_without_openid', undefined, { path });
  }
  return granted;
}
