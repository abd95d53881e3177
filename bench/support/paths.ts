import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the checkout. */
export const root: string = fileURLToPath(new URL('../../', import.meta.url));

const builtFolder = new URL('../../dist/', import.meta.url);

/** The built program, which a server of the bench runs. */
export const program: string = fileURLToPath(new URL('main.js', builtFolder));

/**
 * Makes a folder for a database of the run on the disk of the checkout. The system's temporary folder may be
 * memory, where a commit costs nothing.
 */
export function temporaryFolder(name: string): { readonly path: string; remove(): void } {
  mkdirSync(join(root, '.cache'), { recursive: true });
  const path = mkdtempSync(join(root, '.cache', `bench-${name}-`));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/**
 * Imports a module of the built form, which is what runs in production.
 *
 * @param path - below `dist`, as `engine/index.js`. The type argument is that of the source.
 */
export async function built<T>(path: string): Promise<T> {
  return (await import(new URL(path, builtFolder).href)) as T;
}
