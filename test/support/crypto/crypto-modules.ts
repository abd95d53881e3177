/** The built crypto modules as they are, below the engine: for cross-checks between arithmetics and backends. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { WasmArithmetic } from '../../../src/engine/backends/arithmetic.ts';
import { loadBackend } from '../../../src/engine/backends/load-backend.ts';
import { findWasm } from '../../../src/engine/backends/wasm.ts';

/** What addon and WASM both export, as far as cross-checks need it. */
export interface CryptoModule {
  arithmetic(): string;
  selectArithmetic(name: string): void;
  prepareKey(key: Uint8Array): number;
  /** One verdict byte for each 256 + 32·n bytes. */
  verifyBatch(handle: number, batch: Uint8Array, seed: Uint8Array): Uint8Array;
  /** The same without combining them. */
  verifyEach(handle: number, batch: Uint8Array): Uint8Array;
}

/** The addon of this platform, or undefined where it is not built. */
export function loadAddon(): CryptoModule | undefined {
  const name = `proofgate.${process.platform}-${process.arch}-gnu.node`;
  const file = fileURLToPath(new URL(`../../../native/addon/${name}`, import.meta.url));
  return existsSync(file) ? (createRequire(import.meta.url)(file) as CryptoModule) : undefined;
}

/**
 * A committed WASM module.
 *
 * @param arithmetic - The best that runs here when it is not given.
 * @throws Error when this process cannot run it
 */
export async function loadWasm(arithmetic?: WasmArithmetic): Promise<CryptoModule> {
  const source = findWasm(arithmetic);
  if ('reason' in source) throw new Error(source.reason);
  return (await loadBackend(source)).functions;
}

/** Whether a module can be forced to this arithmetic on this machine; the former choice is restored. */
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
