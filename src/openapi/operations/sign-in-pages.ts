import { basePathOf } from '../../config/values/public-address.ts';
import { MAX_PARAMETER_BYTES } from '../../http/routes/public/signin/endpoint-rules.ts';
import { PAGE_FORM_LIMIT_BYTES } from '../../http/routes/public/signin/transaction/route-parts.ts';
import type { DocumentConfig, HeaderName, Parameter, PublicOperation } from '../operation.ts';
import {
  bodyOfAtMost,
  described,
  limited,
  OPTIONAL_TEXT,
  objectOf,
  oneOfTexts,
  requestsPerMinute,
  TEXT,
} from '../schemas.ts';
import { AUTHORIZE_SCHEMAS, exampleSignIn } from './authorize-parameters.ts';
import { recognitionOperations } from './recognition.ts';

const TAG = 'Sign-in pages';
/** Content of a page. */
export const HTML = { 'text/html': { type: 'string' } } as const;
/** Headers of the pages of sign-in. */
export const PAGE_HEADERS: readonly HeaderName[] = [
  ...(['Cache-Control', 'Pragma', 'Referrer-Policy', 'Content-Security-Policy'] as const),
  ...(['X-Frame-Options', 'X-Robots-Tag', 'Content-Language', 'Vary'] as const),
];
const TXN: Parameter = {
  name: 'txn',
  in: 'path',
  required: true,
  description: 'Id of the sign-in.',
  schema: { type: 'string', minLength: 1 },
  example: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
};
const NO_SIGN_IN = [
  ...(['transaction.not_found', 'transaction.redeemed', 'transaction.finished'] as const),
  'store.unreachable',
] as const;
const STATES = ['waiting', 'connected', 'verifying', 'completed', 'failed', 'refused', 'expired'] as const;

/** Describes the pages of a sign-in and their calls (spec/sign-in.md#page-routes). */
export function signInPageOperations(config: DocumentConfig): PublicOperation[] {
  if (!config.signin.enabled) return [];
  const { rateLimits } = config;
  const base = basePathOf(config.baseUrl);
  const page = {
    tag: TAG,
    headers: PAGE_HEADERS,
    errorForm: 'signin',
    hasErrorPages: true,
    limits: requestsPerMinute(rateLimits.page, 'rateLimits.page'),
    ...limited(rateLimits.page),
    security: 'transaction',
    parameters: [TXN],
  } as const;
  const { hasErrorPages: _, ...jsonOnly } = page;
  const toPage = { description: 'To the page of the sign-in.', headers: ['Location'] } as const;
  const button = (act: 'retry' | 'cancel' | 'other' | 'agree', summary: string): PublicOperation => ({
    ...page,
    id: `${act}SignIn`,
    method: 'POST',
    paths: [`${base}/authorize/:txn/${act}`],
    summary,
    description: 'Only the page itself may send it: `Origin` or `Sec-Fetch-Site` must say so.',
    limits: [bodyOfAtMost(PAGE_FORM_LIMIT_BYTES), ...page.limits],
    success: { 303: toPage },
    errors: NO_SIGN_IN,
  });
  return [
    ...authorizeOperations(config),
    {
      ...page,
      id: 'getSignInPage',
      method: 'GET',
      paths: [`${base}/authorize/:txn`],
      summary: 'Get the page of a sign-in',
      success: {
        200: { description: 'The page.', content: HTML },
        303: { description: 'The sign-in has an outcome: to `/continue`.', headers: ['Location'] },
      },
      errors: NO_SIGN_IN,
    },
    {
      ...jsonOnly,
      id: 'getSignInStatus',
      method: 'GET',
      paths: [`${base}/authorize/:txn/status`],
      summary: 'Poll the state of a sign-in',
      limits: [
        ...requestsPerMinute(rateLimits.statusPerAddress, 'rateLimits.statusPerAddress'),
        `A sign-in may be polled ${rateLimits.status} times per minute (\`rateLimits.status\`).`,
      ],
      isRateLimited: true,
      success: {
        200: {
          description: 'The state.',
          content: {
            'application/json': objectOf({
              status: oneOfTexts(...STATES),
              expires_in: described('Seconds for which the wallet can answer.', {
                type: 'integer',
                minimum: 0,
              }),
              code: described('Why it failed or was refused.', OPTIONAL_TEXT),
              detail: OPTIONAL_TEXT,
            }),
          },
        },
      },
      errors: NO_SIGN_IN,
    },
    button('retry', 'Show the wallet a new request'),
    button('cancel', 'Leave the sign-in'),
    {
      ...button('other', 'Ask the wallet for something else'),
      description:
        '`other` asks for somebody else than the person who was here before; `3.0` and `4.0` ask for that version of World ID alone. Another word changes nothing. Only the page itself may send it.',
      body: {
        mediaType: 'application/x-www-form-urlencoded',
        schema: objectOf({ way: TEXT }),
        examples: { other: { summary: 'Somebody else', value: { way: 'other' } } },
      },
      errors: [...NO_SIGN_IN, 'signin.malformed_parameters', 'signin.not_a_form'],
    },
    {
      ...button('agree', 'Say what the person agrees to'),
      description: `Replaces what was agreed to before; a box that is not sent is not ticked. The page offers \`stay\` where sessions are on (\`signin.sessionSeconds\`), \`offline\` where the request has the scope \`offline_access\`, and \`known\` where it asks for World ID 4.0. Only the page itself may send it.`,
      body: {
        mediaType: 'application/x-www-form-urlencoded',
        schema: objectOf({ stay: OPTIONAL_TEXT, offline: OPTIONAL_TEXT, known: OPTIONAL_TEXT }, [
          'stay',
          'offline',
          'known',
        ]),
        examples: { stay: { summary: 'Stay signed in', value: { stay: 'on' } } },
      },
      errors: [...NO_SIGN_IN, 'signin.malformed_parameters', 'signin.not_a_form'],
    },
    ...recognitionOperations(base, page, NO_SIGN_IN),
    {
      ...page,
      id: 'continueSignIn',
      method: 'GET',
      paths: [`${base}/authorize/:txn/continue`],
      summary: 'Deliver the outcome to the app, until it has taken it',
      success: {
        200: {
          description: 'A page that posts the response to the app (`response_mode=form_post`).',
          headers: ['Set-Cookie'],
          content: HTML,
        },
        303: { description: 'To the redirect URI, with the response.', headers: ['Location', 'Set-Cookie'] },
      },
      errors: [...NO_SIGN_IN, 'authorize.request_uri_used', 'signing_key.none'],
    },
    {
      id: 'getLogo',
      method: 'GET',
      hasHead: true,
      paths: [`${base}/signin/logo/:client_id`],
      tag: TAG,
      summary: 'Get the logo of an app',
      limits: page.limits,
      ...limited(rateLimits.page),
      parameters: [
        {
          name: 'client_id',
          in: 'path',
          required: true,
          description: 'app_id of the app.',
          schema: TEXT,
          example: exampleSignIn(config).client_id,
        },
      ],
      headers: ['Cache-Control', 'Content-Security-Policy'],
      success: {
        200: {
          description: 'The picture.',
          content: { 'image/png': null, 'image/jpeg': null, 'image/webp': null },
        },
      },
      errorForm: 'signin',
      errors: ['http.not_found', 'store.unreachable'],
    },
  ];
}

function authorizeOperations(config: DocumentConfig): PublicOperation[] {
  const { baseUrl, rateLimits } = config;
  const example: Readonly<Record<string, string>> = exampleSignIn(config);
  const names = Object.keys(AUTHORIZE_SCHEMAS);
  const shared = {
    tag: TAG,
    paths: [`${basePathOf(baseUrl)}/authorize`],
    errorForm: 'signin',
    hasErrorPages: true,
    headers: PAGE_HEADERS,
    ...limited(rateLimits.authorize),
    success: {
      200: {
        description: 'A page that posts a refusal to the app (`response_mode=form_post`).',
        content: HTML,
      },
      303: {
        description:
          'To the page of the sign-in, with its cookie; or to the redirect URI, with the refusal, which the body has as JSON if the request prefers that.',
        headers: ['Location', 'Set-Cookie'],
      },
    },
    errors: [
      ...(['authorize.client_unknown', 'authorize.sign_in_not_enabled'] as const),
      ...(['authorize.redirect_uri_unknown', 'signin.malformed_parameters'] as const),
      ...(['signin.repeated_parameter', 'signin.parameter_required', 'store.unreachable'] as const),
      ...(['authorize.request_uri_invalid', 'authorize.request_uri_used'] as const),
      'authorize.request_uri_expired',
    ],
  } as const;
  const limits = [
    `The parameters have at most ${MAX_PARAMETER_BYTES} bytes.`,
    ...requestsPerMinute(rateLimits.authorize, 'rateLimits.authorize'),
  ];
  const description =
    'Once app and redirect URI are known to be good, every refusal goes to the app: `login_required` for `prompt=none`, `unsupported_response_type`, `invalid_scope` and the other values of RFC 6749 section 4.1.2.1 and OpenID Connect Core 1.0 section 3.1.2.6. Unknown parameters are ignored. `redirect_uri`, `response_type` and `scope` are required unless `request_uri` has a reference.';
  return [
    {
      ...shared,
      id: 'authorize',
      method: 'GET',
      summary: 'Begin a sign-in',
      description,
      limits,
      parameters: Object.entries(AUTHORIZE_SCHEMAS).map(([name, { description = '', ...schema }]) => ({
        name,
        in: 'query',
        required: name === 'client_id',
        schema,
        description: String(description),
        ...(example[name] === undefined ? {} : { example: example[name] }),
      })),
      errors: [...shared.errors, 'authorize.query_too_large'],
    },
    {
      ...shared,
      id: 'authorizeByForm',
      method: 'POST',
      summary: 'Begin a sign-in with a form',
      description,
      limits,
      body: {
        mediaType: 'application/x-www-form-urlencoded',
        schema: objectOf(
          AUTHORIZE_SCHEMAS,
          names.filter((name) => name !== 'client_id'),
        ),
        examples: { code: { summary: 'A code', value: example } },
      },
      errors: [...shared.errors, 'signin.not_a_form'],
    },
  ];
}
