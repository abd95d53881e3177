import { basePathOf } from '../../config/values/public-address.ts';
import { FORM_LIMIT_BYTES } from '../../http/routes/public/signin/endpoint-rules.ts';
import type { DocumentConfig, HeaderName, Parameter, PublicOperation } from '../operation.ts';
import { bodyOfAtMost, described, limited, objectOf, requestsPerMinute, TEXT } from '../schemas.ts';

/** Headers that keep an answer out of caches. */
export const NO_STORE: readonly HeaderName[] = ['Cache-Control', 'Pragma'];
/** Headers of answers to pages of clients. */
export const CLIENT_CORS: readonly HeaderName[] = [
  'Vary',
  'Access-Control-Allow-Origin',
  'Access-Control-Expose-Headers',
];
/** Proof of possession. */
export const PROOF: Parameter = {
  name: 'DPoP',
  in: 'header',
  required: false,
  description:
    'A proof of possession (RFC 9449). `/par` binds the code and `/token` the access token to its key; `/userinfo` takes such a token with a proof by the same key.',
  schema: { ...TEXT, maxLength: 4096 },
};

/** Describes `/userinfo` (spec/sign-in.md#user-information). */
export function userInfoOperation(config: DocumentConfig, method: 'GET' | 'POST'): PublicOperation {
  const { baseUrl, rateLimits } = config;
  const { host } = new URL(baseUrl);
  return {
    id: method === 'GET' ? 'getUserInfo' : 'getUserInfoByPost',
    method,
    paths: [`${basePathOf(baseUrl)}/userinfo`],
    tag: 'Sign-in',
    summary: 'Get the claims about the person who signed in',
    description: `OpenID Connect Core 1.0 section 5.3. The claim with the verification level is named after the issuer, such as \`https://${host}/v1\`.`,
    limits: [
      bodyOfAtMost(FORM_LIMIT_BYTES),
      ...requestsPerMinute(rateLimits.token, 'rateLimits.token').map(
        (text) => `${text.slice(0, -1)} with a proof.`,
      ),
    ],
    ...limited(rateLimits.token),
    security: 'accessToken',
    parameters: [PROOF],
    headers: [...NO_STORE, ...CLIENT_CORS, 'DPoP-Nonce'],
    success: {
      200: {
        description: 'The claims.',
        content: {
          'application/json': objectOf(
            {
              sub: described('The person, for this app only.', TEXT),
              email: described('A placeholder, with the scope email.', TEXT),
              email_verified: { type: 'boolean' },
              name: described('A placeholder, with the scope profile.', TEXT),
              given_name: TEXT,
              family_name: TEXT,
            },
            ['email', 'email_verified', 'name', 'given_name', 'family_name'],
          ),
        },
      },
    },
    errorForm: 'signin',
    errors: [
      ...(['token.bearer_missing', 'token.not_active', 'token.authorization_too_large'] as const),
      ...(['dpop.token_binding', 'dpop.invalid_resource_proof', 'dpop.use_resource_nonce'] as const),
      'store.unreachable',
    ],
  };
}
