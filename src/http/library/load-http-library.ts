import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Config } from '../../config/settings/types.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { HttpLibrary } from './http-library.ts';
import { NODE_LIBRARY } from './node-library.ts';
import { loadPatched } from './patched-binary.ts';
import { loadWithHeadLimit, type UwsModule, uwsLibrary } from './uws-library.ts';

/** The library that serves HTTP in this process, for log, metrics and `doctor`. */
export interface LibraryFacts {
  readonly kind: 'uws' | 'node';
  /** Name of the npm package, or `node:http`. */
  readonly package: string;
  /** Version of the package, or of Node. */
  readonly version: string;
  /** Its binary; undefined for Node. */
  readonly file: string | undefined;
  /** What ruled out the packages that come before it, one per package. */
  readonly passedOver: readonly string[];
}

export interface LoadedLibrary {
  readonly library: HttpLibrary;
  readonly facts: LibraryFacts;
}

/** A package with binaries of uWebSockets.js. */
interface Origin {
  /** Folder below `node_modules`. */
  readonly folder: string;
  /** Name in its `package.json`: the folder `uWebSockets.js` may hold the official package or an alias of a repack. */
  readonly name: string;
  /** Folder of its binaries. */
  readonly binaries: string;
}

/** In the order of preference: the authors' package, which an operator installs, and repacks from the registry. */
const ORIGINS: readonly Origin[] = [
  { folder: 'uWebSockets.js', name: 'uWebSockets.js', binaries: '' },
  { folder: '@btc-vision/uwebsockets.js', name: '@btc-vision/uwebsockets.js', binaries: '' },
  { folder: 'uWebSockets.js', name: 'uws-pack', binaries: 'dist/bin' },
];

const require = createRequire(import.meta.url);
const loaded = new Map<Config['http']['library'], LoadedLibrary>();

/**
 * Loads the HTTP library once: the first binary of uWebSockets.js that this process can load, else `node:http`.
 *
 * @param choice - `auto`, or the only one to use.
 * @param folder - A folder that this process may write, see `loadPatched`.
 * @throws ServiceError `http.library_unavailable` if the choice is `uws` and no binary loads
 */
export function loadHttpLibrary(choice: Config['http']['library'], folder?: string): LoadedLibrary {
  let found = loaded.get(choice);
  if (found === undefined) {
    found = load(choice, folder);
    loaded.set(choice, found);
  }
  return found;
}

function load(choice: Config['http']['library'], folder: string | undefined): LoadedLibrary {
  const passedOver: string[] = [];
  if (choice !== 'node') {
    for (const origin of ORIGINS) {
      const found = loadOrigin(origin, folder);
      if (typeof found !== 'string') return { ...found, facts: { ...found.facts, passedOver } };
      passedOver.push(`${origin.name}: ${found}`);
    }
    if (choice === 'uws')
      throw new ServiceError('http.library_unavailable', `no binary loads: ${passedOver.join('; ')}`);
  }
  const facts = {
    kind: 'node',
    package: 'node:http',
    version: process.versions.node,
    file: undefined,
    passedOver,
  } as const;
  return { library: NODE_LIBRARY, facts };
}

/** Loads the binary of a package; returns the reason if it cannot. */
function loadOrigin(origin: Origin, folder: string | undefined): LoadedLibrary | string {
  const { name } = origin;
  const installed = installedAt(origin);
  if (installed === undefined) return 'not installed';
  const binary = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;
  const file = join(installed.path, origin.binaries, binary);
  const bytes = readIfThere(file);
  const platform = `${process.platform}-${process.arch}`;
  if (bytes === undefined)
    return `version ${installed.version} has no binary for Node ${process.versions.node} on ${platform}`;
  try {
    const module = loadWithHeadLimit(() => loadPatched(bytes, binary, folder) ?? loadPlain(file));
    const library = uwsLibrary(module.exports as UwsModule, module.keepsHeaderBytes);
    const facts = { kind: 'uws', package: name, version: installed.version, file, passedOver: [] } as const;
    return { library, facts };
  } catch (error) {
    const [reason = ''] = String((error as Error).message).split('\n');
    return `version ${installed.version} cannot be loaded: ${reason
      .replace(`${file}: `, '')
      .replace(/\(required by [^)]*\)/, '')
      .trim()}`;
  }
}

function loadPlain(file: string): { readonly exports: unknown; readonly keepsHeaderBytes: boolean } {
  // Characters are unsigned on Linux for ARM64.
  const keepsHeaderBytes = process.platform === 'linux' && process.arch === 'arm64';
  return { exports: require(file), keepsHeaderBytes };
}

/** Returns the nearest installation of a package; another one may be in its folder. */
function installedAt({
  folder,
  name,
}: Origin): { readonly path: string; readonly version: string } | undefined {
  for (const packages of require.resolve.paths(folder) ?? []) {
    const path = join(packages, folder);
    const manifest = readIfThere(join(path, 'package.json'));
    if (manifest === undefined) continue;
    const found = JSON.parse(manifest.toString()) as { readonly name?: string; readonly version?: string };
    if (found.name === name) return { path, version: found.version ?? '' };
  }
  return undefined;
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
