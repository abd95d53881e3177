import type { Config } from '../../../../config/settings/types.ts';
import { basePathOf } from '../../../../config/values/public-address.ts';
import type { CircuitStatus } from '../../../../pages.ts';
import type { Route } from '../../../exchange/exchange-types.ts';
import { demoCallbackRoutes } from './callback.ts';
import { demoConfig } from './demo-config.ts';
import { demoPageRoute, loadDemoAssets } from './page.ts';

/** Parts of the service that the demo needs (spec/sign-in.md#demo). */
export interface DemoParts {
  readonly config: Pick<Config, 'baseUrl' | 'verify'>;
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
  const { baseUrl, verify } = config;
  const basePath = basePathOf(baseUrl);
  const assets = await loadDemoAssets(basePath);
  const parts = { basePath, assets, config: demoConfig(baseUrl) };
  return [
    assets.route,
    demoPageRoute({ ...parts, circuit, hasWorldId4: verify.worldid4.enabled }),
    ...demoCallbackRoutes(parts),
  ];
}
