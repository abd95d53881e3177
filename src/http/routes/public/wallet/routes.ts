import { readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Config } from '../../../../config/settings/types.ts';
import { basePathOf } from '../../../../config/values/public-address.ts';
import { requireCircuitFiles } from '../../../../development/circuit-files.ts';
import { ServiceError } from '../../../../errors/service-error.ts';
import type { CircuitStatus, WalletConfig } from '../../../../pages.ts';
import { renderSigninError } from '../../../errors/signin.ts';
import type { HttpRequest, HttpResponse, Route } from '../../../exchange/exchange-types.ts';
import { type Assets, clientAsset, createAssets } from '../../../pages/assets.ts';
import { contentSecurityPolicy, ISOLATION, pageHeaders, scriptPage } from '../../../pages/render-page.ts';
import { CIRCUIT_STATUS_PATH, type WalletCallParts, walletCallRoutes } from './calls.ts';

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
function walletPageRoute(parts: WalletPageParts): Route {
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
    handler: async () =>
      scriptPage({
        title: 'Development wallet',
        id: 'wallet',
        config: clientConfig(await circuit()),
        withoutScript: 'This wallet makes its proofs in the browser. It needs JavaScript.',
        basePath,
        styleUrl: assets.url('wallet.css'),
        scriptUrl: assets.url('wallet-page.js'),
      }),
  };
}

// If this service verifies, the page calls it at the origin at which it was opened, because the interface has no CORS
// and the origin of `verifyUrl` may differ (localhost or 127.0.0.1, a port chosen by the system).
function verifyUrlForPage({ baseUrl, verifyUrl }: Pick<Config, 'baseUrl' | 'verifyUrl'>): string {
  return new URL(verifyUrl).origin === new URL(baseUrl).origin ? basePathOf(verifyUrl) : verifyUrl;
}

/** Parts of the service that the development wallet needs (spec/sign-in.md#development-wallet). */
interface WalletParts extends Omit<WalletCallParts, 'basePath'> {
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

/** Files that the wallet page loads under names that change with their content. */
type WalletAsset = 'wallet-page.js' | 'wallet-worker.js' | 'wallet.css' | 'proofgate.wasm';

// The same folder from src and from dist. The page needs only Poseidon, for which the build without SIMD is fast
// enough.
const CRYPTO_WASM = new URL('../../../../../wasm/artifact/scalar.wasm', import.meta.url);

// The policy of a worker is that of its own script, not of the page. `script-src` lets it load snarkjs and compile
// WASM.
const WORKER_POLICY = {
  'default-src': "'none'",
  'script-src': "'self' 'wasm-unsafe-eval'",
  'connect-src': "'self'",
};

/**
 * Reads the files of the wallet page.
 *
 * @throws ServiceError `page.not_built`
 */
async function loadWalletAssets(basePath: string): Promise<Assets<WalletAsset>> {
  return createAssets<WalletAsset>(basePath, [
    await clientAsset('wallet-page.js'),
    {
      ...(await clientAsset('wallet-worker.js')),
      headers: { 'Content-Security-Policy': contentSecurityPolicy(WORKER_POLICY) },
    },
    await clientAsset('wallet.css'),
    { name: 'proofgate.wasm', contentType: 'application/wasm', body: await readFile(CRYPTO_WASM) },
  ]);
}

/** Path of the witness code of the development circuit. */
const WITNESS_CODE_PATH = '/wallet/circuit/semaphore-depth30.wasm';
/** Path of its proving key. */
const PROVING_KEY_PATH = '/wallet/circuit/semaphore-depth30.zkey';
/** Path of the browser file that the package snarkjs ships. */
const SNARKJS_PATH = '/wallet/snarkjs.min.js';

/**
 * Builds the routes of the files that the browser prover loads: artifacts of the setup, and snarkjs as a
 * file.
 */
function walletFileRoutes(parts: { readonly basePath: string; readonly dataDir: string }): Route[] {
  const { basePath, dataDir } = parts;
  const route = (path: string, contentType: string, find: () => Promise<string> | string): Route => ({
    method: 'GET',
    path: `${basePath}${path}`,
    head: true,
    bodyLimitBytes: 0,
    renderError: renderSigninError,
    handler: async (request) => fileAnswer(await find(), contentType, request),
  });
  const circuit = (): ReturnType<typeof requireCircuitFiles> => requireCircuitFiles(dataDir);
  return [
    route(WITNESS_CODE_PATH, 'application/wasm', async () => (await circuit()).witnessCode),
    route(PROVING_KEY_PATH, 'application/octet-stream', async () => (await circuit()).provingKey),
    route(SNARKJS_PATH, 'text/javascript; charset=utf-8', findSnarkjs),
  ];
}

/**
 * Answers with the current content of a file; browsers revalidate it each time and get 304 if it is
 * unchanged.
 */
async function fileAnswer(path: string, contentType: string, request: HttpRequest): Promise<HttpResponse> {
  const { size, mtimeNs } = await stat(path, { bigint: true });
  const tag = `"${size.toString(16)}-${mtimeNs.toString(16)}"`;
  const headers = { 'Content-Type': contentType, 'Cache-Control': 'no-cache', ETag: tag };
  if (request.headers.get('if-none-match') === tag) return { status: 304, headers };
  return { status: 200, headers, body: await readFile(path) };
}

// GPL-3.0: the file is served unchanged and never loaded into this process.
function findSnarkjs(): string {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('snarkjs')), 'snarkjs.min.js');
  } catch (cause) {
    throw new ServiceError('wallet.snarkjs_missing', undefined, {}, { cause });
  }
}
