import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Backend, BackendSource, CryptoFunctions } from './backend.ts';

/** Path of the addon built for this platform, whether or not it exists. */
export function nativeAddonFile(): string {
  const name = `proofgate.${process.platform}-${process.arch}-gnu.node`;
  return fileURLToPath(new URL(`../../../native/addon/${name}`, import.meta.url));
}

type NativeSource = Extract<BackendSource, { kind: 'native' }>;

/** The addon's place, or why there is none. */
export function findNative(file: string = nativeAddonFile()): NativeSource | { readonly reason: string } {
  return existsSync(file)
    ? { kind: 'native', file }
    : { reason: `native addon not built: native/addon/${basename(file)} does not exist` };
}

/**
 * Loads the addon into this thread. The main thread has to be the first: an addon that only workers use is unloaded
 * with the last of them, under running code. A panic leaves no state behind, so that `renew` has nothing to do.
 */
export function loadNative(file: string): Backend {
  const functions = createRequire(import.meta.url)(file) as CryptoFunctions;
  return { kind: 'native', functions, instance: 0, renew: () => Promise.resolve() };
}
