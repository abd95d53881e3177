import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Comparisons by which the HTTP library finds the white space around a header value. In the x86-64 Linux build they are
 * signed, so every byte from 0x80 counts as white space: a cookie named U+2000 followed by a `__Host-` name is reported
 * as that name if it is the first of its header. The fix changes one byte, the jump, per comparison.
 */
const COMPARISONS: readonly (readonly [found: string, wanted: string])[] = [
  // cmp byte [rdx+rbx], 33; jge → jae
  ['803c1a217d10', '803c1a217310'],
  // cmp byte [rdx-1], 32; jg → ja
  ['807aff207f12', '807aff207712'],
];

/**
 * Loads a patched copy of the HTTP library that strips only spaces and tabs. The copy exists during the load, in a
 * folder that only this user can read: below the folder for temporary files or, in a container without one, below
 * `otherFolder`.
 *
 * @param bytes - The binary; changed in place.
 * @param name - Its file name.
 * @param otherFolder - A folder that this process may write.
 * @returns Undefined if the library has no such comparisons, or no copy can be written or loaded.
 */
export function loadPatched(
  bytes: Buffer,
  name: string,
  otherFolder: string | undefined,
): { readonly exports: unknown; readonly keepsHeaderBytes: true } | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64' || !patch(bytes)) return undefined;
  for (const parent of [tmpdir(), ...(otherFolder === undefined ? [] : [otherFolder])]) {
    const exports = loadCopy({ bytes, name, parent });
    if (exports !== undefined) return { exports, keepsHeaderBytes: true };
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
}): unknown {
  let folder: string | undefined;
  try {
    folder = mkdtempSync(join(parent, 'proofgate-http-'));
    const file = join(folder, name);
    writeFileSync(file, bytes, { mode: 0o700 });
    return createRequire(import.meta.url)(file) as unknown;
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
    // The rest is only a copy of a public library.
  }
}

/** Changes the comparisons; false unless the library contains each exactly once. */
function patch(bytes: Buffer): boolean {
  for (const [found, wanted] of COMPARISONS) {
    const at = bytes.indexOf(found, 0, 'hex');
    if (at < 0 || bytes.indexOf(found, at + 1, 'hex') >= 0) return false;
    bytes.write(wanted, at, 'hex');
  }
  return true;
}
