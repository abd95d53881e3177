import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Backend, BackendSource, CryptoFunctions } from './backend.ts';
import { WasmBackend } from './wasm.ts';

const NAME = `proofgate.${process.platform}-${process.arch}-gnu.node`;
/** Folder of the committed addons, for machines without Rust. */
const PREBUILT = 'prebuilt';

function addonFile(folder: string): string {
  return fileURLToPath(new URL(`../../../native/${folder}/${NAME}`, import.meta.url));
}

/** Path of the addon that is built on this machine, whether or not it exists. */
export function nativeAddonFile(): string {
  return addonFile('addon');
}

/** Whether an addon was built on another machine and committed. */
export function isPrebuilt(file: string): boolean {
  return basename(dirname(file)) === PREBUILT;
}

type NativeSource = Extract<BackendSource, { kind: 'native' }>;

/**
 * Returns the file of the addon, or the reason why there is none.
 *
 * @param files - Candidates in order of preference; default: the one built on this machine, then the committed one.
 */
export function findNative(
  files: readonly string[] = [nativeAddonFile(), addonFile(PREBUILT)],
): NativeSource | { readonly reason: string } {
  const file = files.find((candidate) => existsSync(candidate));
  if (file !== undefined) return { kind: 'native', file };
  const [built = nativeAddonFile()] = files;
  return {
    reason: isBeingBuilt(built)
      ? 'native addon is being built; it is used from the next start'
      : `native addon not built: native/addon/${basename(built)} does not exist`,
  };
}

/** Whether the process named in `.building.json`, which `.scripts/addon.mjs` writes, is running. */
function isBeingBuilt(file: string = nativeAddonFile()): boolean {
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

/** Loads a backend into the calling thread. */
export function loadBackend(source: BackendSource): Backend {
  return source.kind === 'native' ? loadNative(source.file) : new WasmBackend(source.module);
}
