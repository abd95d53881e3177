import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Comparisons by which the HTTP library finds the white space around a header value. As compiled for x86-64 Linux they
 * are signed, so that every byte from 0x80 counts as white space: a cookie whose name is U+2000 and a `__Host-` name is
 * handed out as that name where it is the first of its header. The unsigned jump is one byte.
 */
const COMPARISONS: readonly (readonly [found: string, wanted: string])[] = [
  // cmp byte [rdx+rbx], 33; jge → jae
  ['803c1a217d10', '803c1a217310'],
  // cmp byte [rdx-1], 32; jg → ja
  ['807aff207f12', '807aff207712'],
];

/**
 * Loads a copy of the HTTP library that strips spaces and tabs alone. The copy is in a folder of this user for as long
 * as the load takes: below the folder for temporary files or, in a container that has none, below another one.
 *
 * @param otherFolder - A folder that this process may write.
 * @returns Undefined where the library has no such comparisons, or no copy can be made or loaded.
 */
export function loadPatchedUws(otherFolder: string | undefined): unknown {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const require = createRequire(import.meta.url);
  const name = `uws_linux_x64_${process.versions.modules}.node`;
  const bytes = patched(readBinary(require.resolve.paths('uWebSockets.js') ?? [], name));
  if (bytes === undefined) return undefined;
  for (const parent of [tmpdir(), ...(otherFolder === undefined ? [] : [otherFolder])]) {
    const loaded = loadCopy(require, { bytes, name, parent });
    if (loaded !== undefined) return loaded;
  }
  return undefined;
}

/** Loads the library from a folder that is then removed; undefined if the parent is read-only or allows no programs. */
function loadCopy(
  require: NodeJS.Require,
  { bytes, name, parent }: { readonly bytes: Buffer; readonly name: string; readonly parent: string },
): unknown {
  let folder: string | undefined;
  try {
    folder = mkdtempSync(join(parent, 'proofgate-http-'));
    const file = join(folder, name);
    writeFileSync(file, bytes, { mode: 0o700 });
    return require(file) as unknown;
  } catch {
    return undefined;
  } finally {
    remove(folder);
  }
}

function remove(folder: string | undefined): void {
  try {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  } catch {
    // What is left is a copy of a public library.
  }
}

function readBinary(folders: readonly string[], name: string): Buffer | undefined {
  for (const folder of folders) {
    try {
      return readFileSync(join(folder, 'uWebSockets.js', 'dist', 'bin', name));
    } catch {
      // Packages are looked for in each folder above this file.
    }
  }
  return undefined;
}

/** Returns the library with the wanted comparisons; undefined if it has not exactly one of each. */
function patched(bytes: Buffer | undefined): Buffer | undefined {
  if (bytes === undefined) return undefined;
  for (const [found, wanted] of COMPARISONS) {
    const at = bytes.indexOf(found, 0, 'hex');
    if (at < 0 || bytes.indexOf(found, at + 1, 'hex') >= 0) return undefined;
    bytes.write(wanted, at, 'hex');
  }
  return bytes;
}
