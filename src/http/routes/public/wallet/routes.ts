import type { Config } from '../../../../config/settings/types.ts';
import { basePathOf } from '../../../../config/values/public-address.ts';
import type { Route } from '../../../exchange/exchange-types.ts';
import { loadWalletAssets } from './assets.ts';
import { type WalletCallParts, walletCallRoutes } from './calls.ts';
import { walletFileRoutes } from './files.ts';
import { walletPageRoute } from './page.ts';

/** Parts of the service that the development wallet needs (spec/sign-in.md#development-wallet). */
export interface WalletParts extends Omit<WalletCallParts, 'basePath'> {
  readonly config: Pick<Config, 'baseUrl' | 'verifyUrl' | 'dataDir'>;
}

/**
 * Builds the development wallet (spec/sign-in.md#development-wallet): the page, its files and its calls, all below the
 * path of `baseUrl`. Not for production: anyone may enrol.
 *
 * @throws ServiceError `page.not_built`
 */
export async function walletRoutes({
  config,
  trees,
  apps,
  circuit,
  worldId4,
}: WalletParts): Promise<Route[]> {
  const basePath = basePathOf(config.baseUrl);
  const { dataDir } = config;
  const assets = await loadWalletAssets(basePath);
  return [
    assets.route,
    walletPageRoute({ config, basePath, assets, circuit, hasWorldId4: worldId4 !== undefined }),
    ...walletCallRoutes({ basePath, trees, apps, circuit, worldId4 }),
    ...walletFileRoutes({ basePath, dataDir }),
  ];
}
