/**
 * Steps that `npm start`, `npm test` and the `proofgate` bin take before they run: packages, the native addon
 * (addon.mjs), the bundles of the service and of the browser pages. Each step compares a digest of its
 * sources with that of its last run, so a second start does nothing.
 */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import {
  buildAddonInBackground,
  ensureAddon,
  isAddonCurrent,
  isPrebuilt,
  removeStaleAddon,
} from './addon.mjs';
import { bundle, keepSourceUrls, oneFile, POOL_PROGRAM, writeLicenses } from './bundle.mjs';
import { ensureLibrary } from './library.mjs';
import {
  buildEnvironment,
  digestOf,
  fail,
  filesBelow,
  inBuildEnvironment,
  npm,
  readStamp,
  root,
  say,
  takeLock,
  writeStamp,
} from './tools.mjs';

const dist = join(root, 'dist');
const distStamp = join(dist, '.built.json');
const distLock = join(dist, '.lock');
const clientFolder = join(dist, 'client');
const clientStamp = join(clientFolder, '.built.json');
const packagesStamp = join(root, 'node_modules', '.proofgate-lock');

/** Refuses a Node that is older than those of the manifest, and reports a newer one that no test has run on. */
export function checkPlatform() {
  const { node } = process.versions;
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const tried = engines.node.split(' || ').map((range) => range.slice(1).split('.').map(Number));
  const line = tried.find(([release]) => release === major);
  if (line !== undefined && minor >= (line[1] ?? 0)) return;
  // Node 21 is older than 20.19 by date, and the bundler does not run on it.
  if (line !== undefined || major < 22) fail(`Node ${node} found; ${engines.node} is needed.`);
  say(`Node ${node} found; the tests have run on ${engines.node}.`);
}

/** Installs the packages of the lock file unless they are installed. */
export function ensurePackages() {
  const lock = digestOf([join(root, 'package-lock.json')]);
  if (existsSync(packagesStamp) && readFileSync(packagesStamp, 'utf8') === lock) return;
  say('installing packages (once, about 20 seconds)');
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { error, status } = npm(args, { cwd: root, env: buildEnvironment(), stdio: ['ignore', 2, 2] });
  if (error) fail(`npm could not be started (${error.message}); the packages were not installed.`);
  if (status !== 0) fail(`npm ci ended with status ${status}; the packages could not be installed.`);
  dropOtherBinaries();
  writeFileSync(packagesStamp, lock);
}

/** Removes the binaries of uWebSockets.js for other platforms, most of its 250 MB. Tests run on several versions of Node. */
function dropOtherBinaries() {
  const kept = `uws_${process.platform}_${process.arch}_`;
  for (const folder of ['@btc-vision/uwebsockets.js', 'uWebSockets.js/dist/bin']) {
    const path = join(root, 'node_modules', folder);
    if (!existsSync(path)) continue;
    for (const name of readdirSync(path)) {
      if (/^uws_.*\.node$/.test(name) && !name.startsWith(kept)) rmSync(join(path, name));
    }
  }
}

/** Programs of threads and processes, each in one file at the path of its source. */
const PROGRAMS = ['engine/worker/worker', 'storage/drivers/libsql-worker', 'development/setup/setup-process'];
/** Modules that the bench and tests import as they run in production, from `dist/modules`; no package has them. */
const MODULES = {
  credential: 'src/credential/credential.ts',
  'credential-hash': 'src/credential/hash.ts',
  engine: 'src/engine/create-engine.ts',
  storage: 'src/storage/open-store.ts',
  'load-backend': 'src/engine/backends/load-backend.ts',
  'task-handler': 'src/engine/worker/task-handler.ts',
  vectors: 'src/engine/self-test/vectors.ts',
};
/** Loaded on demand, if they are there: the server does not depend on them. */
const OPTIONAL = ['snarkjs', 'ffjavascript', '@iden3/binfileutils', 'pino-pretty', '@napi-rs/nice'];

/**
 * Dependencies that the packed service installs: programs of a platform, and what few installations load. The bundle has the
 * others.
 */
export const UNBUNDLED = [
  '@btc-vision/uwebsockets.js',
  '@opentelemetry/api',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace-base',
  'libsql',
  'pg',
  'uWebSockets.js',
];

/** Every thread keeps the text of what it has loaded: comments and white space would be half of it. */
const WITHOUT_SPACE = { compress: false, mangle: false, codegen: { removeWhitespace: true } };

/** Returns the patterns of imports that stay outside of the bundle. It has the API of OpenTelemetry, which a metric loads at every start. */
function externals() {
  const names = [...OPTIONAL, ...UNBUNDLED].filter((name) => name !== '@opentelemetry/api');
  return names.map((name) => new RegExp(`^${name.replaceAll('.', '\\.')}(?:/|$)`));
}

/** Bundles `src` without the browser code to `dist` when a source changed; copies what is not TypeScript. */
export async function ensureDist() {
  const isBrowserCode = (path) => path.startsWith(join(root, 'src', 'client'));
  const sources = filesBelow(join(root, 'src'), (path) => !isBrowserCode(path));
  const settings = [
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    '.scripts/bundle.mjs',
    '.scripts/steps.mjs',
    'wasm/artifact/proofgate_wasm.js',
  ];
  const digest = digestOf([...sources, ...settings.map((name) => join(root, name))]);
  const isCurrent = () => readStamp(distStamp)?.digest === digest;
  if (!isCurrent())
    await withDistLock('the service', async () => isCurrent() || (await bundleService(sources, digest)));
}

/** Matches what other steps write to `dist`. */
const OTHERS = /^(?:client|client\.new|\..*lock)$/;

async function bundleService(sources, digest) {
  say('bundling the service');
  for (const entry of readdirSync(dist)) {
    if (!OTHERS.test(entry)) rmSync(join(dist, entry), { recursive: true, force: true });
  }
  const options = {
    external: externals(),
    plugins: [keepSourceUrls(join(root, 'src'), dist)],
    // src/source-maps.ts reads the maps when it needs them.
    output: { sourcemap: 'hidden', sourcemapExcludeSources: true, minify: WITHOUT_SPACE },
  };
  const entries = (names) => Object.fromEntries(names.map((name) => [name, `src/${name}.ts`]));
  const main = entries(['main', 'app/front-ends/front-end-thread']);
  // Everything that every command loads is in one file.
  const groups = [oneFile('core', join(root, main.main))];
  const output = { ...options.output, codeSplitting: { groups } };
  const bundled = [await bundle({ dir: dist, input: { ...main, ...POOL_PROGRAM }, ...options, output })];
  for (const name of PROGRAMS) bundled.push(await bundle({ dir: dist, input: entries([name]), ...options }));
  writeLicenses(dist, bundled.flat());
  await bundle({ dir: join(dist, 'modules'), input: { ...MODULES, ...POOL_PROGRAM }, ...options });
  for (const file of sources.filter((path) => !/\.(ts|md)$/.test(path))) {
    const target = join(dist, relative(join(root, 'src'), file));
    mkdirSync(dirname(target), { recursive: true });
    if (statSync(file).isFile()) copyFileSync(file, target);
  }
  writeOpenApi();
  writeFileSync(join(dist, 'build.json'), JSON.stringify({ commit: commitOfSources() }));
  writeStamp(distStamp, { digest });
}

/** The OpenAPI documents of `dist/docs`, by name, with the arguments that print them. */
export const OPENAPI_DOCUMENTS = {
  'openapi.json': ['public', '--verify.worldid4.enabled', 'true'],
  'openapi-admin.json': ['admin'],
};

/** Writes the OpenAPI documents with the default settings: no variable is set, and the folder has no file of settings. */
function writeOpenApi() {
  const folder = join(dist, 'docs');
  mkdirSync(folder, { recursive: true });
  for (const [name, args] of Object.entries(OPENAPI_DOCUMENTS)) {
    const command = [join(dist, 'main.js'), 'openapi', ...args];
    const options = { cwd: folder, env: buildEnvironment(), maxBuffer: 1 << 26 };
    const { status, stdout, stderr } = spawnSync(process.execPath, command, options);
    if (status !== 0) fail(`${name} could not be made: ${stderr}`);
    writeFileSync(join(folder, name), stdout);
  }
}

/**
 * Returns what the build is named after besides its version (src/version.ts): empty at the tag of the version; else the commit,
 * with `.changed` if the sources differ from it; null if unknown.
 *
 * @param given - The tag or the commit, where there is no repository.
 */
export function commitOfSources(given = process.env.BUILD_COMMIT) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  if (given === `v${version}`) return '';
  if (given !== undefined && given !== '') return given;
  if (!existsSync(join(root, '.git'))) return null;
  const options = { encoding: 'utf8', env: buildEnvironment() };
  const git = (...args) => spawnSync('git', ['-C', root, ...args], options).stdout?.trim() ?? '';
  const commit = git('rev-parse', '--short=12', 'HEAD');
  const isChanged = git('status', '--porcelain', '--', 'src', 'package.json') !== '';
  if (git('tag', '--points-at', 'HEAD', '--list', `v${version}`) !== '' && !isChanged) return '';
  return commit === '' ? null : `${commit}${isChanged ? '.changed' : ''}`;
}

/** Runs a step that writes to `dist` while no other process does. */
async function withDistLock(what, step) {
  const release = takeLock(distLock, () => say(`another process is bundling; ${what} waits for it`));
  try {
    await step();
  } finally {
    release();
  }
}

// The worker is a classic script, because it loads the file that snarkjs ships by importScripts.
const CLIENT_BUNDLES = [
  { entryPoints: { 'wallet-page': 'src/client/wallet/page.ts' }, format: 'esm' },
  { entryPoints: { 'wallet-worker': 'src/client/wallet/prover/prover-worker.ts' }, format: 'iife' },
  { entryPoints: { wallet: 'src/client/wallet/wallet.css' } },
  { entryPoints: { 'sign-in-page': 'src/client/signin/page.ts' }, format: 'esm' },
  { entryPoints: { 'wait-page': 'src/client/signin/wait-page.ts' }, format: 'esm' },
  { entryPoints: { 'sign-in': 'src/client/signin/signin.css' } },
  { entryPoints: { 'demo-page': 'src/client/demo/page.ts' }, format: 'esm' },
  { entryPoints: { 'demo-callback': 'src/client/demo/callback.ts' }, format: 'esm' },
  { entryPoints: { demo: 'src/client/demo/demo.css' } },
  { entryPoints: { dashboard: 'src/client/admin/page.ts' }, format: 'esm' },
  { entryPoints: { 'docs-page': 'src/client/docs/page.ts' }, format: 'esm' },
  { entryPoints: { docs: 'src/client/docs/docs.css' } },
  { entryPoints: { 'dashboard-style': 'src/client/admin/dashboard.css' } },
];
const CLIENT_OPTIONS = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'eof',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  outdir: 'dist/client.new',
  metafile: true,
  logLevel: 'error',
};

/** Files of swagger-ui-dist that `/docs` serves. They are copied, so that an installed server does not depend on the package. */
const SWAGGER_FILES = ['swagger-ui-bundle.js', 'swagger-ui.css', 'LICENSE'];

/** Bundles the browser code of `src/client` to `dist/client` when one of the files that went into it changed. */
export async function ensureClient() {
  const isCurrent = () => {
    const stamp = readStamp(clientStamp);
    const isWhole = stamp?.outputs.every((name) => existsSync(join(clientFolder, name)));
    return isWhole && stamp.digest === clientDigest(stamp.inputs);
  };
  if (!isCurrent()) await withDistLock('the bundling of the pages', () => isCurrent() || bundlePages());
}

function bundlePages() {
  say('bundling the pages');
  const fresh = join(root, CLIENT_OPTIONS.outdir);
  rmSync(fresh, { recursive: true, force: true });
  const { buildSync, stop } = createRequire(import.meta.url)('esbuild');
  const inputs = new Set();
  for (const bundle of CLIENT_BUNDLES) {
    try {
      const { metafile } = inBuildEnvironment(() => buildSync({ ...CLIENT_OPTIONS, ...bundle }));
      for (const input of Object.keys(metafile.inputs)) inputs.add(input);
    } catch (error) {
      fail(`the pages could not be bundled: ${error.message}`);
    }
  }
  // The process of esbuild would otherwise live as long as this one, which may become the service.
  stop();
  writeLicenses(
    fresh,
    [...inputs].map((input) => join(root, input)),
  );
  for (const name of SWAGGER_FILES) {
    const path = join('node_modules', 'swagger-ui-dist', name);
    inputs.add(path);
    copyFileSync(join(root, path), join(fresh, name === 'LICENSE' ? 'swagger-ui.LICENSE' : name));
  }
  const files = [...inputs].sort();
  const built = readdirSync(fresh);
  // Replaced one by one, so that a service that starts now finds every file; the stamp is written last.
  mkdirSync(clientFolder, { recursive: true });
  for (const name of built) renameSync(join(fresh, name), join(clientFolder, name));
  for (const name of readdirSync(clientFolder)) {
    if (!built.includes(name)) rmSync(join(clientFolder, name), { recursive: true });
  }
  rmSync(fresh, { recursive: true });
  writeStamp(clientStamp, { digest: clientDigest(files), inputs: files, outputs: built });
}

/** Returns the digest of all inputs of the bundles (sources, packages, options); undefined if a source is gone. */
function clientDigest(inputs) {
  const files = [...inputs, 'package-lock.json', 'tsconfig.json'].map((path) => join(root, path));
  if (!files.every((file) => existsSync(file))) return undefined;
  const { absWorkingDir, ...options } = CLIENT_OPTIONS;
  return digestOf(files, JSON.stringify([CLIENT_BUNDLES, options]));
}

/** Ensures everything but the addon. */
async function ensurePrograms() {
  checkPlatform();
  ensurePackages();
  await ensureDist();
  await ensureClient();
}

/** Ensures everything; waits for the addon. */
export async function ensureAll() {
  checkPlatform();
  ensurePackages();
  await ensureAddon();
  await ensureDist();
  await ensureClient();
  await ensureLibrary();
}

/**
 * Ensures what a service needs before it starts. The service starts on the committed addon or on WASM while
 * the addon is built, unless its settings require an addon and none is committed.
 *
 * @param argv - Arguments after `serve`.
 */
export async function ensureForService(argv) {
  await ensurePrograms();
  if (await needsMissingAddon(argv)) await ensureAddon();
  else await buildAddonInBackground();
}

/** Ensures what a command other than `serve` needs; the addon is built only if the settings require it. */
export async function ensureForCommand(argv) {
  await ensurePrograms();
  if (await needsMissingAddon(argv)) await ensureAddon();
  else removeStaleAddon();
}

/** Whether the addon is missing or outdated, none is committed, and the command line or the settings in force require it. */
async function needsMissingAddon(argv) {
  if (isAddonCurrent() || isPrebuilt()) return false;
  const given = optionOf(argv, '--backend') ?? optionOf(argv, '--engine.backend');
  if (given !== undefined) return given.startsWith('native');
  const configFile = optionOf(argv, '--config');
  try {
    const given = configFile === undefined ? [] : ['--config', configFile];
    const explain = [join(dist, 'main.js'), 'config', 'explain', '--json', ...given];
    const { stdout } = spawnSync(process.execPath, explain, { encoding: 'utf8' });
    return JSON.parse(stdout).settings.some(
      ({ key, value }) => key === 'engine.backend' && value.startsWith('native'),
    );
  } catch {
    // The command itself reports what is wrong with its settings.
    return false;
  }
}

/** Returns the value of an option, written `--name value` or `--name=value`. */
function optionOf(argv, name) {
  const joined = argv.findLast((word) => word.startsWith(`${name}=`));
  if (joined !== undefined) return joined.slice(name.length + 1);
  const at = argv.lastIndexOf(name);
  return at === -1 ? undefined : argv[at + 1];
}
