import { failuresPerMinuteGuard, type PrefixFallback, perMinuteGuard, type Route } from '../http/index.ts';
import type { Site } from '../http/pages/index.ts';
import { authorizeFallback, authorizeRoutes } from '../http/routes/public/signin/authorize.ts';
import { discoveryRoutes } from '../http/routes/public/signin/discovery.ts';
import { renderSigninPageError } from '../http/routes/public/signin/error-page.ts';
import { mobileAuthRoute } from '../http/routes/public/signin/mobile-auth.ts';
import { createStatusGuard } from '../http/routes/public/signin/status-guard.ts';
import { tokenRoutes } from '../http/routes/public/signin/token-routes.ts';
import { transactionRoutes } from '../http/routes/public/signin/transaction-routes.ts';
import type { Signin, SigninParts } from './signin.ts';
import { storeGuard } from './store-guard.ts';

/** Routes, and who answers for unknown paths among them. */
export interface SigninRoutes {
  readonly routes: readonly Route[];
  readonly fallbacks: readonly PrefixFallback[];
}

/** The routes of sign-in (signin.md section 5). */
export function signinRoutes(signin: Signin, parts: SigninParts, site: Site): SigninRoutes {
  const { config, store, apps, metrics, log, now } = parts;
  const { baseUrl, rateLimits } = config;
  const { clients, transactions, tokens, accessTokens, signingKeys, signInByWallet } = signin;
  const rateGuard = perMinuteGuard(rateLimits.authorize);
  const admit = storeGuard(store);
  const renderError = renderSigninPageError(site);
  const routes = [
    ...discoveryRoutes({ config, keys: signingKeys }),
    ...authorizeRoutes({ config, clients, transactions, renderError, rateGuard, admit }),
    ...transactionRoutes({
      config,
      transactions,
      clients,
      apps,
      site,
      pageGuard: perMinuteGuard(rateLimits.page),
      statusGuard: createStatusGuard({
        perSignIn: perMinuteGuard(rateLimits.status),
        failures: failuresPerMinuteGuard(rateLimits.statusFailures),
      }),
      statusAddressGuard: perMinuteGuard(rateLimits.statusPerAddress),
      admit,
    }),
    ...tokenRoutes({ config, clients, grants: store.grants, tokens, accessTokens, metrics, log, now, admit }),
    mobileAuthRoute({ baseUrl, signIn: signInByWallet, rateGuard, admit }),
  ];
  return { routes, fallbacks: [authorizeFallback({ config, renderError })] };
}
