import { createPush } from '../../../../../oidc/pushed-requests.ts';
import type { Route } from '../../../../exchange/exchange-types.ts';
import { MAX_PARAMETER_BYTES } from '../endpoint-rules.ts';
import { answerTo, type ClientEndpointParts, clientRoute } from './client-route.ts';

/** Builds `POST /par` (spec/sign-in.md#pushed-requests). */
export function pushedRequestRoute(parts: ClientEndpointParts): Route {
  const push = createPush(parts);
  return clientRoute({
    ...(parts.admit === undefined ? {} : { admit: parts.admit }),
    path: `${parts.basePath}/par`,
    perMinute: parts.config.rateLimits.par,
    bodyLimitBytes: MAX_PARAMETER_BYTES,
    cors: parts.corsOf(['POST']),
    answer: async (call) => answerTo(call.facts, await push(call), 201),
  });
}
