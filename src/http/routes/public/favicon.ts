import { renderSigninError } from '../../errors/signin.ts';
import type { HttpResponse, Route } from '../../exchange/exchange-types.ts';
import { readIcon } from '../../pages/site-assets.ts';

const CACHE_CONTROL = 'public, max-age=86400';

/** Builds `GET /favicon.ico` at the origin, where browsers look by default, and below the base path. */
export async function faviconRoutes(basePath: string): Promise<Route[]> {
  const answer: HttpResponse = {
    status: 200,
    headers: { 'Content-Type': 'image/x-icon', 'Cache-Control': CACHE_CONTROL },
    body: await readIcon('favicon.ico'),
  };
  return [...new Set(['/favicon.ico', `${basePath}/favicon.ico`])].map((path) => ({
    method: 'GET',
    path,
    head: true,
    bodyLimitBytes: 0,
    renderError: renderSigninError,
    handler: () => answer,
  }));
}
