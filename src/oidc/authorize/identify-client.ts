import { type Clients, matchesRedirectUri } from '../../apps/clients.ts';
import type { ErrorCode } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { AppRow } from '../../storage/apps/apps.ts';
import { type Parameters, refuseRepeated } from '../parameters.ts';

/** A registered client and one of its redirect URIs, to which a response may go. */
export interface IdentifiedClient {
  readonly client: AppRow;
  readonly redirectUri: string;
}

/**
 * Identifies the client and the redirect URI (spec/sign-in.md#checks-answered-by-the-service, client-id and
 * redirect-uri): the sender of the request and the target of the response. Until both are known, nothing is sent to any
 * address of the request.
 *
 * @throws ServiceError `signin.parameter_required`, `signin.repeated_parameter`, `authorize.client_unknown`,
 *   `authorize.sign_in_not_enabled`, `authorize.redirect_uri_unknown`
 */
export async function identifyClient(
  parameters: Parameters,
  clients: Pick<Clients, 'find'>,
): Promise<IdentifiedClient> {
  const clientId = requireParameter(parameters, 'client_id');
  const client = await clients.find(clientId);
  if (client === undefined) throw refusal('authorize.client_unknown', 'client_id');
  checkCanSignIn(client);
  const redirectUri = requireParameter(parameters, 'redirect_uri', client);
  checkRedirectTarget(client, redirectUri);
  return { client, redirectUri };
}

/**
 * Refuses a client without sign-in: it is disabled or has no redirect URI.
 *
 * @throws ServiceError `authorize.sign_in_not_enabled`
 */
export function checkCanSignIn(client: AppRow): void {
  if (client.status !== 'active' || client.client.redirectUris.length === 0) {
    throw refusal('authorize.sign_in_not_enabled', 'client_id', client);
  }
}

/**
 * Refuses a redirect URI that the client has not registered.
 *
 * @throws ServiceError `authorize.redirect_uri_unknown`
 */
export function checkRedirectTarget(client: AppRow, redirectUri: string): void {
  if (!matchesRedirectUri(client, redirectUri)) {
    throw refusal('authorize.redirect_uri_unknown', 'redirect_uri', client);
  }
}

function requireParameter(parameters: Parameters, name: string, client?: AppRow): string {
  refuseRepeated(parameters, [name]);
  const value = parameters.get(name);
  if (value === undefined) throw refusal('signin.parameter_required', name, client);
  return value;
}

function refusal(code: ErrorCode, path: string, client?: AppRow): ServiceError {
  return new ServiceError(code, undefined, {
    path,
    ...(client === undefined ? {} : { clientId: client.appId }),
  });
}
