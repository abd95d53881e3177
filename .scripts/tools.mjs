/**
 * Helpers of the scripts in this folder. Plain JavaScript that needs no package to be loaded, because the scripts run
 * before any package is installed.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Returns the environment for programs that build or install something: without the settings of the service, since its
 * secrets are of no use to them.
 */
export function buildEnvironment() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PROOFGATE_')));
}

/** Runs a step of a package that starts a program by itself, with `buildEnvironment` as the environment of this process. */
export function inBuildEnvironment(step) {
  const settings = Object.entries(process.env).filter(([name]) => name.startsWith('PROOFGATE_'));
  for (const [name] of settings) delete process.env[name];
  try {
    return step();
  } finally {
    Object.assign(process.env, Object.fromEntries(settings));
  }
}

/** Writes one line to standard error, with the prefix `proofgate:`. */
export const say = (text) => process.stderr.write(`proofgate: ${text}\n`);

/** Ends the process with the exit code of a wrong configuration. */
export function fail(text) {
  say(text);
  process.exit(78);
}

/** Runs npm: if it has started this script, by its program, since the command `npm` of Windows needs a shell. */
export function npm(args, options) {
  const { npm_execpath: program = '' } = process.env;
  return program.endsWith('npm-cli.js')
    ? spawnSync(process.execPath, [program, ...args], options)
    : spawnSync('npm', args, options);
}

/** Lists every file below `folder` that `keep` accepts, sorted, so that equal trees have equal digests. */
export function filesBelow(folder, keep) {
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

/** Digests by the state of the files that they were made of, so that a start reads no file that did not change. */
const digestFile = join(root, '.cache', 'digests.json');
const MAX_DIGESTS = 64;
let digests;

/** Returns the SHA-256 of names and contents of files, and of further texts. */
export function digestOf(files, ...extra) {
  const state = createHash('sha256');
  for (const file of files) {
    const { size, mtimeMs, ctimeMs, ino } = statSync(file);
    state.update(`${file}\0${size} ${mtimeMs} ${ctimeMs} ${ino}\0`);
  }
  for (const text of extra) state.update(text).update('\0');
  const key = state.digest('base64url');
  digests ??= readDigests();
  const known = digests.get(key);
  if (known !== undefined) return known;
  const digest = readDigest(files, extra);
  digests.set(key, digest);
  try {
    mkdirSync(dirname(digestFile), { recursive: true });
    writeStamp(digestFile, [...digests].slice(-MAX_DIGESTS));
  } catch {
    // A read-only checkout works without.
  }
  return digest;
}

/** Returns the digests of former runs; none if they cannot be read. */
function readDigests() {
  const stored = readStamp(digestFile);
  return new Map(Array.isArray(stored) ? stored : []);
}

function readDigest(files, extra) {
  const hash = createHash('sha256');
  for (const file of files)
    hash
      .update(`${relative(root, file)}\0`)
      .update(readFileSync(file))
      .update('\0');
  for (const text of extra) hash.update(text).update('\0');
  return hash.digest('hex');
}

/** Reads a stamp; undefined if there is none or it cannot be read. */
export function readStamp(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Writes a stamp atomically: the file holds the old or the new one even if the process is killed. */
export function writeStamp(file, value) {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(value));
  renameSync(draft, file);
}

/** Flushes the content of a file to the disk. */
export function flushFile(file) {
  const handle = openSync(file, 'r+');
  fsyncSync(handle);
  closeSync(handle);
}

// A connection that is garbage-collected would release its lock.
const held = new Set();

/**
 * Takes a lock between processes; returns a function that releases it, or undefined when another process
 * holds it. The kernel releases it when its holder ends in any way, so no lock is ever stale.
 */
export function tryLock(file) {
  mkdirSync(dirname(file), { recursive: true });
  const Database = createRequire(import.meta.url)('libsql');
  const connection = new Database(file);
  try {
    connection.exec('pragma busy_timeout = 0');
    // Nothing is ever written, so there is nothing to roll back after a kill.
    connection.exec('pragma journal_mode = off');
    connection.exec('begin exclusive');
  } catch (error) {
    connection.close();
    if (error.code === 'SQLITE_BUSY') return undefined;
    throw error;
  }
  held.add(connection);
  return () => {
    held.delete(connection);
    connection.close();
  };
}

const LOCK_POLL_MS = 250;

/**
 * Takes a lock and waits for it as long as another process holds it.
 *
 * @param onWait - Called once when there is something to wait for.
 * @returns A function that releases it.
 */
export function takeLock(file, onWait) {
  for (let isFirst = true; ; isFirst = false) {
    const release = tryLock(file);
    if (release) return release;
    if (isFirst) onWait();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_POLL_MS);
  }
}
