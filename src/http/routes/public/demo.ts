import type { Config } from '../../../config/settings/types.ts';
import { basePathOf } from '../../../config/values/public-address.ts';
import { DEMO_CLIENT_ID, DEMO_CLIENT_IDS, demoRedirectUri } from '../../../development/demo-client.ts';
import { parseParameters } from '../../../oidc/parameters.ts';
import type { CircuitStatus, DemoCallbackConfig, DemoConfig, DemoPageConfig } from '../../../pages.ts';
import { renderSigninError } from '../../errors/signin.ts';
import type { HttpResponse, Route } from '../../exchange/exchange-types.ts';
import { requireForm } from '../../headers/request-headers.ts';
import { clientAsset, createAssets } from '../../pages/assets.ts';
import { pageHeaders, scriptPage } from '../../pages/render-page.ts';
import { CIRCUIT_STATUS_PATH } from './wallet/calls.ts';

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

/** Parts of the service that the demo needs (spec/sign-in.md#demo). */
interface DemoParts {
  readonly config: Pick<Config, 'baseUrl' | 'verify' | 'signin'>;
  /** Returns the build status of the development circuit. */
  readonly circuit: () => Promise<CircuitStatus>;
}

/**
 * Builds the demo (spec/sign-in.md#demo): a relying party that runs in the browser, below the path of
 * `baseUrl`. It is an app like any other and uses only the public endpoints. Not for production;
 * `seedDemoClient` registers its client.
 *
 * @throws ServiceError `page.not_built`
 */
export async function demoRoutes({ config, circuit }: DemoParts): Promise<Route[]> {
  const { baseUrl, verify, signin } = config;
  const basePath = basePathOf(baseUrl);
  const assets = createAssets<'demo-page.js' | 'demo-callback.js' | 'demo.css'>(`${basePath}/demo`, [
    await clientAsset('demo-page.js'),
    await clientAsset('demo-callback.js'),
    await clientAsset('demo.css'),
  ]);
  const shared = { headers: pageHeaders(), renderError: renderSigninError };
  const page = { head: true, bodyLimitBytes: 0 };
  const shell = {
    id: 'demo',
    withoutScript: 'This demo is an app that runs in the browser. It needs JavaScript.',
    basePath,
    styleUrl: assets.url('demo.css'),
  };
  const ownConfig = demoConfig(baseUrl);
  const startPage = (status: CircuitStatus): HttpResponse => {
    const pageConfig: DemoPageConfig = {
      ...ownConfig,
      walletUrl: `${basePath}/wallet`,
      hasWorldId4: verify.worldid4.enabled,
      bindings: signin.worldid4.rpId === undefined ? {} : DEMO_CLIENT_IDS,
      circuit: status,
      circuitUrl: `${basePath}${CIRCUIT_STATUS_PATH}`,
    };
    const scriptUrl = assets.url('demo-page.js');
    return scriptPage({ ...shell, title: 'Demo relying party', scriptUrl, config: pageConfig });
  };
  // Authorization responses arrive here. The script reads query and fragment; posted parameters are put into the page,
  // since a script cannot see them.
  const callbackPage = (pageConfig: DemoCallbackConfig): HttpResponse => {
    const scriptUrl = assets.url('demo-callback.js');
    return scriptPage({ ...shell, title: 'Back at the demo', scriptUrl, config: pageConfig });
  };
  const callback = `${basePath}/demo/callback`;
  return [
    assets.route,
    {
      ...shared,
      ...page,
      method: 'GET',
      path: `${basePath}/demo`,
      handler: async () => startPage(await circuit()),
    },
    { ...shared, ...page, method: 'GET', path: callback, handler: () => callbackPage(ownConfig) },
    {
      ...shared,
      method: 'POST',
      path: callback,
      bodyLimitBytes: DEMO_FORM_LIMIT_BYTES,
      checkHead: ({ headers }) => requireForm(headers),
      handler: ({ body }) => callbackPage({ ...ownConfig, posted: postedParameters(body) }),
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

/**
 * Returns the settings of the service for both pages of the demo. Calls use paths, since the policy of the page allows
 * only its own origin; the authorization request is a navigation to the address in the metadata.
 */
function demoConfig(baseUrl: string): DemoConfig {
  const path = basePathOf(baseUrl);
  return {
    issuer: baseUrl,
    clientId: DEMO_CLIENT_ID,
    redirectUri: demoRedirectUri(baseUrl),
    urls: {
      demo: `${baseUrl}/demo`,
      authorize: `${baseUrl}/authorize`,
      token: `${path}/token`,
      jwks: `${path}/jwks`,
      userinfo: `${path}/userinfo`,
      revoke: `${path}/revoke`,
    },
  };
}
