import type { DemoConfig } from '../../pages.ts';
import type { Choices } from './choices.ts';
import type { PendingSignIn } from './pending-sign-in.ts';
import { challengeOf, randomText } from './texts.ts';

/** A sign-in that is about to begin. */
export interface BegunSignIn {
  readonly pending: PendingSignIn;
  /** URL to navigate to: the authorization endpoint with the request. */
  readonly url: string;
}

/** Builds the authorization request for the choices, with fresh state, nonce and, for a code, verifier. */
export async function beginSignIn(
  { clientId, redirectUri, urls }: Pick<DemoConfig, 'clientId' | 'redirectUri' | 'urls'>,
  { responseType, responseMode, scope, acrValues }: Choices,
): Promise<BegunSignIn> {
  const state = randomText();
  const nonce = randomText();
  const verifier = responseType.split(' ').includes('code') ? randomText() : undefined;
  const parameters = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: responseType,
    ...(responseMode === '' ? {} : { response_mode: responseMode }),
    scope,
    ...(acrValues === '' ? {} : { acr_values: acrValues }),
    state,
    nonce,
    ...(verifier === undefined
      ? {}
      : { code_challenge: await challengeOf(verifier), code_challenge_method: 'S256' }),
  });
  const pending = { state, nonce, responseType, ...(verifier === undefined ? {} : { verifier }) };
  return { pending, url: `${urls.authorize}?${parameters}` };
}
