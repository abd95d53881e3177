import { createUserInfo } from '../../../../../oidc/endpoints/read-user-info.ts';
import { renderSigninError } from '../../../../errors/signin.ts';
import type { Route } from '../../../../exchange/exchange-types.ts';
import { perMinuteGuard } from '../../../../limits/rate-limit.ts';
import { FORM_LIMIT_BYTES, limitAuthorization, NO_STORE, proofHeaderOf } from '../endpoint-rules.ts';
import { answerTo, type ClientEndpointParts } from './client-route.ts';

/** Builds `GET` and `POST /userinfo` (spec/sign-in.md#user-information). A body is read and ignored. */
export function userInfoRoutes(parts: ClientEndpointParts): Route[] {
  const proofs = perMinuteGuard(parts.config.rateLimits.token);
  const readUserInfo = createUserInfo({
    ...parts,
    ...(proofs === undefined ? {} : { countProof: proofs.consume }),
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
      const { address, context } = request;
      const call = { method, authorization, address, facts: context, ...proofHeaderOf(request) };
      return answerTo(context, await readUserInfo(call));
    },
  }));
}
