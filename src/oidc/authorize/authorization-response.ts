import type { AuthorizationRequest, ResponseMode } from '../types.ts';

/** What goes back to the relying party, before it is put into an address or a form. */
export interface AuthorizationResponse {
  readonly mode: ResponseMode;
  /** The registered URI, byte for byte. */
  readonly redirectUri: string;
  /** Names and values, not encoded, in the order in which they are sent. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
}

/** What of a request its answer needs. */
export type ResponseTarget = Pick<AuthorizationRequest, 'redirectUri' | 'responseMode' | 'state'>;

/**
 * The state, as sent, and `iss` (RFC 9207), with which each answer ends.
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
 * An error for the relying party (spec/sign-in.md#checks-answered-to-the-app): these four parameters and
 * nothing else.
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
