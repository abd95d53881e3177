import { basePathOf } from '../../config/values/public-address.ts';
import { MAX_PARAMETER_BYTES } from '../../http/routes/public/signin/endpoint-rules.ts';
import { CONFIRM_LIMIT_BYTES } from '../../http/routes/public/signin/logout/logout-routes.ts';
import type { DocumentConfig, Json, PublicOperation } from '../operation.ts';
import { bodyOfAtMost, described, limited, objectOf, requestsPerMinute, TEXT } from '../schemas.ts';
import { exampleSignIn } from './authorize-parameters.ts';
import { HTML, PAGE_HEADERS } from './sign-in-pages.ts';

const SCHEMAS: Readonly<Record<string, Json>> = {
  id_token_hint: described(
    'ID token of the last sign-in, which may have expired: its session ends at once.',
    TEXT,
  ),
  client_id: described('app_id of the app. Without id_token_hint the person is asked.', TEXT),
  post_logout_redirect_uri: described('One of those that the app registered.', TEXT),
  state: described('Comes back unchanged.', TEXT),
  ui_locales: described('Languages of the pages, the preferred one first.', TEXT),
};

/** Describes sign-out (spec/sign-in.md#sign-out), which is served while signin.sessionSeconds is not 0. */
export function signOutOperations(config: DocumentConfig): PublicOperation[] {
  if (!config.signin.enabled) return [];
  const { baseUrl, rateLimits } = config;
  const path = `${basePathOf(baseUrl)}/logout`;
  const { client_id } = exampleSignIn(config);
  const shared = {
    tag: 'Sign-in pages',
    errorForm: 'signin',
    hasErrorPages: true,
    headers: PAGE_HEADERS,
    ...limited(rateLimits.page),
    description:
      'RP-initiated logout (OpenID Connect RP-Initiated Logout 1.0). Served while `signin.sessionSeconds` is not 0. Access tokens stay valid.',
    success: {
      200: {
        description: 'A page that asks the person, or says that there is no session any more.',
        headers: ['Set-Cookie'],
        content: HTML,
      },
      303: { description: 'To `post_logout_redirect_uri`.', headers: ['Location', 'Set-Cookie'] },
    },
    errors: [
      ...(['authorize.client_unknown', 'authorize.sign_in_not_enabled'] as const),
      ...(['logout.hint_invalid', 'logout.client_differs', 'logout.redirect_uri_unknown'] as const),
      ...(['signin.malformed_parameters', 'signin.repeated_parameter'] as const),
      ...(['signin.parameter_required', 'store.unreachable'] as const),
    ],
  } as const;
  const perMinute = requestsPerMinute(rateLimits.page, 'rateLimits.page');
  const limits = [`The parameters have at most ${MAX_PARAMETER_BYTES} bytes.`, ...perMinute];
  const mediaType = 'application/x-www-form-urlencoded';
  const names = Object.keys(SCHEMAS);
  return [
    {
      ...shared,
      id: 'signOut',
      method: 'GET',
      paths: [path],
      summary: 'Sign out of an app',
      limits,
      parameters: Object.entries(SCHEMAS).map(([name, { description = '', ...schema }]) => ({
        name,
        in: 'query',
        required: false,
        description: String(description),
        schema,
        ...(name === 'client_id' ? { example: client_id } : {}),
      })),
      errors: [...shared.errors, 'authorize.query_too_large'],
    },
    {
      ...shared,
      id: 'signOutByForm',
      method: 'POST',
      paths: [path],
      limits,
      summary: 'Sign out of an app with a form',
      body: {
        mediaType,
        schema: objectOf(SCHEMAS, names),
        isOptional: true,
        examples: { app: { summary: 'Of one app', value: { client_id } } },
      },
      errors: [...shared.errors, 'signin.not_a_form'],
    },
    {
      ...shared,
      id: 'confirmSignOut',
      method: 'POST',
      paths: [`${path}/confirm`],
      summary: 'Sign out, as the person has confirmed',
      description: 'Only the page itself may send it: `Origin` or `Sec-Fetch-Site` must say so.',
      limits: [bodyOfAtMost(CONFIRM_LIMIT_BYTES), ...perMinute],
      body: {
        mediaType,
        schema: objectOf({ request: described('The request that the page carries.', TEXT) }, ['request']),
        examples: { app: { summary: 'Of one app', value: { request: `client_id=${client_id}` } } },
      },
      errors: [...shared.errors, 'logout.foreign_origin', 'signin.not_a_form'],
    },
  ];
}
