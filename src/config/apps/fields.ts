import type { JsonSchema } from '../../json.ts';
import { NAME_PATTERN, NAME_RULE } from '../../text.ts';
import { CLIENT_ID_PATTERN, RP_ID_PATTERN } from './app-forms.ts';
import type { FieldRule } from './field-rule.ts';
import { POLICY_RULE } from './policy.ts';
import { MAX_REDIRECT_URI_CHARACTERS } from './redirect-uri.ts';

/**
 * Response types that a client may use (spec/sign-in.md#response-types), each with its words in canonical
 * order.
 */
export const RESPONSE_TYPES = [
  'code',
  'id_token',
  'id_token token',
  'code id_token',
  'code token',
  'code id_token token',
] as const;
/** Response type that a client may use. */
export type ResponseType = (typeof RESPONSE_TYPES)[number];

/** Authentication methods of clients at the token endpoint; `none` is a public client. */
export const AUTH_METHODS = ['client_secret_basic', 'client_secret_post', 'none'] as const;

/** Kinds of client: a native one may have private schemes and any port of a loopback address. */
export const APPLICATION_TYPES = ['web', 'native'] as const;

/** States of an app as a relying party of verification, in the order of the messages that list them. */
export const VERIFICATION_STATES = ['none', 'pending', 'registered', 'failed', 'deactivated'] as const;

/** States of an app: requests are answered only while `active`. */
export const STATUSES = ['active', 'disabled'] as const;

/** How a client ties its people to sessions of World ID 4.0 (spec/sign-in.md#bindings), the strongest first. */
export const BINDINGS = ['bound', 'paired', 'session'] as const;

/** How a person is tied to a session. */
export type Binding = (typeof BINDINGS)[number];

/** Forms of the placeholder address of a person (spec/sign-in.md#placeholder-addresses). */
export const EMAIL_FORMS = ['long', 'short'] as const;

/** Form of the placeholder address of a person. */
export type EmailForm = (typeof EMAIL_FORMS)[number];

/** Maximum number of redirect URIs of a client. */
export const MAX_REDIRECT_URIS = 50;
/** Maximum number of origins of a client besides those of its redirect URIs. */
export const MAX_ALLOWED_ORIGINS = 50;
// A host name has 253 at most.
const MAX_ORIGIN_CHARACTERS = 320;
/** Maximum number of clients whose tokens a client may introspect. */
export const MAX_INTROSPECTED_CLIENTS = 100;
/** Maximum length of a name. */
export const MAX_NAME_CHARACTERS = 64;

const URI: JsonSchema = { type: 'string', minLength: 1, maxLength: MAX_REDIRECT_URI_CHARACTERS };

function oneOf<const T extends string>(
  title: string,
  choices: readonly T[],
  description: string,
): FieldRule<T> {
  return {
    schema: { type: 'string', enum: choices, title, description },
    expected: `one of ${choices.join(', ')}`,
  };
}

function boolean(title: string, description: string): FieldRule<boolean> {
  return { schema: { type: 'boolean', title, description }, expected: 'true or false' };
}

function uris(title: string, description: string): FieldRule<readonly string[]> {
  return {
    schema: { type: 'array', maxItems: MAX_REDIRECT_URIS, uniqueItems: true, items: URI, title, description },
    expected: `at most ${MAX_REDIRECT_URIS} different URIs of at most ${MAX_REDIRECT_URI_CHARACTERS} characters`,
  };
}

function rule<T>(schema: JsonSchema, expected: string): FieldRule<T> {
  return { schema, expected };
}

/**
 * The one table of the fields of an app that an operator sets (spec/sign-in.md#client-fields), spelled as in the
 * configuration file and on the wire: options of commands, admin API, form of the dashboard and `AppFields` follow from it.
 * A title is the label of the field in the form. How a field of sign-in is kept is in `client-of.ts`.
 */
export const APP_FIELDS = {
  client_id: rule<string>(
    {
      type: 'string',
      pattern: CLIENT_ID_PATTERN,
      title: 'app_id',
      description: 'The app_id; the prefix app_staging_ selects the staging trees in sign-in.',
    },
    'app_ or app_staging_ and 32 lower-case hex digits',
  ),
  rp_id: rule<string>(
    {
      type: 'string',
      pattern: RP_ID_PATTERN,
      title: 'rp_id',
      description:
        'Id as a relying party, if it is registered under another than the one that follows from the client_id: rp_ and 16 hex digits. Requests to verify name the app by it.',
    },
    'rp_ and 16 hex digits',
  ),
  name: rule<string>(
    {
      type: 'string',
      minLength: 1,
      maxLength: MAX_NAME_CHARACTERS,
      pattern: NAME_PATTERN,
      title: 'Name',
      description: 'Name that people see; the client_id if absent.',
    },
    `1 to ${MAX_NAME_CHARACTERS} characters ${NAME_RULE}`,
  ),
  redirect_uris: uris(
    'Redirect URIs',
    'URIs to which sign-in may redirect, compared byte for byte; without one, the app only verifies proofs.',
  ),
  response_types: rule<readonly (typeof RESPONSE_TYPES)[number][]>(
    {
      type: 'array',
      minItems: 1,
      maxItems: RESPONSE_TYPES.length,
      uniqueItems: true,
      items: { type: 'string', enum: RESPONSE_TYPES },
      title: 'Response types',
      description:
        'Response types that sign-in may use. If absent: in a new app of the production profile code alone, else all six, of which a session answers code alone without asking.',
    },
    `one or more of ${RESPONSE_TYPES.map((type) => `"${type}"`).join(', ')}, each once`,
  ),
  token_endpoint_auth_method: oneOf(
    'Client authentication',
    AUTH_METHODS,
    'client_secret_basic if absent; a client with a secret may use either of the first two, none is a public client.',
  ),
  application_type: oneOf(
    'Application type',
    APPLICATION_TYPES,
    'web if absent; a native client may have private schemes and any port of a loopback address.',
  ),
  allow_short_scheme: boolean(
    'Allow schemes without a dot',
    'Lets a native client have private schemes such as myapp://callback. Any other app of the device may claim such a scheme and receive what is sent to it (RFC 8252 section 8.6): the client must use PKCE then, and receives codes alone there.',
  ),
  allowed_origins: rule<readonly string[]>(
    {
      type: 'array',
      maxItems: MAX_ALLOWED_ORIGINS,
      uniqueItems: true,
      items: { type: 'string', pattern: '^[^\\u0000-\\u001f]+$', maxLength: MAX_ORIGIN_CHARACTERS },
      title: 'Origins of pages',
      description:
        'Origins whose pages may call the endpoints for clients, besides those of the redirect URIs: for installed apps whose pages have an origin of their own, such as capacitor://localhost.',
    },
    `at most ${MAX_ALLOWED_ORIGINS} different origins of at most ${MAX_ORIGIN_CHARACTERS} characters`,
  ),
  require_pkce: boolean(
    'Require PKCE',
    'Refuses a code flow without PKCE; public clients always need it. If absent, true in a new app of the production profile, else false.',
  ),
  signal_is_nonce: boolean(
    'Nonce as the signal',
    'The proof carries the nonce as its signal, for wallets that intercept the link.',
  ),
  refresh_tokens: boolean('Refresh tokens', 'Issues refresh tokens to people who agree to offline_access.'),
  require_pushed_authorization_requests: boolean(
    'Require pushed requests',
    'Refuses an authorization request that was not pushed to /par (RFC 9126).',
  ),
  dpop_bound_access_tokens: boolean(
    'Require DPoP',
    'Refuses a token request without a DPoP proof (RFC 9449).',
  ),
  introspects: rule<readonly string[]>(
    {
      type: 'array',
      maxItems: MAX_INTROSPECTED_CLIENTS,
      uniqueItems: true,
      items: { type: 'string', pattern: CLIENT_ID_PATTERN },
      title: 'Clients whose tokens it may introspect',
      description:
        'Ids of other clients whose tokens this client may ask about at /introspect, where it learns their sub: an API that is called with the tokens of apps of the same operator.',
    },
    `at most ${MAX_INTROSPECTED_CLIENTS} different client ids, each app_ or app_staging_ and 32 lower-case hex digits`,
  ),
  email_form: oneOf(
    'Form of the e-mail address',
    EMAIL_FORMS,
    'Form of the placeholder address in the claim email. long is the sub, with 66 characters before the @, which Keycloak, Hibernate Validator, validator.js and joi refuse; short has 33 and is accepted. A change gives every person another address, which a relying party may take for another person. signin.emailForm if absent in a new app, else long.',
  ),
  binding: oneOf(
    'Binding of World ID 4.0',
    BINDINGS,
    'How a sign-in with World ID 4.0 ties a person to the session by which the person returns: by one bound proof, by a pair of proofs for wallets that cannot bind, or by the session alone, of which one person may have many. bound if absent.',
  ),
  link_world_ids: boolean(
    'Link World ID 3.0 and 4.0',
    'Lets a person add World ID 3.0 to 4.0, or the reverse, in the same sign-in: both are one sub then. Nothing in the proofs shows that both are of one person; two people can share a sub.',
  ),
  post_logout_redirect_uris: uris(
    'URIs after sign-out',
    'URIs to which sign-out may redirect, compared byte for byte.',
  ),
  backchannel_logout_uri: rule<string | null>(
    {
      type: ['string', 'null'],
      minLength: 1,
      maxLength: MAX_REDIRECT_URI_CHARACTERS,
      title: 'Back-channel logout',
      description: 'Address that is told when a session ends; none if absent or null.',
    },
    `a URI of at most ${MAX_REDIRECT_URI_CHARACTERS} characters, or null`,
  ),
  status: oneOf('Status', STATUSES, 'active if absent; requests of a disabled app are refused.'),
  verification: oneOf(
    'State as a relying party',
    VERIFICATION_STATES,
    'State as a relying party of verification, of which only registered lets the app verify proofs; registered if absent.',
  ),
  policy: POLICY_RULE,
};

/** Fields of an app. An absent member is unchanged, or takes its default in a new app. */
export type AppFields = {
  readonly [K in keyof typeof APP_FIELDS]?: (typeof APP_FIELDS)[K] extends FieldRule<infer T> ? T : never;
};
