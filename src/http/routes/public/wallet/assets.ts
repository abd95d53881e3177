import { readFile } from 'node:fs/promises';
import { type Assets, createAssets } from '../../../pages/assets.ts';
import { readClientFile } from '../../../pages/client-files.ts';
import { contentSecurityPolicy } from '../../../pages/page-headers.ts';

/** Files that the wallet page loads under names that change with their content. */
export type WalletAsset = 'wallet-page.js' | 'wallet-worker.js' | 'wallet.css' | 'proofgate.wasm';

// The same folder from src and from dist. The page needs only Poseidon, for which the build without SIMD is fast
// enough.
const CRYPTO_WASM = new URL('../../../../../wasm/artifact/scalar.wasm', import.meta.url);
const SCRIPT = 'text/javascript; charset=utf-8';

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
export async function loadWalletAssets(basePath: string): Promise<Assets<WalletAsset>> {
  return createAssets<WalletAsset>(basePath, [
    { name: 'wallet-page.js', contentType: SCRIPT, body: await readClientFile('wallet-page.js') },
    {
      name: 'wallet-worker.js',
      contentType: SCRIPT,
      body: await readClientFile('wallet-worker.js'),
      headers: { 'Content-Security-Policy': contentSecurityPolicy(WORKER_POLICY) },
    },
    { name: 'wallet.css', contentType: 'text/css; charset=utf-8', body: await readClientFile('wallet.css') },
    { name: 'proofgate.wasm', contentType: 'application/wasm', body: await readFile(CRYPTO_WASM) },
  ]);
}
