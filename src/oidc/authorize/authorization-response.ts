import type { AuthorizationRequest, ResponseMode } from '../types.ts';

/** An authorization response, before it is encoded as a URL or a form. */
export interface AuthorizationResponse {
  readonly mode: ResponseMode;
  /** The registered URI, byte for byte. */
  readonly redirectUri: string;
  /** Names and values, not encoded, in the order in which they are sent. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
}

/** The members of a request that its response needs. */
export type ResponseTarget = Pick<AuthorizationRequest, 'redirectUri' | 'responseMode' | 'state'>;

/**
 * Returns the last parameters of each response: the state, as sent, and `iss` (RFC 9207).
 *
 * @param issuer - `baseUrl`, byte for byte.
 */
export function closingParameters(
  { state }: ResponseTarget,
  issuer: string,
): (readonly [name: string, value: string])[] {
  return [...(state === undefined ? [] : [['state', state] as const]), ['iss', issuer]];
}

/**
 * Builds an error response for the relying party (spec/sign-in.md#checks-answered-to-the-app): `error`,
 * `error_description`, `state` and `iss`, and nothing else.
 *
 * @param error - A registered OAuth or OIDC value.
 * @param description - ASCII without `"` and `\`.
 */
export function refusalResponse(
  target: ResponseTarget,
  error: string,
  description: string,
  issuer: string,
): AuthorizationResponse {
  return {
    mode: target.responseMode,
    redirectUri: target.redirectUri,
    parameters: [['error', error], ['error_description', description], ...closingParameters(target, issuer)],
  };
}
