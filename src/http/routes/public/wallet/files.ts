import { readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { requireCircuitFiles } from '../../../../development/circuit-files.ts';
import { ServiceError } from '../../../../errors/service-error.ts';
import { renderSigninError } from '../../../errors/signin.ts';
import type { HttpRequest, HttpResponse, Route } from '../../../exchange/exchange-types.ts';

/** Path of the witness code of the development circuit. */
export const WITNESS_CODE_PATH = '/wallet/circuit/semaphore-depth30.wasm';
/** Path of its proving key. */
export const PROVING_KEY_PATH = '/wallet/circuit/semaphore-depth30.zkey';
/** Path of the browser file that the package snarkjs ships. */
export const SNARKJS_PATH = '/wallet/snarkjs.min.js';

/**
 * Builds the routes of the files that the browser prover loads: artifacts of the setup, and snarkjs as a
 * file.
 */
export function walletFileRoutes(parts: { readonly basePath: string; readonly dataDir: string }): Route[] {
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
