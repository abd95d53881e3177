/**
 * Stages the package `proofgate`, the workspace `.library`, beside its manifest: bundles the entries (its `exports`) to
 * `dist/library/bundle`, writes their types to `dist/library/types`, and copies the other files. The bundle is flat and three
 * folders below the package, as the sources that name the addon and the WASM modules are below the root, so that their
 * relative URLs hold in both.
 */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { bundle, POOL_PROGRAM, writeLicenses } from './bundle.mjs';
import {
  buildEnvironment,
  digestOf,
  fail,
  filesBelow,
  readStamp,
  root,
  say,
  takeLock,
  writeStamp,
} from './tools.mjs';

/** Folder of the package. */
export const libraryFolder = join(root, '.library');
const folder = join(libraryFolder, 'dist', 'library', 'bundle');
const types = join(libraryFolder, 'dist', 'library', 'types');
const stampFile = join(folder, '.built.json');
const TSC = join(root, 'node_modules', 'typescript-7', 'bin', 'tsc');
const BUNDLED = './dist/library/bundle/';
/** Programs of threads, which no entry imports; `compiledFile` finds them below the bundle by the same path. */
const PROGRAMS = ['engine/worker/worker'];
/** Imported by the sources, so that it is bundled with them. */
const GLUE = 'wasm/artifact/proofgate_wasm.js';
/** The rows of the error catalogue that the engine, its keys and credentials need; the service has many more. */
const CATALOGUE = { whole: 'src/errors/catalogue.ts', library: 'src/library/catalogue.ts' };

/** Returns the paths of the files that the package has from the repository. */
function copiedFiles() {
  const inFolder = (path, kind) =>
    existsSync(join(root, path))
      ? readdirSync(join(root, path))
          .filter((name) => name.endsWith(kind))
          .map((name) => join(path, name))
      : [];
  return [
    ...['README.md', 'LICENSE', '.scripts/proofgate.mjs'],
    ...[...inFolder('native/addon', '.node'), ...inFolder('native/prebuilt', '.node')],
    ...inFolder('wasm/artifact', '.wasm'),
  ];
}

const manifest = () => JSON.parse(readFileSync(join(libraryFolder, 'package.json'), 'utf8'));

/** Returns the names of the entries, those of the sources in src/library. */
function entryNames() {
  const targets = (value) => (typeof value === 'string' ? [value] : Object.values(value).flatMap(targets));
  const files = targets(manifest().exports).filter(
    (path) => path.startsWith(BUNDLED) && path.endsWith('.js'),
  );
  return [...new Set(files.map((path) => path.slice(BUNDLED.length, -'.js'.length)))];
}

/** Stages the library when something of it changed. */
export async function ensureLibrary() {
  const sources = filesBelow(join(root, 'src'), (path) => path.endsWith('.ts'));
  const settings = [
    '.library/package.json',
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    '.scripts/bundle.mjs',
    '.scripts/library.mjs',
    GLUE,
    ...copiedFiles(),
  ];
  const digest = digestOf([...sources, ...settings.map((name) => join(root, name))]);
  const isCurrent = () => readStamp(stampFile)?.digest === digest;
  if (isCurrent()) return;
  const release = takeLock(join(libraryFolder, '.lock'), () => say('another process bundles the library'));
  try {
    if (isCurrent()) return;
    say('bundling the library');
    for (const entry of readdirSync(libraryFolder)) {
      if (entry !== 'package.json' && !entry.startsWith('.lock'))
        rmSync(join(libraryFolder, entry), { recursive: true });
    }
    await bundleEntries();
    writeTypes();
    for (const path of copiedFiles()) {
      mkdirSync(dirname(join(libraryFolder, path)), { recursive: true });
      copyFileSync(join(root, path), join(libraryFolder, path));
    }
    writeStamp(stampFile, { digest });
  } finally {
    release();
  }
}

/** Everything is bundled, so that the package has no dependency and installs without a network. */
async function bundleEntries() {
  const library = join(root, CATALOGUE.library);
  const bundled = await bundle({
    dir: folder,
    input: Object.fromEntries([
      ...entryNames().map((name) => [name, `src/library/${name}.ts`]),
      ...PROGRAMS.map((name) => [name, `src/${name}.ts`]),
      ...Object.entries(POOL_PROGRAM),
    ]),
    // An optional package of the pool, for a setting that the engine does not use.
    external: ['@napi-rs/nice'],
    plugins: [
      {
        name: 'catalogue-of-the-library',
        async resolveId(source, importer) {
          if (importer === undefined || !source.endsWith('/catalogue.ts') || importer === library)
            return null;
          return resolve(dirname(importer), source) === join(root, CATALOGUE.whole) ? library : null;
        },
      },
    ],
  });
  writeLicenses(folder, bundled);
}

/** Writes the declarations that the entries lead to, which import each other by `.js`. */
function writeTypes() {
  const all = join(libraryFolder, 'dist', 'library', 'types.new');
  rmSync(all, { recursive: true, force: true });
  mkdirSync(all, { recursive: true });
  const config = join(all, 'tsconfig.json');
  const options = {
    extends: join(root, '.tsconfig.library.json'),
    compilerOptions: { outDir: '.', rootDir: join(root, 'src') },
    files: entryNames().map((name) => join(root, 'src', 'library', `${name}.ts`)),
    include: [join(root, 'src/**/*.d.ts')],
    exclude: [join(root, 'src/client')],
  };
  writeFileSync(config, JSON.stringify(options));
  const { status, stdout } = spawnSync(process.execPath, [TSC, '-p', config], {
    cwd: root,
    env: buildEnvironment(),
    encoding: 'utf8',
  });
  if (status !== 0) fail(`the types of the library could not be written:\n${stdout}`);
  const reached = new Set();
  const reach = (file) => {
    if (reached.has(file)) return;
    reached.add(file);
    const text = readFileSync(join(all, file), 'utf8');
    const rewritten = text.replace(/(from |import\()'(\.[^']*)\.ts'/g, (_, before, path) => {
      reach(relative(all, resolve(all, dirname(file), `${path}.d.ts`)));
      return `${before}'${path}.js'`;
    });
    const target = join(types, file);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, rewritten);
  };
  for (const name of entryNames()) reach(join('library', `${name}.d.ts`));
  rmSync(all, { recursive: true });
}
