import type { AuthorizationResponse } from '../../../../../oidc/authorize/responder.ts';
import type { HttpResponse } from '../../../../exchange/exchange-types.ts';
import type { PageTexts } from '../../../../pages/texts/page-texts.ts';
import { NO_STORE } from '../endpoint-rules.ts';
import { formPostPage } from './form-post-page.ts';

/** Headers of every answer below `/authorize`, refusals included (spec/sign-in.md#response-headers). */
export const SIGNIN_HEADERS: Readonly<Record<string, string>> = {
  ...NO_STORE,
  'Referrer-Policy': 'no-referrer',
};

/**
 * Returns the answer that delivers an authorization response through the browser
 * (spec/sign-in.md#response-modes): 303, never 307, which would forward the body of a POST to the relying
 * party; or the page that posts a form.
 *
 * @param texts - Texts of that page.
 */
export function answerOf(response: AuthorizationResponse, texts: PageTexts): HttpResponse {
  if (response.mode === 'form_post') return formPostPage(response, texts);
  return { status: 303, headers: { ...SIGNIN_HEADERS, Location: locationOf(response) } };
}

/**
 * Returns the URL that delivers a response in mode `query` or `fragment`. The registered URI is kept byte for
 * byte, with its own query; values are percent-encoded with `%20` for space, which form decoders and plain
 * percent decoders read alike.
 *
 * @returns ASCII, as the registered URI is.
 */
export function locationOf({ mode, redirectUri, parameters }: AuthorizationResponse): string {
  const encoded = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  const separator = mode === 'fragment' ? '#' : redirectUri.includes('?') ? '&' : '?';
  return `${redirectUri}${separator}${encoded}`;
}
