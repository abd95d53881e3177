import { renderAdminError } from '../../errors/admin.ts';
import type { HttpResponse, Route } from '../../exchange/exchange-types.ts';
import { clientAsset, createAssets } from '../../pages/assets.ts';
import { renderPage, TOOL_PAGE_HEADERS } from '../../pages/render-page.ts';
import { faviconAsset } from '../../pages/site-assets.ts';
import { errorPageRoute } from './error-page.ts';

/** Body before the script runs; contains nothing about the service, since it is readable without a token. */
const BODY = `<div id="dashboard"><noscript><main><h1>Proofgate</h1>
<p>The dashboard needs JavaScript. Without it, use the command line: <code>proofgate --help</code>.</p>
</main></noscript></div>`;

/**
 * Builds `GET /`, the dashboard for operators, its files, and the linked error catalogue. None needs a token: the page
 * calls the admin API with the token that the operator enters (spec/interfaces.md#dashboard).
 *
 * @throws ServiceError `page.not_built`
 */
export async function dashboardRoutes(): Promise<Route[]> {
  const assets = createAssets<'dashboard.js' | 'dashboard.css' | 'favicon.svg'>(
    '',
    await Promise.all([
      clientAsset('dashboard.js'),
      clientAsset('dashboard.css', ['dashboard-style.css']),
      faviconAsset(),
    ]),
    renderAdminError,
  );
  const urls = { styleUrl: assets.url('dashboard.css'), iconUrl: assets.url('favicon.svg') };
  const page: HttpResponse = {
    status: 200,
    headers: TOOL_PAGE_HEADERS,
    body: renderPage({
      ...urls,
      title: 'Proofgate',
      scriptUrl: assets.url('dashboard.js'),
      body: BODY,
    }),
  };
  return [
    {
      method: 'GET',
      path: '/',
      head: true,
      bodyLimitBytes: 0,
      refusesOptions: true,
      renderError: renderAdminError,
      handler: () => page,
    },
    { ...assets.route, refusesOptions: true },
    errorPageRoute(urls),
  ];
}
