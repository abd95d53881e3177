import { type AppFields, RESPONSE_TYPES } from './fields.ts';

/** Settings of an app as a client of sign-in; the store keeps the same members. */
export interface ClientSettings {
  readonly redirectUris: readonly string[];
  readonly responseTypes: readonly (typeof RESPONSE_TYPES)[number][];
  readonly tokenEndpointAuthMethod: NonNullable<AppFields['token_endpoint_auth_method']>;
  readonly applicationType: NonNullable<AppFields['application_type']>;
  readonly requirePkce: boolean;
  readonly signalIsNonce: boolean;
}

/** Settings of an app that gives none for sign-in: without redirect URIs it only verifies proofs. */
export const DEFAULT_CLIENT: ClientSettings = {
  redirectUris: [],
  responseTypes: RESPONSE_TYPES,
  tokenEndpointAuthMethod: 'client_secret_basic',
  applicationType: 'web',
  requirePkce: false,
  signalIsNonce: false,
};

/** Returns `base` with the given fields in place of its own. */
export function clientOf(fields: AppFields, base: ClientSettings = DEFAULT_CLIENT): ClientSettings {
  return {
    redirectUris: fields.redirect_uris ?? base.redirectUris,
    responseTypes: fields.response_types ?? base.responseTypes,
    tokenEndpointAuthMethod: fields.token_endpoint_auth_method ?? base.tokenEndpointAuthMethod,
    applicationType: fields.application_type ?? base.applicationType,
    requirePkce: fields.require_pkce ?? base.requirePkce,
    signalIsNonce: fields.signal_is_nonce ?? base.signalIsNonce,
  };
}

/** Returns the settings of a client as fields: the inverse of `clientOf`. */
export function fieldsOfClient(client: Partial<ClientSettings>): AppFields {
  const fields = {
    redirect_uris: client.redirectUris,
    response_types: client.responseTypes,
    token_endpoint_auth_method: client.tokenEndpointAuthMethod,
    application_type: client.applicationType,
    require_pkce: client.requirePkce,
    signal_is_nonce: client.signalIsNonce,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
