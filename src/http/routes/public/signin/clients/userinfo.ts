import { createUserInfo } from '../../../../../oidc/endpoints/index.ts';
import { renderSigninError } from '../../../../errors/signin.ts';
import type { Route } from '../../../../exchange/exchange-types.ts';
import { FORM_LIMIT_BYTES, limitAuthorization, NO_STORE } from '../endpoint-rules.ts';
import { answerTo, type ClientEndpointParts } from './client-route.ts';

/** Builds `GET` and `POST /userinfo` (spec/sign-in.md#user-information). A body is read and ignored. */
export function userInfoRoutes(parts: ClientEndpointParts): Route[] {
  const readUserInfo = createUserInfo(parts);
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
    async handler({ headers }) {
      const { clientId, claims } = await readUserInfo(headers.get('authorization'));
      return answerTo(clientId, claims);
    },
  }));
}
