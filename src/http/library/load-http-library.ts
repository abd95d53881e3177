import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Config, LibraryFacts } from '../../config/settings/types.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { HttpLibrary } from './http-library.ts';
import { NODE_LIBRARY } from './node-library.ts';
import { loadBinary, loadPatched } from './patched-binary.ts';
import { loadWithHeadLimit, type UwsModule, uwsLibrary } from './uws-library.ts';
import { isWholeElf } from './whole-elf.ts';

export interface LoadedLibrary {
  readonly library: HttpLibrary;
  readonly facts: LibraryFacts;
  /** The loaded binary of uWebSockets.js; undefined for `node:http`. */
  readonly binary: LibraryBinary | undefined;
}

/** A binary of uWebSockets.js that this process has loaded, for its other threads. */
export interface LibraryBinary {
  /** Path by which any thread of this process can load it as long as the process runs. */
  readonly path: string;
  readonly properties: Parameters<typeof uwsLibrary>[1];
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
  /** See `HttpLibrary`; so does version 20.57, if not an earlier one. */
  readonly refusesEmptyChunks: boolean;
  /**
   * See `HttpLibrary`. Ten seconds are compiled in, with version 20.57 thirty, and rounded up to ticks of four seconds, the
   * first of which may follow at once: the connection ends after 8 to 12 seconds, or 28 to 32. A turn of the event loop that
   * takes long delays a tick and not the next one, hence three seconds less.
   */
  readonly idleSeconds: number;
}

/** In the order of preference: the authors' package, which an operator installs, and repacks from the registry. */
const ORIGINS: readonly Origin[] = [
  // The shortest time of its releases.
  {
    folder: 'uWebSockets.js',
    name: 'uWebSockets.js',
    binaries: '',
    refusesEmptyChunks: true,
    idleSeconds: 5,
  },
  {
    folder: '@btc-vision/uwebsockets.js',
    name: '@btc-vision/uwebsockets.js',
    binaries: '',
    refusesEmptyChunks: true,
    idleSeconds: 25,
  },
  {
    folder: 'uWebSockets.js',
    name: 'uws-pack',
    binaries: 'dist/bin',
    refusesEmptyChunks: false,
    idleSeconds: 5,
  },
];

const require = createRequire(import.meta.url);
const loaded = new Map<Config['http']['library'], LoadedLibrary>();

/** Where binaries are looked for and copied to. */
export interface LibraryFolders {
  /** A folder that this process may write, see `loadPatched`. */
  readonly written?: string | undefined;
  /** Folders with packages, the nearest first; by default those of this file. */
  readonly searched?: readonly string[];
}

/**
 * Loads the HTTP library once: the first binary of uWebSockets.js that this process can load, else `node:http`.
 *
 * @param choice - `auto`, or the only one to use.
 * @throws ServiceError `http.library_unavailable` if the choice is `uws` and no binary loads
 */
export function loadHttpLibrary(choice: Config['http']['library'], written?: string): LoadedLibrary {
  let found = loaded.get(choice);
  if (found === undefined) {
    found = chooseLibrary(choice, { written });
    loaded.set(choice, found);
  }
  return found;
}

/**
 * Loads, in a thread, the binary that the main thread has loaded, and no other: connections pass from one to the other. To be
 * called before `loadHttpLibrary`, which then returns it.
 */
export function shareHttpLibrary(choice: Config['http']['library'], binary: LibraryBinary): void {
  const { path, properties, facts } = binary;
  const library = uwsLibrary(loadBinary(path) as UwsModule, properties);
  loaded.set(choice, { library, facts, binary });
}

/** Like `loadHttpLibrary`, at each call. */
export function chooseLibrary(choice: Config['http']['library'], folders: LibraryFolders): LoadedLibrary {
  const passedOver: string[] = [];
  if (choice !== 'node') {
    for (const origin of ORIGINS) {
      const found = loadOrigin(origin, folders);
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
    source: undefined,
    idleSeconds: undefined,
    passedOver,
  } as const;
  return { library: NODE_LIBRARY, facts, binary: undefined };
}

/** Loads the binary of a package; returns the reason if it cannot. */
function loadOrigin(origin: Origin, folders: LibraryFolders): LoadedLibrary | string {
  const { name, refusesEmptyChunks, idleSeconds } = origin;
  const installed = installedAt(origin, folders.searched ?? require.resolve.paths(origin.folder) ?? []);
  if (installed === undefined) return 'not installed';
  const { version, source } = installed;
  const binary = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;
  const file = join(installed.path, origin.binaries, binary);
  const bytes = readIfThere(file);
  const platform = `${process.platform}-${process.arch}`;
  if (bytes === undefined)
    return `version ${version} has no binary for Node ${process.versions.node} on ${platform}`;
  if (!isWholeElf(bytes)) return `version ${version} cannot be loaded: the end of ${file} is missing`;
  try {
    const module = loadWithHeadLimit(() => loadPatched(bytes, binary, folders.written) ?? loadPlain(file));
    const { exports, path, ...found } = module;
    const properties = { ...found, refusesEmptyChunks, idleSeconds };
    const facts = { kind: 'uws', package: name, version, file, source, idleSeconds, passedOver: [] } as const;
    return {
      library: uwsLibrary(exports as UwsModule, properties),
      facts,
      binary: { path, properties, facts },
    };
  } catch (error) {
    const [reason = ''] = String((error as Error).message).split('\n');
    return `version ${version} cannot be loaded: ${reason
      .replace(`${file}: `, '')
      .replace(/\(required by [^)]*\)/, '')
      .trim()}`;
  }
}

function loadPlain(file: string): {
  readonly exports: unknown;
  readonly path: string;
  readonly keepsHeaderBytes: boolean;
  readonly readsEveryTarget: false;
} {
  // Characters are unsigned on Linux for ARM64.
  const keepsHeaderBytes = process.platform === 'linux' && process.arch === 'arm64';
  return { exports: loadBinary(file), path: file, keepsHeaderBytes, readsEveryTarget: false };
}

/** What the loader reads of a `package.json`. */
interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly repository?: string | { readonly url?: string };
}

/** Returns the nearest installation of a package; another one may be in its folder. */
function installedAt(
  { folder, name }: Origin,
  searched: readonly string[],
): { readonly path: string; readonly version: string; readonly source: string | undefined } | undefined {
  for (const packages of searched) {
    const path = join(packages, folder);
    const { name: found, version = '', repository } = readManifest(path);
    if (found !== name) continue;
    // The authors' releases consist of binaries and the commit that they were built from.
    const commit = readIfThere(join(path, 'source_commit'))?.toString().trim();
    const url = typeof repository === 'string' ? repository : repository?.url;
    return { path, version, source: commit === undefined ? url : `commit ${commit}` };
  }
  return undefined;
}

/** Returns the manifest of a package; an empty one if there is none that can be read. */
function readManifest(path: string): Manifest {
  try {
    return JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Manifest;
  } catch {
    return {};
  }
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
