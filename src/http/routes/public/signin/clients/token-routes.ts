import { basePathOf } from '../../../../../config/values/public-address.ts';
import { createClientAuthentication } from '../../../../../oidc/endpoints/authenticate-client.ts';
import { createIntrospection } from '../../../../../oidc/endpoints/introspect-token.ts';
import { createUserInfo } from '../../../../../oidc/endpoints/read-user-info.ts';
import { createRevocation } from '../../../../../oidc/endpoints/revoke-token.ts';
import { createTokenEndpoint } from '../../../../../oidc/endpoints/token-endpoint.ts';
import { createPush } from '../../../../../oidc/pushed-requests.ts';
import { renderSigninError } from '../../../../errors/signin.ts';
import type { Route } from '../../../../exchange/exchange-types.ts';
import {
  clientCors,
  FORM_LIMIT_BYTES,
  limitAuthorization,
  MAX_PARAMETER_BYTES,
  NO_STORE,
  proofHeaderOf,
} from '../endpoint-rules.ts';
import { createCallerGuards } from './caller-guard.ts';
import { answerTo, type ClientEndpointParts, clientRoute, type TokenRoutesParts } from './client-route.ts';

/**
 * Builds /par, /token, /userinfo, /introspect and /revoke (spec/sign-in.md#pushed-requests and
 * spec/sign-in.md#token-endpoint to spec/sign-in.md#revocation).
 */
export function tokenRoutes(parts: TokenRoutesParts): Route[] {
  const { config, clients, limits, metrics, log } = parts;
  const failures = limits.perMinute('rateLimits.clientAuthFailures', config.rateLimits.clientAuthFailures);
  const authentication = createClientAuthentication({
    clients,
    baseUrl: config.baseUrl,
    metrics,
    log,
    ...(failures === undefined ? {} : { countFailure: failures.consume }),
  });
  const shared: ClientEndpointParts = {
    ...parts,
    authentication,
    basePath: basePathOf(config.baseUrl),
    corsOf: (methods) => clientCors(clients, methods),
    guardOf: createCallerGuards(limits, config.rateLimits.clientCalls),
  };
  return [
    pushedRequestRoute(shared),
    tokenRoute(shared),
    ...userInfoRoutes(shared),
    introspectRoute(shared),
    revokeRoute(shared),
  ];
}

/** Builds `POST /token` (spec/sign-in.md#token-endpoint). */
function tokenRoute(parts: ClientEndpointParts): Route {
  const issue = createTokenEndpoint(parts);
  return clientRoute(parts, {
    path: '/token',
    perMinute: parts.config.rateLimits.token,
    isForPages: true,
    answer: async (call) => answerTo(call.facts, await issue(call)),
  });
}

/** Builds `POST /introspect` (spec/sign-in.md#introspection). */
function introspectRoute(parts: ClientEndpointParts): Route {
  const { config } = parts;
  const introspect = createIntrospection({
    ...parts,
    baseUrl: config.baseUrl,
    refusesInactive: config.signin.introspectionLegacy401,
  });
  return clientRoute(parts, {
    path: '/introspect',
    perMinute: config.rateLimits.introspect,
    isForPages: false,
    answer: async (call) => answerTo(call.facts, await introspect(call)),
  });
}

/** Builds `POST /revoke` (spec/sign-in.md#revocation). */
function revokeRoute(parts: ClientEndpointParts): Route {
  const revoke = createRevocation(parts);
  return clientRoute(parts, {
    path: '/revoke',
    perMinute: parts.config.rateLimits.revoke,
    isForPages: true,
    async answer(call) {
      await revoke(call);
      const { client } = call.facts;
      return { status: 200, ...(client === undefined ? {} : { clientId: client }) };
    },
  });
}

/** Builds `POST /par` (spec/sign-in.md#pushed-requests). */
function pushedRequestRoute(parts: ClientEndpointParts): Route {
  const push = createPush(parts);
  return clientRoute(parts, {
    path: '/par',
    perMinute: parts.config.rateLimits.par,
    bodyLimitBytes: MAX_PARAMETER_BYTES,
    isForPages: true,
    answer: async (call) => answerTo(call.facts, await push(call), 201),
  });
}

/** Builds `GET` and `POST /userinfo` (spec/sign-in.md#user-information). A body is read and ignored. */
function userInfoRoutes(parts: ClientEndpointParts): Route[] {
  const proofs = parts.limits.perMinute('/userinfo', parts.config.rateLimits.token);
  const readUserInfo = createUserInfo({
    ...parts,
    ...(proofs === undefined ? {} : { countProof: ({ sub, clientId }) => proofs.consume(sub, clientId) }),
  });
  const cors = parts.corsOf(['GET', 'POST']);
  return (['GET', 'POST'] as const).map((method) => ({
    method,
    path: `${parts.basePath}/userinfo`,
    bodyLimitBytes: FORM_LIMIT_BYTES,
    headers: NO_STORE,
    cors,
    ...(parts.admit === undefined ? {} : { admit: parts.admit }),
    checkHead: limitAuthorization,
    renderError: renderSigninError,
    async handler(request) {
      const authorization = request.headers.get('authorization');
      const { context } = request;
      const call = { method, authorization, facts: context, ...proofHeaderOf(request) };
      return answerTo(context, await readUserInfo(call));
    },
  }));
}
