import { type Clients, matchesPostLogoutUri } from '../../apps/index.ts';
import { type ErrorCode, ServiceError } from '../../errors/index.ts';
import type { AppRow } from '../../storage/index.ts';
import type { HintedToken, ReadIdTokenHint } from '../issuing/index.ts';
import { type Parameters, refuseRepeated } from '../parameters.ts';

/** Parameters of a sign-out (OpenID Connect RP-Initiated Logout 1.0, section 2); others are ignored. */
export const LOGOUT_PARAMETERS: readonly string[] = [
  ...['id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state', 'ui_locales'],
];

/** A checked sign-out request. */
export interface LogoutRequest {
  /** The app that asks; undefined if the request names none. */
  readonly client: AppRow | undefined;
  /** The ID token that the app sent back; undefined if the person must be asked. */
  readonly hint: HintedToken | undefined;
  /** Registered address for afterwards. */
  readonly redirectUri: string | undefined;
  readonly state: string | undefined;
}

/**
 * Checks a sign-out request (spec/sign-in.md#sign-out-request). Until the client is known, nothing is sent to any address
 * of the request.
 *
 * @throws ServiceError `signin.repeated_parameter`, `signin.parameter_required`, `logout.hint_invalid`,
 *   `logout.client_differs`, `logout.redirect_uri_unknown`, `authorize.client_unknown`,
 *   `authorize.sign_in_not_enabled`, `store.unreachable`
 */
export async function checkLogout(
  parameters: Parameters,
  { clients, readHint }: { readonly clients: Pick<Clients, 'find'>; readonly readHint: ReadIdTokenHint },
): Promise<LogoutRequest> {
  refuseRepeated(parameters, LOGOUT_PARAMETERS);
  const hint = await hintOf(parameters.get('id_token_hint'), readHint);
  const clientId = parameters.get('client_id');
  if (hint !== undefined && clientId !== undefined && clientId !== hint.clientId) {
    throw refusal('logout.client_differs', 'client_id');
  }
  const client = await clientOf(hint?.clientId ?? clientId, clients);
  const redirectUri = parameters.get('post_logout_redirect_uri');
  if (redirectUri !== undefined) checkTarget(client, redirectUri);
  return { client, hint, redirectUri, state: parameters.get('state') };
}

async function hintOf(text: string | undefined, readHint: ReadIdTokenHint): Promise<HintedToken | undefined> {
  if (text === undefined) return undefined;
  const hint = await readHint(text);
  if (hint === undefined) throw refusal('logout.hint_invalid', 'id_token_hint');
  return hint;
}

async function clientOf(
  clientId: string | undefined,
  clients: Pick<Clients, 'find'>,
): Promise<AppRow | undefined> {
  if (clientId === undefined) return undefined;
  const client = await clients.find(clientId);
  if (client === undefined) throw refusal('authorize.client_unknown', 'client_id');
  if (client.status !== 'active') throw refusal('authorize.sign_in_not_enabled', 'client_id', client);
  return client;
}

function checkTarget(client: AppRow | undefined, redirectUri: string): void {
  if (client === undefined) throw refusal('signin.parameter_required', 'client_id');
  if (!matchesPostLogoutUri(client, redirectUri)) {
    throw refusal('logout.redirect_uri_unknown', 'post_logout_redirect_uri', client);
  }
}

function refusal(code: ErrorCode, path: string, client?: AppRow): ServiceError {
  return new ServiceError(code, undefined, {
    path,
    ...(client === undefined ? {} : { clientId: client.appId }),
  });
}
