import type { Clients } from '../../../../apps/index.ts';
import type { Config } from '../../../../config/types.ts';
import { isServiceError, ServiceError } from '../../../../errors/index.ts';
import { checkAuthorization, oauthError, refusalResponse } from '../../../../oidc/authorize/index.ts';
import { type AuthorizationRequest, parseParameters } from '../../../../oidc/index.ts';
import type { Transactions } from '../../../../oidc/transaction/types.ts';
import type { AppRow } from '../../../../storage/index.ts';
import { basePathOf } from '../../../base-path.ts';
import type { ErrorRenderer, HttpResponse, RateGuard, Route } from '../../../exchange-types.ts';
import { requireForm } from '../../../media-type.ts';
import type { PrefixFallback } from '../../../server.ts';
import { answerOf, SIGNIN_HEADERS } from './authorization-answer.ts';
import { setTransactionCookie } from './set-transaction-cookie.ts';

/** What the routes need of the rest of the service. */
export interface AuthorizeParts {
  readonly config: Pick<Config, 'baseUrl'> & {
    readonly signin: Pick<Config['signin'], 'transactionTtlSeconds'>;
  };
  readonly clients: Pick<Clients, 'find'>;
  readonly transactions: Pick<Transactions, 'begin'>;
  /** Of the pages of sign-in: `renderSigninPageError`. */
  readonly renderError: ErrorRenderer;
  /** `rateLimits.authorize`, one guard for both methods; undefined when it is 0. */
  readonly rateGuard: RateGuard | undefined;
  /** Refuses while the store is down; throws. */
  readonly admit?: NonNullable<Route['admit']>;
}

// signin.md section 3, "Sizes"
const MAX_PARAMETER_BYTES = 32_768;

/** `GET` and `POST {base_path}/authorize` (signin.md 5.3). */
export function authorizeRoutes(parts: AuthorizeParts): Route[] {
  const { config, renderError, rateGuard, admit } = parts;
  const shared = {
    path: `${basePathOf(config.baseUrl)}/authorize`,
    headers: SIGNIN_HEADERS,
    refusesOptions: true,
    renderError,
    ...(rateGuard === undefined ? {} : { rateGuard }),
    ...(admit === undefined ? {} : { admit }),
  };
  return [
    {
      ...shared,
      method: 'GET',
      bodyLimitBytes: 0,
      handler: ({ query }) => {
        if (Buffer.byteLength(query) > MAX_PARAMETER_BYTES) {
          throw new ServiceError('authorize.query_too_large');
        }
        return authorize(query, parts);
      },
    },
    {
      ...shared,
      method: 'POST',
      bodyLimitBytes: MAX_PARAMETER_BYTES,
      checkHead: ({ headers }) => requireForm(headers),
      handler: ({ body }) => authorize(body, parts),
    },
  ];
}

/** How unknown paths below `/authorize` are answered: as its errors are. */
export function authorizeFallback({
  config,
  renderError,
}: Pick<AuthorizeParts, 'config' | 'renderError'>): PrefixFallback {
  return { prefix: `${basePathOf(config.baseUrl)}/authorize/`, headers: SIGNIN_HEADERS, renderError };
}

async function authorize(source: string | Uint8Array, parts: AuthorizeParts): Promise<HttpResponse> {
  const { config, clients } = parts;
  const check = await checkAuthorization(parseParameters(source), clients, config.baseUrl);
  if (check.kind === 'accepted') return begin(check.client, check.request, parts);
  return { ...answerOf(check.response), clientId: check.client.appId, logCode: check.code };
}

/** Step 14 of signin.md 5.3, then the page of the new sign-in. */
async function begin(
  client: AppRow,
  request: AuthorizationRequest,
  { config, transactions }: AuthorizeParts,
): Promise<HttpResponse> {
  const { baseUrl, signin } = config;
  try {
    const { txn, cookie } = await transactions.begin(client, request);
    return {
      status: 303,
      headers: {
        ...SIGNIN_HEADERS,
        Location: `${baseUrl}/authorize/${txn}`,
        'Set-Cookie': setTransactionCookie({
          txn,
          cookie,
          baseUrl,
          maxAgeSeconds: signin.transactionTtlSeconds,
        }),
      },
      clientId: client.appId,
    };
  } catch (error) {
    const oauth = isServiceError(error, 'transaction.too_many') ? oauthError(error) : undefined;
    if (!isServiceError(error) || oauth === undefined) throw error;
    const response = refusalResponse(request, oauth.error, oauth.description, baseUrl);
    return { ...answerOf(response), clientId: client.appId, logCode: error.code };
  }
}
