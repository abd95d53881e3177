import type { Route } from '../../http/exchange/exchange-types.ts';
import type { Limits } from '../../http/limits/limits.ts';
import type { Site } from '../../http/pages/site.ts';
import { authorizeFallback, authorizeRoutes } from '../../http/routes/public/signin/authorize/authorize.ts';
import { renderSigninPageError } from '../../http/routes/public/signin/authorize/error-page.ts';
import { discoveryRoutes } from '../../http/routes/public/signin/clients/discovery.ts';
import { mobileAuthRoute } from '../../http/routes/public/signin/clients/mobile-auth.ts';
import { tokenRoutes } from '../../http/routes/public/signin/clients/token-routes.ts';
import { logoutRoutes } from '../../http/routes/public/signin/logout/logout-routes.ts';
import { createStatusGuard } from '../../http/routes/public/signin/transaction/status-guard.ts';
import { transactionRoutes } from '../../http/routes/public/signin/transaction/transaction-routes.ts';
import type { PrefixFallback } from '../../http/server.ts';
import { liveFamilies } from '../../oidc/refresh-tokens.ts';
import { storeGuard } from '../parts/health.ts';
import type { Signin, SigninParts } from '../parts/signin.ts';

/** Routes, and the fallbacks for unknown paths below them. */
export interface SigninRoutes {
  readonly routes: readonly Route[];
  readonly fallbacks: readonly PrefixFallback[];
}

/** Builds the routes of sign-in (spec/sign-in.md). */
export function signinRoutes(
  signin: Signin,
  parts: SigninParts & { readonly limits: Limits },
  site: Site,
): SigninRoutes {
  const { config, store, apps, addressKeys, limits, metrics, log, now } = parts;
  const { baseUrl, rateLimits } = config;
  const { clients, transactions, tokens, accessTokens, signingKeys, signInByWallet } = signin;
  const { readHint, issuers, answerFromSession, findRequest, dpop, signOut } = signin;
  const rateGuard = limits.perMinute('rateLimits.authorize', rateLimits.authorize);
  const pageGuard = limits.perMinute('rateLimits.page', rateLimits.page);
  const admit = storeGuard(store);
  const renderError = renderSigninPageError(site);
  const routes = [
    ...discoveryRoutes({ config, keys: signingKeys }),
    ...authorizeRoutes({
      config,
      clients,
      findRequest,
      readHint,
      issuers,
      answerFromSession,
      transactions,
      renderError,
      rateGuard,
      admit,
    }),
    ...transactionRoutes({
      config,
      transactions,
      clients,
      apps,
      site,
      pageGuard,
      statusGuard: createStatusGuard(
        {
          perSignIn: limits.perMinute('rateLimits.status', rateLimits.status),
          failures: limits.failuresPerMinute('rateLimits.statusFailures', rateLimits.statusFailures),
        },
        limits.known('signInPages'),
      ),
      statusAddressGuard: limits.perMinute('rateLimits.statusPerAddress', rateLimits.statusPerAddress),
      admit,
    }),
    ...tokenRoutes({
      config,
      clients,
      grants: store.grants,
      refreshTokens: liveFamilies(store.refreshTokens, config),
      pushedRequests: store.pushedRequests,
      tokens,
      accessTokens,
      dpop,
      readHint,
      issuers,
      addressKeys,
      limits,
      metrics,
      log,
      now,
      admit,
    }),
    ...(signOut === undefined
      ? []
      : logoutRoutes({ config, clients, readHint, signOut, site, pageGuard, admit })),
    mobileAuthRoute({ baseUrl, signIn: signInByWallet, rateGuard, admit }),
  ];
  return { routes, fallbacks: [authorizeFallback({ config, renderError })] };
}
