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
 * as the load takes.
 *
 * @returns Undefined where the library has no such comparisons, or no copy can be made or loaded.
 */
export function loadPatchedUws(): unknown {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const require = createRequire(import.meta.url);
  const name = `uws_linux_x64_${process.versions.modules}.node`;
  let folder: string | undefined;
  try {
    const bytes = patched(readBinary(require.resolve.paths('uWebSockets.js') ?? [], name));
    if (bytes === undefined) return undefined;
    folder = mkdtempSync(join(tmpdir(), 'proofgate-http-'));
    const file = join(folder, name);
    writeFileSync(file, bytes, { mode: 0o700 });
    return require(file) as unknown;
  } catch {
    // A folder for temporary files that is read-only or allows no programs: the library is used as it is.
    return undefined;
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
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
