import { basePathOf } from '../../config/values/public-address.ts';
import type { ErrorCode } from '../../errors/catalogue.ts';
import { MAX_PARAMETER_BYTES } from '../../http/routes/public/signin/endpoint-rules.ts';
import type { DocumentConfig, PublicOperation } from '../operation.ts';
import { bodyOfAtMost, described, limited, objectOf, requestsPerMinute, TEXT } from '../schemas.ts';
import {
  AUTHORIZE_REFUSALS,
  AUTHORIZE_REQUIRED,
  AUTHORIZE_SCHEMAS,
  exampleSignIn,
} from './authorize-parameters.ts';
import { CLIENT_FAULTS, FORM_FAULTS, failedAuthentications } from './oidc.ts';
import { CLIENT_CORS, NO_STORE, PROOF } from './user-info.ts';

const { request_uri: _, ...PUSHED_SCHEMAS } = AUTHORIZE_SCHEMAS;
/** Refusals only of requests sent by the browser. */
const DIRECT: readonly ErrorCode[] = ['authorize.request_uri_not_supported', 'authorize.push_required'];

/** Describes the endpoint for pushed authorization requests (spec/sign-in.md#pushed-requests). */
export function pushedRequestOperations(config: DocumentConfig): PublicOperation[] {
  if (!config.signin.enabled) return [];
  const { par } = config.rateLimits;
  const errors = new Set<ErrorCode>([
    ...FORM_FAULTS,
    ...CLIENT_FAULTS,
    ...AUTHORIZE_REFUSALS.filter((code) => !DIRECT.includes(code)),
    ...(['authorize.request_uri_pushed', 'transaction.too_many'] as const),
    ...(['transaction.too_many_of_client', 'transaction.too_many_of_network'] as const),
    ...(['dpop.invalid_proof', 'dpop.use_nonce'] as const),
  ]);
  return [
    {
      id: 'pushAuthorizationRequest',
      method: 'POST',
      paths: [`${basePathOf(config.baseUrl)}/par`],
      tag: 'Sign-in',
      summary: 'Push an authorization request',
      description:
        'RFC 9126. The app sends the parameters of `/authorize` itself, and the browser only the reference that it gets. A reference works once and for a short time. A proof of possession binds the code to its key (RFC 9449 section 10.1).',
      limits: [
        bodyOfAtMost(MAX_PARAMETER_BYTES),
        ...requestsPerMinute(par, 'rateLimits.par'),
        failedAuthentications(config),
      ],
      ...limited(par),
      security: 'clientSecret',
      parameters: [PROOF],
      body: {
        mediaType: 'application/x-www-form-urlencoded',
        schema: objectOf({ ...PUSHED_SCHEMAS, client_secret: TEXT }, [
          ...Object.keys(PUSHED_SCHEMAS).filter((name) => !AUTHORIZE_REQUIRED.includes(name)),
          'client_secret',
        ]),
        examples: { code: { summary: 'A request of a public client', value: exampleSignIn(config) } },
      },
      headers: [...NO_STORE, ...CLIENT_CORS, 'DPoP-Nonce'],
      success: {
        201: {
          description: 'The reference.',
          content: {
            'application/json': objectOf({
              request_uri: described('For `/authorize`, with the `client_id`.', TEXT),
              expires_in: described('Seconds.', { type: 'integer' }),
            }),
          },
        },
      },
      errorForm: 'signin',
      errors: [...errors],
    },
  ];
}
