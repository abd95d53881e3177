/**
 * What `npm start`, `npm test` and the `proofgate` bin set up before they run: packages, the native addon, the
 * compiled TypeScript, the bundles of the browser pages. Plain JavaScript without packages, because it runs before any is installed. Each step
 * compares a digest of its sources with the one of its last run, so that a second start does nothing.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const addonFolder = join(root, 'native', 'addon');
const addonFile = join(addonFolder, `proofgate.${process.platform}-${process.arch}-gnu.node`);
const addonLog = join(addonFolder, '.build.log');
const addonStamp = join(addonFolder, '.built.json');
const distStamp = join(root, 'dist', '.built.json');
const clientFolder = join(root, 'dist', 'client');
const clientStamp = join(clientFolder, '.built.json');
const packagesStamp = join(root, 'node_modules', '.proofgate-lock');

const say = (text) => process.stderr.write(`proofgate: ${text}\n`);

function fail(text) {
  say(text);
  process.exit(78);
}

/** Every file below `folder` that `keep` takes, sorted, so that equal trees give equal digests. */
function filesBelow(folder, keep) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory())
        return entry.name === 'target' || entry.name.startsWith('.') ? [] : filesBelow(path, keep);
      return keep(path) ? [path] : [];
    });
}

function digestOf(files, ...extra) {
  const hash = createHash('sha256');
  for (const file of files)
    hash
      .update(`${relative(root, file)}\0`)
      .update(readFileSync(file))
      .update('\0');
  for (const text of extra) hash.update(text).update('\0');
  return hash.digest('hex');
}

function readStamp(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function run(command, args, options = {}) {
  const result = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    ...options,
  });
  return result.error ? 127 : (result.status ?? 1);
}

/** Refuses a Node or libc that the packages cannot run on, with what to do. */
export function checkPlatform() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isSupported = (major === 20 && minor >= 19) || (major === 22 && minor >= 12);
  if (!isSupported)
    fail(
      `Node ${process.versions.node} found; Node 20 (from 20.19) or 22 (from 22.12) is needed. Install one of them.`,
    );
  if (process.platform !== 'linux')
    fail(
      `${process.platform} found; Linux with glibc is needed. Use a Debian or Ubuntu machine or container.`,
    );
  if (!process.report.getReport().header.glibcVersionRuntime) {
    fail('this Node runs on musl (Alpine); glibc is needed by uWebSockets.js. Use a Debian-based image.');
  }
}

/** Installs the packages of the lock file when they are not the installed ones. */
export function ensurePackages() {
  const lock = digestOf([join(root, 'package-lock.json')]);
  if (existsSync(packagesStamp) && readFileSync(packagesStamp, 'utf8') === lock) return;
  say('installing packages (once)');
  // Not `npm ci`: it wants a lock entry for every optional package of every platform, and a lock file made where
  // foreign platforms are not served has none. The versions are those of the lock all the same.
  const args = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = process.env.npm_execpath;
  const status = npm?.endsWith('.js') ? run(process.execPath, [npm, ...args]) : run('npm', args);
  if (status !== 0) fail(`npm install ended with status ${status}; the packages could not be installed.`);
  writeFileSync(packagesStamp, lock);
}

/** Builds the addon where cargo is; anything that prevents it is one line, and WASM runs. Gives whether it is there. */
export function ensureAddon({ force = false } = {}) {
  const sources = filesBelow(join(root, 'native'), (path) => /\.(rs|toml|lock)$/.test(path));
  const version = spawnSync('cargo', ['--version'], {
    cwd: join(root, 'native'),
    encoding: 'utf8',
  });
  const cargo = version.status === 0 ? version.stdout.trim() : undefined;
  const digest = digestOf(sources);
  const stamp = readStamp(addonStamp);
  const isCurrent = stamp?.digest === digest && stamp.isBuilt && existsSync(addonFile);
  if (isCurrent && !force) return true;
  if (!cargo) {
    // An addon of other sources must not be loaded in place of the committed WASM build.
    rmSync(addonFile, { force: true });
    say('no cargo found, so the native addon is not built; the committed WASM build is used');
    return false;
  }
  if (stamp?.digest === digest && stamp.cargo === cargo && !stamp.isBuilt && !force) {
    say(
      `the native addon did not build with ${cargo}; the committed WASM build is used (npm run build:native tries again)`,
    );
    return false;
  }
  say(`building the native addon with ${cargo} (once)`);
  rmSync(addonFile, { force: true });
  const status = buildAddon();
  writeFileSync(addonStamp, JSON.stringify({ digest, cargo, isBuilt: status === 0 }));
  if (status !== 0) {
    const where = relative(root, addonLog);
    say(`the native addon did not build (${where} has the reason); the committed WASM build is used`);
  }
  return status === 0;
}

function buildAddon() {
  const target = process.env.CARGO_TARGET_DIR ?? join(root, 'native', 'target');
  const output = join(target, 'addon');
  const cli = createRequire(import.meta.url).resolve('@napi-rs/cli');
  const napi = join(dirname(dirname(cli)), 'dist', 'cli.js');
  const options = ['--release', '--platform', '--no-js', '--target-dir', target, '--output-dir', output];
  const manifest = ['--manifest-path', join(root, 'native', 'addon', 'Cargo.toml')];
  const args = [napi, 'build', ...options, ...manifest, '--', '--locked', '--quiet'];
  // A compiler that is too old prints pages; they go to a file, and the caller says one line.
  const log = openSync(addonLog, 'w');
  const status = run(process.execPath, args, { stdio: ['ignore', log, log] });
  closeSync(log);
  if (status !== 0) return status;
  // Renamed into place: a running service keeps the file that it mapped.
  const temporary = `${addonFile}.${process.pid}`;
  copyFileSync(join(output, basename(addonFile)), temporary);
  renameSync(temporary, addonFile);
  return 0;
}

/** Compiles `src` without its browser code to `dist` when a source changed, and copies what is not TypeScript. */
export function ensureDist() {
  const isBrowserCode = (path) => path.startsWith(join(root, 'src', 'client'));
  const sources = filesBelow(join(root, 'src'), (path) => !isBrowserCode(path));
  const settings = ['tsconfig.json', '.tsconfig.build.json', 'package-lock.json'].map((name) =>
    join(root, name),
  );
  const digest = digestOf([...sources, ...settings]);
  if (readStamp(distStamp)?.digest === digest) return;
  say('compiling TypeScript');
  const dist = join(root, 'dist');
  for (const entry of existsSync(dist) ? readdirSync(dist) : []) {
    if (join(dist, entry) !== clientFolder) rmSync(join(dist, entry), { recursive: true, force: true });
  }
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  const status = run(process.execPath, [tsc, '-p', '.tsconfig.build.json']);
  if (status !== 0) fail(`the TypeScript compiler ended with status ${status}`);
  for (const file of sources.filter((path) => !/\.(ts|md)$/.test(path))) {
    const target = join(root, 'dist', relative(join(root, 'src'), file));
    mkdirSync(dirname(target), { recursive: true });
    if (statSync(file).isFile()) copyFileSync(file, target);
  }
  writeFileSync(distStamp, JSON.stringify({ digest }));
}

// The worker is a classic script, because it loads the file that snarkjs ships by importScripts.
const CLIENT_BUNDLES = [
  { entryPoints: { 'wallet-page': 'src/client/wallet/page.ts' }, format: 'esm' },
  { entryPoints: { 'wallet-worker': 'src/client/wallet/prover-worker.ts' }, format: 'iife' },
  { entryPoints: { wallet: 'src/client/wallet/wallet.css' } },
  { entryPoints: { 'sign-in-page': 'src/client/signin/page.ts' }, format: 'esm' },
  { entryPoints: { 'sign-in': 'src/client/signin/signin.css' } },
  { entryPoints: { 'demo-page': 'src/client/demo/page.ts' }, format: 'esm' },
  { entryPoints: { 'demo-callback': 'src/client/demo/callback.ts' }, format: 'esm' },
  { entryPoints: { demo: 'src/client/demo/demo.css' } },
];
const CLIENT_OPTIONS = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'eof',
  outdir: 'dist/client.new',
  metafile: true,
  logLevel: 'error',
  // the glue of the WASM build names its file by import.meta, which a classic script lacks and nobody asks for
  logOverride: { 'empty-import-meta': 'silent' },
};

/** Bundles the browser code of `src/client` to `dist/client` when one of the files that went into it changed. */
export function ensureClient() {
  const stamp = readStamp(clientStamp);
  const isWhole = stamp?.outputs.every((name) => existsSync(join(clientFolder, name)));
  if (isWhole && stamp.digest === clientDigest(stamp.inputs)) return;
  say('bundling the pages');
  const fresh = join(root, CLIENT_OPTIONS.outdir);
  rmSync(fresh, { recursive: true, force: true });
  const { buildSync } = createRequire(import.meta.url)('esbuild');
  const inputs = new Set();
  for (const bundle of CLIENT_BUNDLES) {
    try {
      const { metafile } = buildSync({ ...CLIENT_OPTIONS, ...bundle });
      for (const input of Object.keys(metafile.inputs)) inputs.add(input);
    } catch (error) {
      fail(`the pages could not be bundled: ${error.message}`);
    }
  }
  const files = [...inputs].sort();
  const built = readdirSync(fresh);
  // Replaced one by one, so that a service which starts now finds each file; the stamp comes last.
  mkdirSync(clientFolder, { recursive: true });
  for (const name of built) renameSync(join(fresh, name), join(clientFolder, name));
  for (const name of readdirSync(clientFolder)) {
    if (!built.includes(name)) rmSync(join(clientFolder, name), { recursive: true });
  }
  rmSync(fresh, { recursive: true });
  writeFileSync(clientStamp, JSON.stringify({ digest: clientDigest(files), inputs: files, outputs: built }));
}

/** Digest of what makes the bundles: sources, versions of the packages, options; undefined when a source is gone. */
function clientDigest(inputs) {
  const files = [...inputs, 'package-lock.json', 'tsconfig.json'].map((path) => join(root, path));
  if (!files.every((file) => existsSync(file))) return undefined;
  return digestOf(files, JSON.stringify([CLIENT_BUNDLES, CLIENT_OPTIONS]));
}

/** All of it, in order. */
export function ensureAll() {
  checkPlatform();
  ensurePackages();
  ensureAddon();
  ensureDist();
  ensureClient();
}
