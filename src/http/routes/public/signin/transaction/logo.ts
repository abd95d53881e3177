import type { Clients } from '../../../../../apps/clients.ts';
import { ServiceError } from '../../../../../errors/service-error.ts';
import type { AppStore } from '../../../../../storage/apps/apps.ts';
import { renderSigninError } from '../../../../errors/signin.ts';
import type { RateGuard, Route } from '../../../../exchange/exchange-types.ts';

/** Parts of the service that the logo route needs. */
export interface LogoParts {
  readonly basePath: string;
  readonly clients: Pick<Clients, 'find'>;
  readonly apps: Pick<AppStore, 'logo'>;
  /** Guard of the pages, since a logo is a read of the store. */
  readonly rateGuard: RateGuard | undefined;
}

// A logo changes by an operator's command. Caching for minutes saves a reload at the next sign-in.
const CACHE_CONTROL = 'public, max-age=300';

/** Returns the path of a client's logo, which is not below `/authorize`, where nothing is cached. */
export function logoUrl(basePath: string, clientId: string): string {
  return `${basePath}/signin/logo/${encodeURIComponent(clientId)}`;
}

/** Builds `GET /signin/logo/{client_id}`: the logo that is stored with a client. */
export function logoRoute({ basePath, clients, apps, rateGuard }: LogoParts): Route {
  return {
    method: 'GET',
    path: `${basePath}/signin/logo/:client_id`,
    head: true,
    bodyLimitBytes: 0,
    renderError: renderSigninError,
    ...(rateGuard === undefined ? {} : { rateGuard }),
    async handler({ params }) {
      const app = await clients.find(params.client_id ?? '');
      const logo = app?.status === 'active' && app.hasLogo ? await apps.logo(app.appId) : undefined;
      if (logo === undefined) throw new ServiceError('http.not_found');
      return {
        status: 200,
        headers: {
          'Content-Type': logo.contentType,
          'Cache-Control': CACHE_CONTROL,
          'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
        },
        body: logo.bytes,
      };
    },
  };
}
