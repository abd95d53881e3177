import { DEMO_CLIENT_ID, demoRedirectUri } from '../../development/demo-client.ts';
import type { ErrorCode } from '../../errors/catalogue.ts';
import { AUTHORIZE_PARAMETERS } from '../../oidc/authorize/read-request.ts';
import type { DocumentConfig, Json } from '../operation.ts';
import { described, TEXT } from '../schemas.ts';

/** Required parameters of an authorization request, unless it contains the reference of a pushed one. */
export const AUTHORIZE_REQUIRED: readonly string[] = ['client_id', 'redirect_uri', 'response_type', 'scope'];

/** An empty value counts as absent. */
const FILLED: Json = { ...TEXT, minLength: 1 };
const UNUSED = described('Accepted as the standard defines it; it changes nothing.', TEXT);
const REFUSED = described('Refused: requests are read from their parameters only.', TEXT);
const REFERENCE = described(
  'Reference of a request that was pushed to `/par`; the other parameters but `client_id` are then ignored. Any other value is refused.',
  TEXT,
);

/** Parameters of an authorization request, in a query, a form or the request of a wallet. */
export const AUTHORIZE_SCHEMAS: Readonly<Record<string, Json>> = {
  ...Object.fromEntries(AUTHORIZE_PARAMETERS.map((name) => [name, UNUSED])),
  client_id: described('app_id of the app.', FILLED),
  redirect_uri: described('One of those that the app registered.', FILLED),
  response_type: described('Such as `code`.', FILLED),
  response_mode: described('`query`, `fragment` or `form_post`.', TEXT),
  scope: described('`openid`, and what else is asked for: `email`, `profile`, `offline_access`.', FILLED),
  state: described('Comes back unchanged.', TEXT),
  nonce: described('Becomes a claim of the ID token.', TEXT),
  code_challenge: described('SHA-256 of the code_verifier (RFC 7636).', TEXT),
  code_challenge_method: described('`S256`.', TEXT),
  dpop_jkt: described('Thumbprint of the key that must redeem the code (RFC 9449).', TEXT),
  prompt: described('`none` is refused, since every sign-in takes a proof.', TEXT),
  max_age: described('A number of seconds; every sign-in is fresh.', TEXT),
  acr_values: described('`orb` asks for a proof of that level.', TEXT),
  ui_locales: described('Languages of the pages, the preferred one first.', TEXT),
  request: REFUSED,
  request_uri: REFERENCE,
  registration: REFUSED,
};

/** All refusals of a request of an app. */
export const AUTHORIZE_REFUSALS: readonly ErrorCode[] = [
  ...(['signin.malformed_parameters', 'signin.repeated_parameter', 'signin.parameter_required'] as const),
  ...(['authorize.client_unknown', 'authorize.sign_in_not_enabled'] as const),
  ...(['authorize.redirect_uri_unknown', 'authorize.response_type_unsupported'] as const),
  ...(['authorize.response_type_not_registered', 'authorize.response_mode_invalid'] as const),
  ...(['authorize.request_not_supported', 'authorize.request_uri_not_supported'] as const),
  ...(['authorize.registration_not_supported', 'authorize.scope_without_openid'] as const),
  'authorize.push_required',
  ...(['authorize.challenge_unsupported', 'authorize.challenge_missing'] as const),
  ...(['authorize.challenge_required', 'authorize.max_age_invalid', 'authorize.prompt_invalid'] as const),
  ...([
    'authorize.hint_invalid',
    'authorize.login_required',
    'authorize.interaction_required',
    'dpop.jkt_malformed',
  ] as const),
  ...(['policy.environment_not_allowed', 'policy.protocol_not_allowed'] as const),
  ...(['policy.credential_not_allowed', 'dpop.front_channel', 'store.unreachable'] as const),
];

/** Returns a request of the demo client, which exists in the development profile. */
export function exampleSignIn({
  baseUrl,
}: DocumentConfig): Record<'client_id' | 'redirect_uri', string> & Readonly<Record<string, string>> {
  return {
    response_type: 'code',
    scope: 'openid',
    client_id: DEMO_CLIENT_ID,
    state: 'af0ifjsldkj',
    redirect_uri: demoRedirectUri(baseUrl),
    // SHA-256 of the code_verifier of RFC 7636 appendix B
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  };
}
