import type { AddressKeysOf } from '../../../../../apps/address-keys.ts';
import type { Clients } from '../../../../../apps/clients.ts';
import type { Config } from '../../../../../config/settings/types.ts';
import type { Log } from '../../../../../observability/log/log.ts';
import type { Metrics } from '../../../../../observability/metrics/metrics.ts';
import type { AccessTokens } from '../../../../../oidc/access-tokens.ts';
import type { ReadRequestParts } from '../../../../../oidc/authorize/read-request.ts';
import type { Dpop } from '../../../../../oidc/dpop/check-proof.ts';
import type {
  AnswerFacts,
  CallerLimits,
  ClientAuthentication,
  ClientCall,
} from '../../../../../oidc/endpoints/authenticate-client.ts';
import { parseParameters } from '../../../../../oidc/parameters.ts';
import type { TokenIssuer } from '../../../../../oidc/token-issuer.ts';
import type { GrantStore } from '../../../../../storage/signin/grants.ts';
import type { PushedRequestStore } from '../../../../../storage/signin/pushed-requests.ts';
import type { RefreshTokenStore } from '../../../../../storage/signin/refresh-families.ts';
import { renderSigninError } from '../../../../errors/signin.ts';
import type { HttpRequest, HttpResponse, Route } from '../../../../exchange/exchange-types.ts';
import type { CorsPolicy } from '../../../../headers/cors.ts';
import { requireForm } from '../../../../headers/request-headers.ts';
import type { Limits } from '../../../../limits/limits.ts';
import { FORM_LIMIT_BYTES, limitAuthorization, NO_STORE, proofHeaderOf } from '../endpoint-rules.ts';
import type { CallerGuard } from './caller-guard.ts';

/** An endpoint to which clients post a form. */
export interface ClientEndpoint {
  /** Path below that of `baseUrl`. */
  readonly path: string;
  /** `rateLimits.*` of the endpoint; 0 is off. */
  readonly perMinute: number;
  /** Largest body; `FORM_LIMIT_BYTES` if absent. */
  readonly bodyLimitBytes?: number;
  /** Whether pages call the endpoint; if not, OPTIONS is refused. */
  readonly isForPages: boolean;
  readonly answer: (call: ClientCall) => Promise<HttpResponse>;
}

/**
 * Builds a `POST` route for forms of clients: rate limit, content type, size and parsing come before the checks of the
 * endpoint.
 */
export function clientRoute(
  { basePath, corsOf, guardOf, admit }: ClientEndpointParts,
  { path, perMinute, bodyLimitBytes = FORM_LIMIT_BYTES, isForPages, answer }: ClientEndpoint,
): Route {
  const guard = guardOf(path, perMinute);
  return {
    method: 'POST',
    path: `${basePath}${path}`,
    bodyLimitBytes,
    headers: NO_STORE,
    ...(isForPages ? { cors: corsOf(['POST']) } : { refusesOptions: true }),
    ...(admit === undefined ? {} : { admit }),
    async checkHead(request) {
      const limits = await guard.begin(request.address);
      request.context.limits = limits;
      await withinLimits(limits, () => {
        requireForm(request.headers);
        limitAuthorization(request);
      });
    },
    renderError: renderSigninError,
    async handler(request) {
      const limits = request.context.limits ?? (await guard.begin(request.address));
      return await withinLimits(limits, () => answer(callOf(request, limits)));
    },
  };
}

/** Does the work of a call; a fault of a caller that is over its limit is answered as that. */
async function withinLimits<T>(limits: CallerLimits, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    limits.refuseStranger();
    throw error;
  }
}

/** Returns a JSON answer to the client of a call, with the nonce for its next proof of possession if it needs one. */
export function answerTo({ client, nonce }: AnswerFacts, body: object, status = 200): HttpResponse {
  return {
    status,
    headers: {
      'Content-Type': 'application/json',
      ...(nonce === undefined ? {} : { 'DPoP-Nonce': nonce() }),
    },
    body: JSON.stringify(body),
    ...(client === undefined ? {} : { clientId: client }),
  };
}

function callOf(request: HttpRequest, limits: CallerLimits): ClientCall {
  const { headers, body, address, requestId, context } = request;
  const parameters = parseParameters(body);
  const authorization = headers.get('authorization');
  const call = { authorization, parameters, address, requestId, facts: context, limits };
  return { ...call, ...proofHeaderOf(request) };
}

/** Parts of the service that the endpoints for clients need. */
export interface TokenRoutesParts extends ReadRequestParts {
  readonly config: Pick<Config, 'baseUrl' | 'claims' | 'signin' | 'rateLimits' | 'http'>;
  readonly clients: Clients;
  readonly grants: Pick<GrantStore, 'useCode' | 'revoke'>;
  readonly refreshTokens: Pick<RefreshTokenStore, 'find' | 'rotate' | 'end'>;
  readonly tokens: TokenIssuer;
  readonly dpop: Dpop;
  readonly accessTokens: Pick<AccessTokens, 'validate'>;
  readonly pushedRequests: Pick<PushedRequestStore, 'add'>;
  readonly addressKeys: AddressKeysOf;
  readonly limits: Limits;
  readonly metrics: Pick<
    Metrics,
    'clientAuthFailuresTotal' | 'codeReplayTotal' | 'refreshTokenReplayTotal' | 'tokenIssuedTotal'
  >;
  readonly log: Pick<Log, 'warn'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Throws to refuse while the store is down. */
  readonly admit?: NonNullable<Route['admit']>;
}

/** `TokenRoutesParts` and the parts that the endpoints share. */
export interface ClientEndpointParts extends TokenRoutesParts {
  readonly authentication: ClientAuthentication;
  /** Path of `baseUrl`. */
  readonly basePath: string;
  readonly corsOf: (methods: readonly string[]) => CorsPolicy;
  /** Creates the guard of an endpoint from its path and its `rateLimits.*`. */
  readonly guardOf: (path: string, perMinute: number) => CallerGuard;
}
