/**
 * The authorization endpoint without HTTP (spec/sign-in.md#authorization-request and
 * spec/sign-in.md#authorization-response): the steps in the order of `read-request.ts`, their parameters in
 * `request-parameters.ts`. A request arrives as parameters; a response is parameters with the response mode.
 */
import type { Clients } from '../../apps/clients.ts';
import { isServiceError, type ServiceError } from '../../errors/service-error.ts';
import type { AppRow } from '../../storage/apps/apps.ts';
import type { Parameters } from '../parameters.ts';
import { identifyClient } from './identify-client.ts';
import {
  type ReadRequest,
  type ReadRequestParts,
  type RequestOrigin,
  readRefusedObject,
  readRequest,
} from './read-request.ts';
import { modeOfError } from './request-parameters.ts';
import { type AuthorizationResponse, type ResponseTarget, refusalResponse } from './responder.ts';

/** A checked request, or its refusal for the relying party. */
export type AuthorizationCheck =
  | ({ readonly kind: 'accepted'; readonly client: AppRow } & ReadRequest)
  | {
      readonly kind: 'refused';
      readonly client: AppRow;
      readonly response: AuthorizationResponse;
      /** The reason, for logs, metrics and the body of the response. */
      readonly error: ServiceError;
    };

/** Dependencies of `checkAuthorization`. */
export interface AuthorizationParts extends ReadRequestParts {
  readonly clients: Pick<Clients, 'find'>;
  /** `baseUrl`, byte for byte. */
  readonly issuer: string;
}

/**
 * Checks an authorization request, starting with the client, in the order of spec/sign-in.md#authorization-request.
 *
 * @param origin - Whether the parameters come from the browser or were pushed.
 * @throws ServiceError for an invalid client or redirect URI: the service answers it itself and never redirects
 */
export async function checkAuthorization(
  parameters: Parameters,
  origin: RequestOrigin,
  { clients, issuer, ...parts }: AuthorizationParts,
): Promise<AuthorizationCheck> {
  const identified = await identifyClient(parameters, clients);
  const { client, redirectUri } = identified;
  try {
    return { kind: 'accepted', client, ...(await readRequest(parameters, identified, origin, parts)) };
  } catch (error) {
    const oauth = isServiceError(error) ? oauthError(error) : undefined;
    if (!isServiceError(error) || oauth === undefined) throw error;
    const target = { redirectUri, ...deliveryOf(error, parameters) };
    const response = refusalResponse(target, oauth.error, oauth.description, issuer);
    return { kind: 'refused', client, response, error };
  }
}

/**
 * Returns mode and state for the response to a refused request. A refused request object is read only for members that
 * the other parameters lack.
 */
function deliveryOf(error: ServiceError, parameters: Parameters): Omit<ResponseTarget, 'redirectUri'> {
  const object = error.code === 'authorize.request_not_supported' ? readRefusedObject(parameters) : {};
  const state = parameters.isRepeated('state') ? undefined : (parameters.get('state') ?? object.state);
  return {
    responseMode: modeOfError(parameters, object.responseMode),
    ...(state === undefined ? {} : { state }),
  };
}

/**
 * Converts an error to its form for a relying party. A response by redirect has no error code and attribute,
 * since its `code` is the authorization code (RFC 6749 section 4.1.2); a description that needs the attribute
 * names it.
 *
 * @returns Undefined for an error that has no response of sign-in.
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
