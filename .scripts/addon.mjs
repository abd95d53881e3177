/**
 * Checks whether the native addon is current, and builds it. `npm test` and `npm run setup` wait for the build;
 * with `npm start` it runs in the background while the service has started on the committed addon or on WASM. One
 * process at a time builds it. The finished addon is renamed into place, then stamped, so a build may be killed at any point.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { constants, homedir, setPriority } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import {
  buildEnvironment,
  digestOf,
  filesBelow,
  flushFile,
  readStamp,
  root,
  say,
  takeLock,
  tryLock,
  writeStamp,
} from './tools.mjs';

const folder = join(root, 'native', 'addon');
const addonFile = join(folder, `proofgate.${process.platform}-${process.arch}-gnu.node`);
/** The addon for machines without Rust, which some platforms have. */
const prebuiltFile = join(root, 'native', 'prebuilt', basename(addonFile));
const logFile = join(folder, '.build.log');
const stampFile = join(folder, '.built.json');
// Not named like a source: reading it for the digest would release the lock that this process holds.
const lockFile = join(folder, '.building.db');
/** Names the process that builds, for the log of a service that starts meanwhile (src/engine/backends/load-backend.ts). */
const markerFile = join(folder, '.building.json');
const builder = join(root, '.scripts', 'build-native.mjs');

const DURATION = 'once, about 3 minutes on two cores';
const fallback = () => `the committed ${isPrebuilt() ? 'addon' : 'WASM build'} is used`;
const PROGRESS_MS = 15_000;
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Files of the crate's tests do not change the addon. */
const sourcesDigest = () =>
  digestOf(
    filesBelow(join(folder, '..'), (path) => /\.(rs|toml|lock)$/.test(path) && !/[\\/]tests[\\/]/.test(path)),
  );

/** Whether the addon exists and was built from the present sources. */
export function isAddonCurrent(digest = sourcesDigest()) {
  const stamp = readStamp(stampFile);
  return stamp?.digest === digest && stamp.isBuilt && existsSync(addonFile);
}

/** Whether an addon for this platform is committed. */
export function isPrebuilt() {
  return existsSync(prebuiltFile);
}

/** Returns the version of cargo, or undefined if it is not installed. */
function cargoVersion() {
  const { status, stdout } = spawnSync('cargo', ['--version'], {
    cwd: join(root, 'native'),
    env: buildEnvironment(),
    encoding: 'utf8',
  });
  return status === 0 ? stdout.trim() : undefined;
}

/**
 * Decides what to do: nothing (`current`), a build (`outdated`), or nothing because a build would fail
 * (`no-cargo`; `failed`: this cargo could not build these sources before).
 *
 * @param force - Requests a build even if one is not necessary or has failed before.
 */
function addonState(force = false) {
  const digest = sourcesDigest();
  if (!force && isAddonCurrent(digest)) return { kind: 'current' };
  const cargo = cargoVersion();
  if (cargo === undefined) return { kind: 'no-cargo' };
  const stamp = readStamp(stampFile);
  const hasFailed = stamp?.digest === digest && stamp.cargo === cargo && !stamp.isBuilt;
  return { kind: hasFailed && !force ? 'failed' : 'outdated', cargo };
}

/** Removes an addon of other sources, which must not be loaded instead of the committed builds. */
export function removeStaleAddon() {
  if (!existsSync(addonFile) || isAddonCurrent()) return;
  const release = tryLock(lockFile);
  // The process that holds the lock has removed it, and may rename a new one into place at any time.
  if (release === undefined) return;
  if (!isAddonCurrent()) rmSync(addonFile, { force: true });
  release();
}

/** Reports why there is no addon and none is built. */
function goWithoutAddon(state) {
  removeStaleAddon();
  say(
    state.kind === 'no-cargo'
      ? `no cargo found, so the native addon is not built; ${fallback()}`
      : `the native addon did not build with ${state.cargo}; ${fallback()} (npm run build:native tries again)`,
  );
}

/** Reports in one line why a build cannot start, for example a read-only folder. The caller continues. */
function reportNoBuild(error) {
  say(`the native addon cannot be built (${error.message}); ${fallback()}`);
  return false;
}

/**
 * Builds the addon if it is not current and cargo is installed, and waits for it. Reports a failure in one line.
 *
 * @param force - Builds it even if it is current, or if these sources did not build before.
 * @returns Whether the addon exists.
 */
export async function ensureAddon({ force = false } = {}) {
  const state = addonState(force);
  if (state.kind === 'current') return true;
  if (state.kind === 'outdated') return await buildInTurn(force).catch(reportNoBuild);
  goWithoutAddon(state);
  return false;
}

/** Waits until no other process builds the addon, then builds it unless the other process did. */
async function buildInTurn(force) {
  const release = takeLock(lockFile, () =>
    say(`another process is building the native addon (${DURATION}); waiting for it`),
  );
  try {
    const { kind, cargo } = addonState(force);
    if (kind !== 'outdated') return kind === 'current';
    say(`building the native addon with ${cargo} (${DURATION})`);
    return await buildLatest(cargo, { isForeground: true });
  } finally {
    release();
  }
}

/**
 * Starts a build in another process if the addon is not current. The build has the lowest priority and ends
 * with this process. Resolves once the build has removed an addon of other sources, so it cannot be loaded.
 */
export async function buildAddonInBackground() {
  const state = addonState();
  if (state.kind === 'current') return;
  if (state.kind !== 'outdated') return goWithoutAddon(state);
  const child = spawn(process.execPath, [builder, '--background'], {
    cwd: root,
    env: buildEnvironment(),
    // Its own process group: Ctrl-C ends the service, which finishes its requests, and only then the build.
    detached: true,
    stdio: ['pipe', 'pipe', 2],
  });
  const ended = once(child, 'close').catch((error) => [error.message]);
  const line = once(createInterface(child.stdout), 'line').then(([text]) => text);
  const first = await Promise.race([line, ended.then(() => 'ended')]);
  const next = `the service runs on ${isPrebuilt() ? 'the committed addon' : 'WASM'} until the next start`;
  if (first === 'building') {
    say(`building the native addon in the background with ${state.cargo} (${DURATION}); ${next}`);
    void ended.then(([code]) => {
      if (code === 0) say('the native addon is built; the next start uses it');
    });
  } else if (first === 'busy') {
    say(`another process is building the native addon; ${next}`);
  }
  for (const part of [child, child.stdin, child.stdout]) part.unref();
}

/**
 * Runs in the process that `buildAddonInBackground` starts. Prints on standard output whether it builds
 * (`building`) or another process does (`busy`), and stops when its standard input ends, which means that the
 * service has ended.
 *
 * @returns The exit code.
 */
export async function runBackgroundBuild() {
  return await buildUnlessBusy().catch((error) => {
    reportNoBuild(error);
    return 1;
  });
}

async function buildUnlessBusy() {
  const release = tryLock(lockFile);
  if (!release) {
    process.stdout.write('busy\n');
    return 0;
  }
  try {
    const state = addonState();
    if (state.kind !== 'outdated') return 0;
    const stop = new AbortController();
    process.stdin.resume().on('end', () => stop.abort());
    const isBuilt = await buildLatest(state.cargo, {
      isForeground: false,
      stop: stop.signal,
      onBegin: () => {
        process.stdout.write('building\n');
        // Only now: the service waits for this line.
        lowerPriority();
      },
    });
    return isBuilt ? 0 : 1;
  } finally {
    process.stdin.destroy();
    release();
  }
}

/** Gives this process and its children the lowest priority; if memory runs out, they are killed first. */
function lowerPriority() {
  setPriority(constants.priority.PRIORITY_LOW);
  // With autogroup scheduling, the kernel schedules a session as a group; priorities count only within it.
  for (const [name, value] of [
    ['autogroup', '19'],
    ['oom_score_adj', '1000'],
  ]) {
    try {
      writeFileSync(`/proc/self/${name}`, value);
    } catch {
      // the kernel does not have it, or it is not permitted
    }
  }
}

/** Matches cargo's output when memory or disk ran out: such a failure is not due to the sources. */
const STARVED = /\(signal: 9, SIGKILL|No space left on device/;

/** Builds the present sources; repeats if they changed during the build. The caller holds the lock. */
async function buildLatest(cargo, options) {
  rmSync(addonFile, { force: true });
  rmSync(stampFile, { force: true });
  writeStamp(markerFile, { pid: process.pid });
  options.onBegin?.();
  try {
    for (;;) {
      const digest = sourcesDigest();
      const end = await compile(options);
      if (end === 'stopped') return false;
      if (end === 'starved') {
        say(
          `the native addon was not built: memory or disk ran out (${relative(root, logFile)}); the next start tries again`,
        );
        return false;
      }
      if (sourcesDigest() !== digest) {
        say('the sources of the native addon changed during its build; building it again');
        continue;
      }
      writeStamp(stampFile, { digest, cargo, isBuilt: end === 'built' });
      if (end === 'built') return true;
      say(`the native addon did not build (${relative(root, logFile)} has the reason); ${fallback()}`);
      return false;
    }
  } finally {
    rmSync(markerFile, { force: true });
  }
}

/** Runs the compiler once and installs its output; returns `built`, `failed`, `starved` or `stopped`. */
async function compile({ isForeground, stop }) {
  const target = process.env.CARGO_TARGET_DIR ?? join(root, 'native', 'target');
  mkdirSync(target, { recursive: true });
  // Left by builds that were killed. A compiler that survived its build does not write to the new folder.
  for (const name of readdirSync(target)) {
    if (name.startsWith('addon-')) rmSync(join(target, name), { recursive: true, force: true });
  }
  const output = mkdtempSync(join(target, 'addon-'));
  const cli = createRequire(import.meta.url).resolve('@napi-rs/cli');
  const napi = join(dirname(dirname(cli)), 'dist', 'cli.js');
  const options = ['--release', '--platform', '--no-js', '--target-dir', target, '--output-dir', output];
  const manifest = ['--manifest-path', join(folder, 'Cargo.toml')];
  const args = [napi, 'build', ...options, ...manifest, '--', '--locked', '--quiet'];
  // A compiler that is too old prints pages of errors; they go to a file, and the caller reports one line.
  const log = openSync(logFile, 'w');
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...buildEnvironment(), CARGO_ENCODED_RUSTFLAGS: rustFlags() },
    stdio: ['ignore', log, log],
    detached: isForeground,
  });
  closeSync(log);
  const isStopped = await untilEnd(child, { isForeground, stop });
  try {
    if (isStopped || child.signalCode !== null) return 'stopped';
    if (child.exitCode !== 0) return STARVED.test(readFileSync(logFile, 'latin1')) ? 'starved' : 'failed';
    const temporary = `${addonFile}.${process.pid}`;
    // The compiler names it after the C library of the platform.
    const [built] = readdirSync(output).filter((name) => name.endsWith('.node'));
    copyFileSync(join(output, built), temporary);
    flushFile(temporary);
    // Renamed into place: a running service keeps the file that it has mapped.
    renameSync(temporary, addonFile);
    return 'built';
  } finally {
    rmSync(output, { recursive: true, force: true });
  }
}

/** Panic messages name source files: the addon is published, and no path of this machine may be in it. */
function rustFlags() {
  const { CARGO_HOME = join(homedir(), '.cargo'), RUSTFLAGS = '' } = process.env;
  const remapped = { [root]: 'proofgate', [CARGO_HOME]: 'cargo' };
  const remaps = Object.entries(remapped).map(([from, to]) => `--remap-path-prefix=${from}=${to}`);
  return [...RUSTFLAGS.split(' ').filter((flag) => flag !== ''), ...remaps].join('\x1f');
}

/** Waits for the compiler; ends it and its children when this process must end. Returns whether it did. */
async function untilEnd(child, { isForeground, stop }) {
  const group = isForeground ? child.pid : process.pid;
  let signal;
  const endGroup = (name) => {
    // In the background this process is in the group and receives its own signal.
    if (signal !== undefined) return;
    signal = name;
    try {
      process.kill(-group, 'SIGTERM');
    } catch {
      // it has ended
    }
  };
  const onStop = () => endGroup('SIGTERM');
  for (const name of STOP_SIGNALS) process.on(name, endGroup);
  stop?.addEventListener('abort', onStop);
  if (stop?.aborted) onStop();
  const begun = Date.now();
  const report = () => {
    const seconds = Math.round((Date.now() - begun) / 1000);
    say(`building the native addon: ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`);
  };
  const timer = isForeground ? setInterval(report, PROGRESS_MS) : undefined;
  try {
    await once(child, 'close');
  } finally {
    clearInterval(timer);
    for (const name of STOP_SIGNALS) process.off(name, endGroup);
    stop?.removeEventListener('abort', onStop);
  }
  if (signal === undefined) return false;
  // In the background the caller finishes; in the foreground this process ends by the received signal.
  if (isForeground) {
    rmSync(markerFile, { force: true });
    process.kill(process.pid, signal);
  }
  return true;
}
