import type { ClientMetadata, ResponseType } from './store-signin.ts';

/** Response types that a client may use, in the order of the discovery document (signin.md 5.1). */
export const RESPONSE_TYPES: readonly ResponseType[] = [
  'code',
  'id_token',
  'id_token token',
  'code id_token',
  'code token',
  'code id_token token',
];

/** What sign-in knows of an app that says nothing about it (signin.md section 12): it only verifies proofs. */
export const DEFAULT_CLIENT: ClientMetadata = {
  redirectUris: [],
  responseTypes: RESPONSE_TYPES,
  tokenEndpointAuthMethod: 'client_secret_basic',
  applicationType: 'web',
  requirePkce: false,
  signalIsNonce: false,
};
