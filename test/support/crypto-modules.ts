/** The built crypto modules as they are, below the engine: for cross-checks between arithmetics and backends. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** What addon and WASM both export, as far as cross-checks need it. */
export interface CryptoModule {
  arithmetic(): string;
  selectArithmetic(name: string): void;
  prepareKey(key: Uint8Array): number;
  /** One verdict byte for each 256 + 32·n bytes. */
  verifyBatch(handle: number, batch: Uint8Array, seed: Uint8Array): Uint8Array;
}

const fromRoot = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** The addon of this platform, or undefined where it is not built. */
export function loadAddon(): CryptoModule | undefined {
  const file = fromRoot(`native/addon/proofgate.${process.platform}-${process.arch}-gnu.node`);
  return existsSync(file) ? (createRequire(import.meta.url)(file) as CryptoModule) : undefined;
}

/** The committed WASM build. */
export async function loadWasm(): Promise<CryptoModule> {
  const module = (await import(fromRoot('wasm/artifact/proofgate_wasm.js'))) as CryptoModule & {
    initSync(options: { module: WebAssembly.Module }): unknown;
  };
  module.initSync({
    module: new WebAssembly.Module(readFileSync(fromRoot('wasm/artifact/proofgate_wasm_bg.wasm'))),
  });
  return module;
}

/** Whether the addon can be forced to this arithmetic on this machine; the former choice is restored. */
export function supportsArithmetic(addon: CryptoModule | undefined, name: string): boolean {
  if (!addon) return false;
  const before = addon.arithmetic();
  try {
    addon.selectArithmetic(name);
    return true;
  } catch {
    return false;
  } finally {
    addon.selectArithmetic(before);
  }
}
