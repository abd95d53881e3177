import { ServiceError } from '../../errors/index.ts';
import type { AppRow, ResponseType } from '../../storage/index.ts';
import { hasWord, OFFLINE_ACCESS, type Parameters, wordsOf } from '../parameters.ts';
import type { AuthorizationRequest } from '../types.ts';

const KNOWN_SCOPES: ReadonlySet<string> = new Set(['openid', 'email', 'profile']);

/**
 * Reads the granted scopes (spec/sign-in.md#checks-answered-to-the-app, scope): the known ones, once each, in
 * the order of the request. `offline_access` is known where a client that may have refresh tokens asks for a code
 * (OpenID Connect Core 11).
 *
 * @throws ServiceError `signin.parameter_required`, `authorize.scope_without_openid`
 */
export function readScope(
  parameters: Parameters,
  responseType: ResponseType,
  { client }: AppRow,
): readonly string[] {
  const path = 'scope';
  const text = parameters.get(path);
  if (text === undefined) throw new ServiceError('signin.parameter_required', undefined, { path });
  const mayBeOffline = client.refreshTokens && hasWord(responseType, 'code');
  const isKnown = (scope: string): boolean =>
    KNOWN_SCOPES.has(scope) || (scope === OFFLINE_ACCESS && mayBeOffline);
  const granted = [...new Set(wordsOf(text))].filter(isKnown);
  if (!granted.includes('openid')) {
    throw new ServiceError('authorize.scope_without_openid', undefined, { path });
  }
  return granted;
}

/** Returns a request, or what it grants, without `offline_access`. */
export function withoutOfflineAccess<T extends Pick<AuthorizationRequest, 'scope'>>(request: T): T {
  return { ...request, scope: request.scope.filter((word) => word !== OFFLINE_ACCESS) };
}
