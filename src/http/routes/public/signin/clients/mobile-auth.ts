import { basePathOf } from '../../../../../config/values/public-address.ts';
import type { WalletSignIn } from '../../../../../oidc/mobile-auth.ts';
import { renderSigninError } from '../../../../errors/signin.ts';
import type { RateGuard, Route } from '../../../../exchange/exchange-types.ts';
import { requireJson } from '../../../../headers/request-headers.ts';
import { locationOf } from '../authorize/authorization-answer.ts';
import { NO_STORE } from '../endpoint-rules.ts';
import { answerTo } from './client-route.ts';

/** Parts of the service that the route needs. */
export interface MobileAuthParts {
  /** Public address of the service. */
  readonly baseUrl: string;
  /** `createWalletSignIn`. */
  readonly signIn: WalletSignIn;
  /**
   * Guard of `rateLimits.authorize`, shared with /authorize, since both begin a sign-in; undefined if the
   * setting is 0.
   */
  readonly rateGuard: RateGuard | undefined;
  /** Throws to refuse while the store is down. */
  readonly admit?: NonNullable<Route['admit']>;
}

/** Largest body (spec/sign-in.md#size-limits). */
export const MAX_BODY_BYTES = 40_960;

/**
 * Builds `POST {base_path}/v1/mobile-auth`, which returns the address for the wallet to open. Errors are always JSON.
 */
export function mobileAuthRoute({ baseUrl, signIn, rateGuard, admit }: MobileAuthParts): Route {
  return {
    method: 'POST',
    path: `${basePathOf(baseUrl)}/v1/mobile-auth`,
    bodyLimitBytes: MAX_BODY_BYTES,
    headers: NO_STORE,
    refusesOptions: true,
    ...(admit === undefined ? {} : { admit }),
    ...(rateGuard === undefined ? {} : { rateGuard }),
    checkHead: ({ headers }) => requireJson(headers),
    renderError: renderSigninError,
    async handler({ body, addressKey, context }) {
      const response = await signIn(body, addressKey, context);
      return answerTo(context, { redirect_uri: locationOf(response) });
    },
  };
}
