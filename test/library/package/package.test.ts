import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PackedLibrary, packLibrary } from '../support/packed-library.ts';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));
const MAX_PACKED_BYTES = 6 * 1024 * 1024;
/** Everything that may be in the package. */
const KINDS = [
  /^(?:README\.md|LICENSE|package\.json)$/,
  /^\.scripts\/proofgate\.mjs$/,
  /^dist\/library\/bundle\/(?:[\w-]+\/)*[\w-]+\.js$/,
  /^dist\/library\/bundle\/THIRD-PARTY-LICENSES\.txt$/,
  /^dist\/library\/types\/(?:[\w-]+\/)*[\w-]+\.d\.ts$/,
  /^native\/(?:addon|prebuilt)\/proofgate\.linux-(?:x64|arm64)-gnu\.node$/,
  /^wasm\/artifact\/(?:relaxed|simd|scalar)\.wasm$/,
  /^wasm\/artifact\/proofgate_wasm\.js$/,
];

let packed: PackedLibrary;
beforeAll(async () => {
  packed = await packLibrary();
});
afterAll(() => packed.remove());

const textOf = (path: string): string =>
  readFileSync(join(packed.project, 'node_modules/proofgate', path), 'latin1');

describe('the package of the library', () => {
  it('has the entries, the modules and nothing else', () => {
    const paths = packed.files.map(({ path }) => path);
    expect(paths.filter((path) => !KINDS.some((kind) => kind.test(path)))).toEqual([]);
    for (const kind of KINDS.slice(0, 5)) expect(paths.some((path) => kind.test(path))).toBe(true);
    for (const name of ['relaxed', 'simd', 'scalar']) expect(paths).toContain(`wasm/artifact/${name}.wasm`);
    const { exports, bin } = JSON.parse(textOf('package.json')) as { exports: unknown; bin: unknown };
    const named = JSON.stringify([exports, bin]).match(/(?<=")(?:\.\/)?[.\w-]+\/[\w./-]+\.\w+(?=")/g) ?? [];
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((path) => !paths.includes(path.replace(/^\.\//, '')))).toEqual([]);
  });

  it('has the addon of this machine, if it is built, and that of ARM64, if it is there', () => {
    const paths = packed.files.map(({ path }) => path);
    for (const file of [
      'native/addon/proofgate.linux-x64-gnu.node',
      'native/prebuilt/proofgate.linux-arm64-gnu.node',
    ]) {
      expect(paths.includes(file)).toBe(existsSync(join(REPOSITORY, file)));
    }
  });

  it('is small', () => {
    expect(packed.size).toBeLessThan(MAX_PACKED_BYTES);
  });

  it('names no path of a machine, no source map and no test', () => {
    const places = [
      REPOSITORY,
      join(homedir(), '.cargo'),
      join(homedir(), '.rustup'),
      'sourceMappingURL',
      'vitest',
    ];
    const found = packed.files
      .filter(({ path }) => path !== 'package.json' && path !== 'README.md')
      .flatMap(({ path }) => {
        const text = textOf(path);
        return places.filter((place) => text.includes(place)).map((place) => `${path}: ${place}`);
      });
    expect(found).toEqual([]);
  });

  it('depends on no other package and runs no script at its installation', () => {
    const manifest = JSON.parse(textOf('package.json')) as Readonly<Record<string, unknown>>;
    for (const kind of ['dependencies', 'optionalDependencies', 'peerDependencies', 'bundleDependencies']) {
      expect(manifest[kind] ?? {}).toEqual({});
    }
    const scripts = Object.keys(manifest.scripts as object);
    expect(scripts.filter((name) => /^(?:pre|post)?(?:install|prepare)$/.test(name))).toEqual([]);
    const lock = JSON.parse(readFileSync(join(packed.project, 'package-lock.json'), 'utf8')) as {
      packages: object;
    };
    expect(Object.keys(lock.packages)).toEqual(['', 'node_modules/proofgate']);
  });
});

describe('the workspace of the server', () => {
  const read = (path: string) =>
    JSON.parse(readFileSync(join(REPOSITORY, path), 'utf8')) as {
      readonly version: string;
      readonly devDependencies?: Readonly<Record<string, string>>;
      readonly dependencies?: Readonly<Record<string, string>>;
    };

  it('has the version of the library, and the same version of a package that both name', () => {
    const [library, server] = [read('package.json'), read('.deploy/npm/package.json')];
    expect(server.version).toBe(library.version);
    const versions = { ...server.dependencies, ...server.devDependencies };
    const both = Object.entries(library.devDependencies ?? {}).filter(([name]) => versions[name]);
    expect(both.length).toBeGreaterThan(0);
    for (const [name, version] of both) expect(versions[name]).toBe(version);
  });
});
