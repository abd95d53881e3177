import type { Config } from '../../../../config/settings/types.ts';
import { basePathOf } from '../../../../config/values/public-address.ts';
import type { CircuitStatus, WalletConfig } from '../../../../pages.ts';
import { escapeHtml } from '../../../../text.ts';
import { renderSigninError } from '../../../errors/signin.ts';
import type { Route } from '../../../exchange/exchange-types.ts';
import type { Assets } from '../../../pages/assets.ts';
import { ISOLATION, pageHeaders } from '../../../pages/page-headers.ts';
import { renderPage } from '../../../pages/render-page.ts';
import type { WalletAsset } from './assets.ts';
import { CIRCUIT_STATUS_PATH } from './calls.ts';
import { PROVING_KEY_PATH, SNARKJS_PATH, WITNESS_CODE_PATH } from './files.ts';

/** Parts of the service that the page needs. */
export interface WalletPageParts {
  readonly config: Pick<Config, 'baseUrl' | 'verifyUrl'>;
  readonly basePath: string;
  readonly assets: Assets<WalletAsset>;
  /** Returns the build status of the circuit; called for each page. */
  readonly circuit: () => Promise<CircuitStatus>;
  /** Whether World ID 4.0 is switched on. */
  readonly hasWorldId4: boolean;
}

/** Builds `GET /wallet`: the shell of the page, whose script reads `data-config` and builds the rest. */
export function walletPageRoute(parts: WalletPageParts): Route {
  const { config, basePath, assets, circuit, hasWorldId4 } = parts;
  const clientConfig = (status: CircuitStatus): WalletConfig => ({
    basePath,
    verifyUrl: verifyUrlForPage(config),
    bridgeUrl: `${config.baseUrl}/bridge`,
    circuit: status,
    hasWorldId4,
    circuitUrl: `${basePath}${CIRCUIT_STATUS_PATH}`,
    urls: {
      worker: assets.url('wallet-worker.js'),
      snarkjs: `${basePath}${SNARKJS_PATH}`,
      cryptoWasm: assets.url('proofgate.wasm'),
      witnessCode: `${basePath}${WITNESS_CODE_PATH}`,
      provingKey: `${basePath}${PROVING_KEY_PATH}`,
    },
  });
  return {
    method: 'GET',
    path: `${basePath}/wallet`,
    head: true,
    bodyLimitBytes: 0,
    headers: {
      ...pageHeaders({
        'script-src': "'self' 'wasm-unsafe-eval'",
        'worker-src': "'self'",
        // The bridge of a request, and the verification interface, may be on any host.
        'connect-src': "'self' http: https:",
      }),
      ...ISOLATION,
    },
    renderError: renderSigninError,
    handler: async () => ({
      status: 200,
      headers: { 'Content-Type': 'text/html; charset=utf-8' },
      body: renderPage({
        title: 'Development wallet',
        styleUrl: assets.url('wallet.css'),
        iconUrl: `${basePath}/favicon.ico`,
        scriptUrl: assets.url('wallet-page.js'),
        banner: 'development',
        body: walletBody(clientConfig(await circuit())),
      }),
    }),
  };
}

function walletBody(config: WalletConfig): string {
  return `<main id="wallet" data-config="${escapeHtml(JSON.stringify(config))}">
<noscript><p>This wallet makes its proofs in the browser. It needs JavaScript.</p></noscript>
</main>`;
}

// If this service verifies, the page calls it at the origin at which it was opened, because the interface has no CORS
// and the origin of `verifyUrl` may differ (localhost or 127.0.0.1, a port chosen by the system).
function verifyUrlForPage({ baseUrl, verifyUrl }: Pick<Config, 'baseUrl' | 'verifyUrl'>): string {
  return new URL(verifyUrl).origin === new URL(baseUrl).origin ? basePathOf(verifyUrl) : verifyUrl;
}
