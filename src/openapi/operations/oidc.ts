import { basePathOf } from '../../config/values/public-address.ts';
import type { ErrorCode } from '../../errors/catalogue.ts';
import { MAX_BODY_BYTES } from '../../http/routes/public/signin/clients/mobile-auth.ts';
import { FORM_LIMIT_BYTES } from '../../http/routes/public/signin/endpoint-rules.ts';
import { exampleRequest } from '../../verification/offline/development-seed.ts';
import type { DocumentConfig, Json, PublicOperation, RequestBody } from '../operation.ts';
import {
  ADDRESS,
  bodyOfAtMost,
  described,
  limited,
  listOf,
  OPTIONAL_TEXT,
  objectOf,
  requestsPerMinute,
  TEXT,
  UNIX_SECONDS,
} from '../schemas.ts';
import {
  AUTHORIZE_REFUSALS,
  AUTHORIZE_REQUIRED,
  AUTHORIZE_SCHEMAS,
  exampleSignIn,
} from './authorize-parameters.ts';
import { CLIENT_CORS, NO_STORE, PROOF, userInfoOperation } from './user-info.ts';

const TAG = 'Sign-in';
const FORM = 'application/x-www-form-urlencoded';
/** Refusals of the form of any client. */
export const FORM_FAULTS: readonly ErrorCode[] = [
  ...(['signin.not_a_form', 'signin.malformed_parameters', 'signin.repeated_parameter'] as const),
  ...(['token.authorization_too_large', 'store.unreachable'] as const),
];
/** Refusals of a client that does not authenticate or omits a parameter. */
export const CLIENT_FAULTS: readonly ErrorCode[] = [
  ...(['client.no_credentials', 'client.invalid_credentials', 'client.two_methods'] as const),
  ...(['client.id_differs', 'client.too_many_failures', 'signin.parameter_required'] as const),
];
const CREDENTIALS = { client_id: TEXT, client_secret: described('Unless it is in Authorization.', TEXT) };
/** A code that was never issued. */
const EXAMPLE_CODE = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';

/** Describes the endpoints that clients of sign-in call (spec/sign-in.md). */
export function oidcOperations(config: DocumentConfig): PublicOperation[] {
  return config.signin.enabled
    ? [
        ...metadataOperations(config),
        ...tokenOperations(config),
        userInfoOperation(config, 'GET'),
        userInfoOperation(config, 'POST'),
        mobileOperation(config),
      ]
    : [];
}

/** Describes the limit of failed client authentications. */
export function failedAuthentications({ rateLimits }: DocumentConfig): string {
  return `A client may fail to authenticate ${rateLimits.clientAuthFailures} times per minute (\`rateLimits.clientAuthFailures\`).`;
}

function metadataOperations({ baseUrl }: DocumentConfig): PublicOperation[] {
  const base = basePathOf(baseUrl);
  const shared = {
    method: 'GET',
    hasHead: true,
    tag: TAG,
    errorForm: 'signin',
    errors: [],
    headers: ['Cache-Control', 'Access-Control-Allow-Origin'],
  } as const;
  return [
    {
      ...shared,
      id: 'getProviderMetadata',
      paths: [
        ...new Set([
          `${base}/.well-known/openid-configuration`,
          `${base}/.well-known/oauth-authorization-server`,
          `/.well-known/oauth-authorization-server${base}`,
        ]),
      ],
      summary: 'Get the metadata of the provider',
      description: 'OpenID Connect Discovery 1.0 and RFC 8414.',
      success: { 200: { description: 'The metadata.', content: { 'application/json': metadataSchema() } } },
    },
    {
      ...shared,
      id: 'getKeySet',
      paths: [`${base}/jwks`, `${base}/jwks.json`],
      summary: 'Get the public keys that verify ID tokens',
      description:
        'RFC 7517. Keep them as long as Cache-Control says, and read them again for an unknown `kid`.',
      success: {
        200: {
          description: 'The key set.',
          content: {
            'application/json': objectOf({
              keys: listOf(objectOf({ kty: TEXT, use: TEXT, alg: TEXT, kid: TEXT, n: TEXT, e: TEXT })),
            }),
          },
        },
      },
      errors: ['store.unreachable', 'signing_key.none'],
    },
  ];
}

function tokenOperations(config: DocumentConfig): PublicOperation[] {
  const base = basePathOf(config.baseUrl);
  const { rateLimits } = config;
  const { client_id, redirect_uri } = exampleSignIn(config);
  const shared = { method: 'POST', tag: TAG, errorForm: 'signin', security: 'clientSecret' } as const;
  const limits = (perMinute: number, setting: string): Pick<PublicOperation, 'limits' | 'isRateLimited'> => ({
    limits: [
      bodyOfAtMost(FORM_LIMIT_BYTES),
      ...requestsPerMinute(perMinute, setting),
      failedAuthentications(config),
    ],
    ...limited(perMinute),
  });
  const form = (schema: Json, summary: string, value: object): RequestBody => ({
    mediaType: FORM,
    schema,
    examples: { form: { summary, value } },
  });
  const tokenForm = objectOf({ ...CREDENTIALS, token: TEXT, token_type_hint: TEXT }, [
    'client_id',
    'client_secret',
    'token_type_hint',
  ]);
  const token = { token: 'eyJhbGciOiJub25lIn0.e30.', client_id };
  return [
    {
      ...shared,
      id: 'exchangeCode',
      paths: [`${base}/token`],
      summary: 'Exchange an authorization code or a refresh token for tokens',
      description:
        'RFC 6749 sections 4.1.3 and 6, with PKCE (RFC 7636). A code works once and for a short time; a refresh token works once and is replaced.',
      ...limits(rateLimits.token, 'rateLimits.token'),
      parameters: [PROOF],
      body: form(
        objectOf(
          {
            grant_type: { type: 'string', enum: ['authorization_code', 'refresh_token'] },
            code: described('With authorization_code.', TEXT),
            redirect_uri: described('With authorization_code: as in the authorization request.', TEXT),
            code_verifier: described('If the request had a code_challenge.', TEXT),
            refresh_token: described('With refresh_token: the one of the last answer.', TEXT),
            scope: described('With refresh_token: fewer scopes than were granted.', TEXT),
            ...CREDENTIALS,
          },
          ['code', 'redirect_uri', 'code_verifier', 'refresh_token', 'scope', 'client_id', 'client_secret'],
        ),
        'A code of a public client',
        { grant_type: 'authorization_code', code: EXAMPLE_CODE, redirect_uri, client_id },
      ),
      headers: [...NO_STORE, ...CLIENT_CORS, 'DPoP-Nonce'],
      success: {
        200: {
          description: 'The tokens.',
          content: {
            'application/json': objectOf(
              {
                access_token: TEXT,
                token_type: described('`DPoP` for a request with a proof.', { enum: ['Bearer', 'DPoP'] }),
                expires_in: described('Seconds.', { type: 'integer' }),
                scope: TEXT,
                refresh_token: described('With the scope offline_access.', TEXT),
                id_token: described('JWT of OpenID Connect Core 1.0 section 2, signed with RS256.', TEXT),
              },
              ['scope', 'refresh_token'],
            ),
          },
        },
      },
      errors: [
        ...FORM_FAULTS,
        ...CLIENT_FAULTS,
        ...(['token.grant_type_missing', 'token.grant_type_unsupported', 'token.invalid_code'] as const),
        ...(['token.redirect_uri_differs', 'token.verifier_missing', 'token.verifier_unexpected'] as const),
        ...(['token.verifier_malformed', 'token.verifier_differs', 'signing_key.none'] as const),
        ...(['token.invalid_refresh_token', 'token.scope_not_granted'] as const),
        ...(['dpop.invalid_proof', 'dpop.use_nonce', 'dpop.proof_required'] as const),
        ...(['dpop.code_key_differs', 'dpop.refresh_key_differs'] as const),
      ],
    },
    {
      ...shared,
      id: 'introspectToken',
      paths: [`${base}/introspect`],
      summary: 'Ask whether an access token or a refresh token is active',
      description: 'RFC 7662. For confidential clients, which learn about their own tokens only.',
      ...limits(rateLimits.introspect, 'rateLimits.introspect'),
      body: form(tokenForm, 'A token', token),
      headers: NO_STORE,
      success: {
        200: {
          description: 'The claims of an active token, or `active` false.',
          content: {
            'application/json': objectOf(
              {
                active: { type: 'boolean' },
                client_id: TEXT,
                sub: TEXT,
                scope: TEXT,
                token_type: TEXT,
                iss: TEXT,
                aud: TEXT,
                jti: TEXT,
                exp: UNIX_SECONDS,
                iat: UNIX_SECONDS,
                cnf: objectOf({ jkt: TEXT }),
                code: TEXT,
                detail: TEXT,
                attribute: OPTIONAL_TEXT,
              },
              [
                'client_id',
                'sub',
                'scope',
                'token_type',
                'iss',
                'aud',
                'jti',
                'exp',
                'iat',
                'cnf',
                'code',
                'detail',
                'attribute',
              ],
            ),
          },
        },
      },
      errors: [
        ...FORM_FAULTS,
        ...CLIENT_FAULTS,
        ...(config.signin.introspectionLegacy401 ? (['token.not_active'] as const) : []),
      ],
    },
    {
      ...shared,
      id: 'revokeToken',
      paths: [`${base}/revoke`],
      summary: 'Revoke an access token or a refresh token',
      description: 'RFC 7009. An unknown token is no error.',
      ...limits(rateLimits.revoke, 'rateLimits.revoke'),
      body: form(tokenForm, 'A token', token),
      headers: [...NO_STORE, ...CLIENT_CORS],
      success: { 200: { description: 'The token does not work any more.' } },
      errors: [...FORM_FAULTS, ...CLIENT_FAULTS, 'token.of_another_client'],
    },
  ];
}

/** Schema of the provider metadata; its members are described in OpenID Connect Discovery 1.0 section 3. */
function metadataSchema(): Json {
  const addresses = ['issuer', 'authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri'];
  const more = ['introspection_endpoint', 'revocation_endpoint', 'pushed_authorization_request_endpoint'];
  const lists = [
    'scopes_supported',
    'response_types_supported',
    'response_modes_supported',
    'grant_types_supported',
    'subject_types_supported',
    'id_token_signing_alg_values_supported',
    'claims_supported',
    'code_challenge_methods_supported',
    'token_endpoint_auth_methods_supported',
    'acr_values_supported',
    'dpop_signing_alg_values_supported',
  ];
  const entries = (names: readonly string[], schema: Json): [string, Json][] =>
    names.map((name) => [name, schema]);
  return objectOf(
    Object.fromEntries([...entries([...addresses, ...more], ADDRESS), ...entries(lists, listOf(TEXT))]),
  );
}

/** Describes the sign-in of a native wallet (spec/sign-in.md#mobile-sign-in). */
function mobileOperation(config: DocumentConfig): PublicOperation {
  const limit = config.rateLimits.authorize;
  const field = { type: 'string', pattern: '^0x[0-9a-fA-F]{1,64}$' };
  const example = exampleRequest();
  const [item] = (example.body as { responses: readonly Readonly<Record<string, string>>[] }).responses;
  return {
    id: 'signInByWallet',
    method: 'POST',
    paths: [`${basePathOf(config.baseUrl)}/v1/mobile-auth`],
    tag: TAG,
    summary: 'Answer an authorization request from a native wallet',
    description:
      'For clients whose proofs have the nonce as their signal. The parameters of the request are those of `/authorize`.',
    limits: [bodyOfAtMost(MAX_BODY_BYTES), ...requestsPerMinute(limit, 'rateLimits.authorize')],
    body: {
      mediaType: 'application/json',
      schema: objectOf(
        {
          ...AUTHORIZE_SCHEMAS,
          max_age: { type: ['string', 'number'] },
          proof: { type: 'string', pattern: '^0x[0-9a-fA-F]{512}$' },
          merkle_root: field,
          nullifier_hash: field,
        },
        Object.keys(AUTHORIZE_SCHEMAS).filter((name) => !AUTHORIZE_REQUIRED.includes(name)),
      ),
      examples: {
        proof: {
          summary: 'A proof, for a client that does not take it',
          value: {
            ...exampleSignIn(config),
            nonce: '0x01',
            proof: item?.proof,
            merkle_root: item?.merkle_root,
            nullifier_hash: item?.nullifier,
          },
        },
      },
    },
    headers: NO_STORE,
    success: {
      200: {
        description: 'The address that the wallet opens.',
        content: { 'application/json': objectOf({ redirect_uri: TEXT }) },
      },
    },
    errorForm: 'signin',
    ...limited(limit),
    errors: [
      ...AUTHORIZE_REFUSALS,
      ...(['http.not_json', 'authorize.body_not_an_object', 'authorize.form_post_to_wallet'] as const),
      ...([
        'authorize.signal_is_not_nonce',
        'transaction.answer_format',
        'transaction.root_unknown',
      ] as const),
      ...(['transaction.root_too_old', 'transaction.proof_invalid', 'transaction.proof_spent'] as const),
      ...([
        'transaction.orb_required',
        'transaction.other_person',
        'transaction.check_failed',
        'signing_key.none',
      ] as const),
    ],
  };
}
