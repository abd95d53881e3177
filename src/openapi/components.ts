import type { HeaderName, Json } from './operation.ts';
import { described, OPTIONAL_TEXT, objectOf, TEXT } from './schemas.ts';

const header = (description: string, schema: Json = TEXT): Json => ({ description, schema });

/** All headers of answers except those of the connection and of the body (RFC 9110). */
export const HEADERS: Readonly<Record<HeaderName, Json>> = {
  'Access-Control-Allow-Origin': header('Origins whose pages may read the answer.'),
  'Access-Control-Expose-Headers': header('Headers that such pages may read.'),
  'Cache-Control': header('Whether and how long the answer may be kept.'),
  'Content-Language': header('Language of the page.'),
  'Content-Security-Policy': header('What the page may load and do.'),
  'Cross-Origin-Opener-Policy': header('Whether pages that opened this one can reach it.'),
  'DPoP-Nonce': header('Nonce for the next proof of possession (RFC 9449 section 8).'),
  ETag: header('Version of the file, for If-None-Match.'),
  Location: header('Where the browser goes next.'),
  Pragma: header('`no-cache`, for clients of HTTP/1.0.'),
  'Referrer-Policy': header('`no-referrer`: the address is told to no other site.'),
  'Retry-After': header('Seconds after which the request may succeed.', { type: 'integer', minimum: 1 }),
  'Set-Cookie': header('Cookie of the sign-in; an empty one removes it.'),
  'Strict-Transport-Security': header('Present where `baseUrl` is https.'),
  Vary: header('Headers of the request that the answer depends on.'),
  'WWW-Authenticate': header('How to authenticate.'),
  'X-Content-Type-Options': header('`nosniff`.'),
  'X-Frame-Options': header('`DENY`: the page is shown in no frame.'),
  'X-Request-Id': header('Id of the request, which the log has, too.', {
    type: 'string',
    pattern: '^[A-Za-z0-9._-]{8,64}$',
  }),
  'X-Robots-Tag': header('`noindex`: search engines leave the page out.'),
};

/** Headers of every answer. */
export const EVERY_HEADER: readonly HeaderName[] = [
  'X-Request-Id',
  'X-Content-Type-Options',
  'Strict-Transport-Security',
];

/** Bodies of errors by interface. */
export const ERROR_SCHEMAS: Readonly<Record<'verify' | 'refresh' | 'signin', readonly [name: string, Json]>> =
  {
    verify: [
      'VerifyError',
      objectOf(
        {
          success: { const: false },
          code: described('Stable code.', TEXT),
          detail: described('What is wrong, for a person.', TEXT),
          attribute: described('The member of the request that is wrong.', OPTIONAL_TEXT),
          app_id: described('The app, once it is known.', TEXT),
          results: described('Every item with its own verdict, if all failed.', { type: 'array' }),
        },
        ['app_id', 'results'],
      ),
    ],
    refresh: [
      'RefreshError',
      objectOf(
        {
          success: { const: false },
          error: described('Stable code; absent only while refresh is disabled.', TEXT),
          message: described('What is wrong, for a person.', TEXT),
        },
        ['error'],
      ),
    ],
    signin: [
      'SignInError',
      objectOf({
        error: described('A value that OAuth or OpenID Connect registered.', TEXT),
        error_description: described('What is wrong, for a person.', TEXT),
        code: described('Stable code.', TEXT),
        detail: described('Equal to `error_description`.', TEXT),
        attribute: described('The parameter that is wrong.', OPTIONAL_TEXT),
      }),
    ],
  };

/** Security schemes by name. */
export const SECURITY_SCHEMES: Json = {
  clientSecret: {
    type: 'http',
    scheme: 'basic',
    description:
      'Client id and secret of an app. They may be sent as `client_id` and `client_secret` of the form instead; a public client sends only its `client_id`.',
  },
  appToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'Id of an app, a dot, and a client secret of it: `app_….sk_…`.',
  },
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    description:
      'Access token of a sign-in. One that is bound to a key has scheme `DPoP` instead, and a proof.',
  },
  transaction: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-pg_txn',
    description:
      'Cookie that `/authorize` sets for one sign-in; its name ends with `_` and the first 16 characters of the id of the sign-in.',
  },
};
