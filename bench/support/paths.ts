import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Root folder of the checkout. */
export const root: string = fileURLToPath(new URL('../../', import.meta.url));

const builtFolder = new URL('../../dist/', import.meta.url);

/** Path of the built program, which the servers of the bench run. */
export const program: string = fileURLToPath(new URL('main.js', builtFolder));

/**
 * Makes a folder for a database of the run on the disk of the checkout. The system's temporary folder may be
 * in memory, where a commit costs nothing.
 */
export function temporaryFolder(name: string): { readonly path: string; remove(): void } {
  mkdirSync(join(root, '.cache'), { recursive: true });
  const path = mkdtempSync(join(root, '.cache', `bench-${name}-`));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/**
 * Imports a module of the build, which is what runs in production.
 *
 * @typeParam T - Type of the source module.
 * @param path - Of a module in `dist/modules`, such as `engine.js`.
 */
export async function built<T>(path: string): Promise<T> {
  return (await import(new URL(`modules/${path}`, builtFolder).href)) as T;
}

/** Folder of the package of the library. */
export const libraryFolder: string = join(root, '.library');

/** Returns the URL of an entry of the bundled library, such as `index.js`. */
export const bundled = (file: string): string =>
  new URL(`.library/dist/library/bundle/${file}`, pathToFileURL(root)).href;
