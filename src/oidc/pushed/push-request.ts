import type { AddressKeysOf, Clients } from '../../apps/index.ts';
import type { Config } from '../../config/settings/types.ts';
import { ServiceError } from '../../errors/index.ts';
import type { AppRow, PushedRequestStore } from '../../storage/index.ts';
import { AUTHORIZE_PARAMETERS, identifyClient, readRequest } from '../authorize/index.ts';
import { type ClientAuthentication, type ClientCall, onBehalfOf } from '../endpoints/authenticate-client.ts';
import type { ReadIdTokenHint } from '../issuing/index.ts';
import { type Parameters, refuseRepeated } from '../parameters.ts';
import { type PendingConfig, pendingBounds, tooManyPending } from '../transaction/pending-bounds.ts';
import { hashOfReference, newReference } from './reference.ts';

/** Dependencies of `createPush`. */
export interface PushParts {
  readonly authentication: ClientAuthentication;
  readonly clients: Pick<Clients, 'find'>;
  readonly readHint: ReadIdTokenHint;
  readonly pushedRequests: Pick<PushedRequestStore, 'add'>;
  readonly addressKeys: AddressKeysOf;
  readonly config: { readonly signin: PendingConfig & Pick<Config['signin'], 'pushedRequestSeconds'> };
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Reference of a request that a client has pushed. */
export interface PushedRequest {
  readonly clientId: string;
  /** Body of the response, with members named as they are sent. */
  readonly response: {
    readonly request_uri: string;
    /** Seconds. */
    readonly expires_in: number;
  };
}

/** Parameters that must not be sent twice. */
const KNOWN = [...AUTHORIZE_PARAMETERS, 'client_secret'];

/**
 * Creates the endpoint to which clients push authorization requests (spec/sign-in.md#pushed-requests), which begins
 * with the check for repeated parameters. The request is checked as at /authorize, and durable when the call resolves.
 *
 * @returns A function that throws ServiceError `signin.repeated_parameter`, those of client authentication,
 *   `authorize.request_uri_pushed`, those of an authorization request, `transaction.too_many` and its variants for a
 *   client or a network, `store.unreachable`
 */
export function createPush(parts: PushParts): (call: ClientCall) => Promise<PushedRequest> {
  return async (call) => {
    refuseRepeated(call.parameters, KNOWN);
    const client = await parts.authentication.authenticate(call, 'any_client');
    const response = await onBehalfOf(client.appId, () => push(client, call, parts));
    return { clientId: client.appId, response };
  };
}

async function push(
  { appId: clientId }: AppRow,
  { parameters, address }: ClientCall,
  { clients, readHint, pushedRequests, addressKeys, config, now }: PushParts,
): Promise<PushedRequest['response']> {
  if (parameters.get('request_uri') !== undefined) {
    throw new ServiceError('authorize.request_uri_pushed', undefined, { path: 'request_uri' });
  }
  // `client_id` is required and, where it was sent, authentication has compared it with the credentials.
  await readRequest(parameters, await identifyClient(parameters, clients), 'pushed', readHint);
  const { signin } = config;
  const reference = newReference();
  const at = now();
  const row = {
    referenceHash: hashOfReference(reference),
    clientId,
    parameters: formOf(parameters),
    expiresAt: at + signin.pushedRequestSeconds * 1000,
  };
  const outcome = await pushedRequests.add(row, pendingBounds(signin, addressKeys(address).networkKey), at);
  if (outcome !== 'stored') throw tooManyPending(outcome, clientId);
  return { request_uri: reference, expires_in: signin.pushedRequestSeconds };
}

/** Encodes the parameters of an authorization request, without credentials and unknown ones, as a form. */
function formOf(parameters: Parameters): string {
  return AUTHORIZE_PARAMETERS.flatMap((name) => {
    const value = parameters.get(name);
    return value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`];
  }).join('&');
}
