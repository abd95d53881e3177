/** A folder in which the package is installed as npm would do it, for programs of other runtimes and bundlers. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PARTS = [
  'package.json',
  'dist/library/bundle',
  'wasm/artifact/relaxed.wasm',
  'wasm/artifact/simd.wasm',
  'wasm/artifact/scalar.wasm',
];

/** Installed tools of .ci/library-tools.sh. */
const TOOLS = join(ROOT, '.cache/library-tools/node_modules');

/** A folder with the package in its `node_modules`. */
export interface PackageFolder {
  readonly path: string;
  /** Writes a file and returns its path. */
  write(name: string, text: string): string;
  remove(): void;
}

/** Creates a folder with the files of the package that the web entries need. */
export function packageFolder(): PackageFolder {
  const path = mkdtempSync(join(tmpdir(), 'proofgate-library-'));
  const installed = join(path, 'node_modules', 'proofgate');
  for (const part of PARTS) cpSync(join(ROOT, part), join(installed, part), { recursive: true });
  writeFileSync(join(path, 'package.json'), JSON.stringify({ name: 'app', private: true, type: 'module' }));
  mkdirSync(join(path, 'out'));
  return {
    path,
    write(name, text) {
      const file = join(path, name);
      writeFileSync(file, text);
      return file;
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** Path below the `node_modules` of the tools; undefined if it is not installed. */
export function toolPath(path: string): string | undefined {
  const file = join(TOOLS, path);
  return existsSync(file) ? file : undefined;
}

/** Suffix of the title of a test that is skipped without a tool. */
export function toolSkip(path: string): string {
  return toolPath(path) === undefined ? ` [skipped: no ${path} in .cache/library-tools]` : '';
}
