import { parseParameters } from '../../../../oidc/parameters.ts';
import type { DemoCallbackConfig } from '../../../../pages.ts';
import { renderSigninError } from '../../../errors/signin.ts';
import type { HttpResponse, Route } from '../../../exchange/exchange-types.ts';
import { requireForm } from '../../../headers/media-type.ts';
import { pageHeaders } from '../../../pages/page-headers.ts';
import { renderPage } from '../../../pages/render-page.ts';
import { type DemoPageParts, demoBody } from './page.ts';

/** Parameters of an authorization response (spec/sign-in.md#authorization-response). */
const RESPONSE_PARAMETERS = [
  'error',
  'error_description',
  'code',
  'access_token',
  'token_type',
  'expires_in',
  'scope',
  'id_token',
  'state',
  'iss',
] as const;
/** Enough for two tokens, a code and a long state. */
export const DEMO_FORM_LIMIT_BYTES = 65_536;

/**
 * Builds `GET` and `POST /demo/callback`, where authorization responses arrive. The script reads query and
 * fragment; posted parameters are put into the page, since a script cannot see them.
 */
export function demoCallbackRoutes({ basePath, assets, config }: DemoPageParts): Route[] {
  const page = (pageConfig: DemoCallbackConfig): HttpResponse => ({
    status: 200,
    headers: { 'Content-Type': 'text/html; charset=utf-8' },
    body: renderPage({
      title: 'Back at the demo',
      styleUrl: assets.url('demo.css'),
      iconUrl: `${basePath}/favicon.ico`,
      scriptUrl: assets.url('demo-callback.js'),
      banner: 'development',
      body: demoBody(pageConfig),
    }),
  });
  const shared = {
    path: `${basePath}/demo/callback`,
    headers: pageHeaders(),
    renderError: renderSigninError,
  };
  return [
    { ...shared, method: 'GET', head: true, bodyLimitBytes: 0, handler: () => page(config) },
    {
      ...shared,
      method: 'POST',
      bodyLimitBytes: DEMO_FORM_LIMIT_BYTES,
      checkHead: ({ headers }) => requireForm(headers),
      handler: ({ body }) => page({ ...config, posted: postedParameters(body) }),
    },
  ];
}

function postedParameters(body: Uint8Array): (readonly [string, string])[] {
  const parameters = parseParameters(body);
  return RESPONSE_PARAMETERS.flatMap((name) => {
    const value = parameters.get(name);
    return value === undefined ? [] : [[name, value] as const];
  });
}
