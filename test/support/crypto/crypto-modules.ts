/** The built crypto modules without the engine, for cross-checks between arithmetics and backends. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { WasmArithmetic } from '../../../src/engine/backends/backend.ts';
import { loadBackend } from '../../../src/engine/backends/load-backend.ts';
import { findWasm } from '../../../src/engine/backends/wasm.ts';

/** Common exports of addon and WASM that cross-checks need. */
export interface CryptoModule {
  arithmetic(): string;
  selectArithmetic(name: string): void;
  prepareKey(key: Uint8Array): number;
  /** Verifies statements of 256 + 32·n bytes together. Returns one verdict byte for each. */
  verifyBatch(handle: number, batch: Uint8Array, seed: Uint8Array): Uint8Array;
  /** Verifies statements as `verifyBatch` does, but one by one. */
  verifyEach(handle: number, batch: Uint8Array): Uint8Array;
}

/** Loads the addon of this platform. Returns undefined if it is not built. */
export function loadAddon(): CryptoModule | undefined {
  const name = `proofgate.${process.platform}-${process.arch}-gnu.node`;
  const file = fileURLToPath(new URL(`../../../native/addon/${name}`, import.meta.url));
  return existsSync(file) ? (createRequire(import.meta.url)(file) as CryptoModule) : undefined;
}

/**
 * Loads a committed WASM module.
 *
 * @param arithmetic - By default the best that runs here.
 * @throws Error when this process cannot run it
 */
export async function loadWasm(arithmetic?: WasmArithmetic): Promise<CryptoModule> {
  const source = findWasm(arithmetic);
  if ('reason' in source) throw new Error(source.reason);
  return loadBackend(source).functions;
}

/** Whether a module supports this arithmetic on this machine. Restores the selected arithmetic. */
export function supportsArithmetic(module: CryptoModule | undefined, name: string): boolean {
  if (!module) return false;
  const before = module.arithmetic();
  try {
    module.selectArithmetic(name);
    return true;
  } catch {
    return false;
  } finally {
    module.selectArithmetic(before);
  }
}
