import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Backend, BackendSource, CryptoFunctions } from './backend.ts';

/** Path of the addon built for this platform, whether or not it exists. */
export function nativeAddonFile(): string {
  const name = `proofgate.${process.platform}-${process.arch}-gnu.node`;
  return fileURLToPath(new URL(`../../../native/addon/${name}`, import.meta.url));
}

type NativeSource = Extract<BackendSource, { kind: 'native' }>;

/** Returns the file of the addon, or why there is none. */
export function findNative(file: string = nativeAddonFile()): NativeSource | { readonly reason: string } {
  if (existsSync(file)) return { kind: 'native', file };
  return {
    reason: isBeingBuilt(file)
      ? 'native addon is being built; it is used from the next start'
      : `native addon not built: native/addon/${basename(file)} does not exist`,
  };
}

/** Whether the process named in `.building.json`, which `.scripts/addon.mjs` writes, is running. */
export function isBeingBuilt(file: string = nativeAddonFile()): boolean {
  try {
    const marker: unknown = JSON.parse(readFileSync(join(dirname(file), '.building.json'), 'utf8'));
    const pid = typeof marker === 'object' && marker !== null && 'pid' in marker ? Number(marker.pid) : 0;
    // Signal 0 tests whether the process exists; a pid of 0 or below would address process groups.
    return pid > 0 && process.kill(pid, 0);
  } catch {
    return false;
  }
}

/**
 * Loads the addon into this thread. The main thread must load it first: an addon that only workers have
 * loaded is unloaded when the last of them ends, while its code may still run. A panic leaves no state
 * behind, so `renew` does nothing.
 */
export function loadNative(file: string): Backend {
  const functions = createRequire(import.meta.url)(file) as CryptoFunctions;
  return { kind: 'native', functions, instance: 0, renew: () => Promise.resolve() };
}
