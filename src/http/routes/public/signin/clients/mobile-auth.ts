import { basePathOf } from '../../../../../config/values/public-address.ts';
import type { WalletSignIn } from '../../../../../oidc/mobile-auth/index.ts';
import { renderSigninError } from '../../../../errors/signin.ts';
import type { RateGuard, Route } from '../../../../exchange/exchange-types.ts';
import { requireJson } from '../../../../headers/media-type.ts';
import { locationOf } from '../authorize/authorization-answer.ts';
import { NO_STORE } from '../endpoint-rules.ts';

/** What the route needs of the rest of the service. */
export interface MobileAuthParts {
  /** Public address of the service. */
  readonly baseUrl: string;
  /** `createWalletSignIn`. */
  readonly signIn: (body: Uint8Array, address: string) => Promise<WalletSignIn>;
  /** `rateLimits.authorize`, the guard of /authorize itself: both begin a sign-in; undefined when it is 0. */
  readonly rateGuard: RateGuard | undefined;
  /** Refuses while the store is down; throws. */
  readonly admit?: NonNullable<Route['admit']>;
}

// spec/sign-in.md#mobile-sign-in
const MAX_BODY_BYTES = 40_960;

/** `POST {base_path}/v1/mobile-auth`: the address that the wallet opens. Errors are JSON, whatever `Accept` says. */
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
    async handler({ body, addressKey }) {
      const { clientId, response } = await signIn(body, addressKey);
      return {
        status: 200,
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ redirect_uri: locationOf(response) }),
        clientId,
      };
    },
  };
}
