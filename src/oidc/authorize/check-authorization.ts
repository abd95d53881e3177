import type { Clients } from '../../apps/index.ts';
import { isServiceError, type ServiceError } from '../../errors/index.ts';
import type { AppRow } from '../../storage/index.ts';
import type { Parameters } from '../parameters.ts';
import type { AuthorizationRequest } from '../types.ts';
import { type AuthorizationResponse, refusalResponse } from './authorization-response.ts';
import { identifyClient } from './identify-client.ts';
import { readRequest } from './read-request.ts';
import { modeOfError } from './read-response-mode.ts';

/** A checked request, or its refusal for the relying party. */
export type AuthorizationCheck =
  | { readonly kind: 'accepted'; readonly client: AppRow; readonly request: AuthorizationRequest }
  | {
      readonly kind: 'refused';
      readonly client: AppRow;
      readonly response: AuthorizationResponse;
      /** Why, for log and metrics, and for callers that read the body of the answer. */
      readonly error: ServiceError;
    };

/**
 * Checks an authorization request, from the client on, in the order of spec/sign-in.md#authorization-request.
 *
 * @param issuer - `baseUrl`, byte for byte.
 * @throws ServiceError for a fault of client or redirect URI, which is answered by the service and never at
 * an address of the request
 */
export async function checkAuthorization(
  parameters: Parameters,
  clients: Pick<Clients, 'find'>,
  issuer: string,
): Promise<AuthorizationCheck> {
  const identified = await identifyClient(parameters, clients);
  const { client, redirectUri } = identified;
  try {
    return { kind: 'accepted', client, request: readRequest(parameters, identified) };
  } catch (error) {
    const oauth = isServiceError(error) ? oauthError(error) : undefined;
    if (!isServiceError(error) || oauth === undefined) throw error;
    const state = parameters.isRepeated('state') ? undefined : parameters.get('state');
    const target = {
      redirectUri,
      responseMode: modeOfError(parameters),
      ...(state === undefined ? {} : { state }),
    };
    const response = refusalResponse(target, oauth.error, oauth.description, issuer);
    return { kind: 'refused', client, response, error };
  }
}

/**
 * Returns an error as a relying party gets it. Code and attribute stay out of an answer by redirect, where `code` is
 * the authorization code (RFC 6749 section 4.1.2), so that a text which needs the attribute names it.
 *
 * @returns Undefined for an error without an answer of sign-in.
 */
export function oauthError(
  error: ServiceError,
): { readonly error: string; readonly description: string } | undefined {
  const { signin } = error.spec;
  if (signin === undefined) return undefined;
  const text = signin.text ?? error.message;
  const isRequired = error.code === 'signin.parameter_required';
  return { error: signin.error, description: isRequired ? `${error.details.path}: ${text}` : text };
}
