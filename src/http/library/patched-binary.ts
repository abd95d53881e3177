import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Comparisons of the HTTP library that are changed, by build, each in one or two bytes.
 *
 * The first two find the white space around a header value. In the x86-64 Linux builds they are signed, so every byte from
 * 0x80 counts as white space: a cookie named U+2000 followed by a `__Host-` name is reported as that name if it is the first
 * of its header.
 *
 * The last one refuses a target that does not begin with a slash, such as one in absolute form, which a server must accept
 * (RFC 9112 section 3.2.2). Changed, it refuses spaces and control characters, and `request-target.ts` reads the rest.
 */
const COMPARISONS: readonly (readonly (readonly [found: string, wanted: string])[])[] = [
  // uws-pack 20.0.8
  [
    // cmp byte [rdx+rbx], 33; jge → jae
    ['803c1a217d10', '803c1a217310'],
    // cmp byte [rdx-1], 32; jg → ja
    ['807aff207f12', '807aff207712'],
    // cmp byte [rax], 47; jne → cmp byte [rax], 33; jb
    ['80382f0f85', '8038210f82'],
  ],
  // @btc-vision/uwebsockets.js 20.57.0
  [
    // cmp byte [r11+rax+1], 33; jge → jae
    ['41807c0301217d0c', '41807c030121730c'],
    // cmp byte [r11-1], 32; jg → ja
    ['41807bff207f11', '41807bff207711'],
    // cmp byte [r10], 47; jne → cmp byte [r10], 33; jb
    ['41803a2f0f85', '41803a210f82'],
  ],
];

/** Loads a native addon by the path of its file, whatever its name. */
export function loadBinary(path: string): unknown {
  const module = { exports: {} };
  process.dlopen(module, path);
  return module.exports;
}

/** A patched library in memory; `path` leads to its removed file while the process runs. */
export interface PatchedLibrary {
  readonly exports: unknown;
  readonly path: string;
  readonly keepsHeaderBytes: true;
  readonly readsEveryTarget: true;
}

/**
 * Loads a patched copy of the HTTP library that strips only spaces and tabs and takes every form of target. The copy has a
 * name during the load, in a folder that only this user can read: below the folder for temporary files or, in a container
 * without one, below `otherFolder`. Its file stays open, so that other threads load the same one.
 *
 * @param bytes - The binary; changed in place.
 * @param name - Its file name.
 * @param otherFolder - A folder that this process may write.
 * @returns Undefined if the library is none of these builds, or no copy can be written or loaded.
 */
export function loadPatched(
  bytes: Buffer,
  name: string,
  otherFolder: string | undefined,
): PatchedLibrary | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64' || !patch(bytes)) return undefined;
  for (const parent of [tmpdir(), ...(otherFolder === undefined ? [] : [otherFolder])]) {
    const copy = loadCopy({ bytes, name, parent });
    if (copy !== undefined) return { ...copy, keepsHeaderBytes: true, readsEveryTarget: true };
  }
  return undefined;
}

/** Loads the library from a temporary folder; undefined if the parent is read-only or does not allow executables. */
function loadCopy({
  bytes,
  name,
  parent,
}: {
  readonly bytes: Buffer;
  readonly name: string;
  readonly parent: string;
}): Pick<PatchedLibrary, 'exports' | 'path'> | undefined {
  let folder: string | undefined;
  let descriptor: number | undefined;
  try {
    folder = mkdtempSync(join(parent, 'proofgate-http-'));
    const file = join(folder, name);
    writeFileSync(file, bytes, { mode: 0o700 });
    descriptor = openSync(file, 'r');
    // The loader knows a library by its inode: this path is the same library in every thread.
    const path = `/proc/self/fd/${descriptor}`;
    return { exports: loadBinary(path), path };
  } catch {
    if (descriptor !== undefined) closeSync(descriptor);
    return undefined;
  } finally {
    remove(folder);
  }
}

function remove(folder: string | undefined): void {
  try {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  } catch {
    // The rest is only a copy of a public library.
  }
}

/** Changes the comparisons; returns false unless the library contains each of one build exactly once. */
function patch(bytes: Buffer): boolean {
  const build = COMPARISONS.find((comparisons) => comparisons.every(([found]) => isOnce(bytes, found)));
  for (const [found, wanted] of build ?? []) bytes.write(wanted, bytes.indexOf(found, 0, 'hex'), 'hex');
  return build !== undefined;
}

function isOnce(bytes: Buffer, found: string): boolean {
  const at = bytes.indexOf(found, 0, 'hex');
  return at >= 0 && bytes.indexOf(found, at + 1, 'hex') < 0;
}
