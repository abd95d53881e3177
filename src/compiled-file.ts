/**
 * Returns the compiled program of a thread or child process. When run from source (tests), it is that of the last
 * build, which every npm script updates first: a thread that compiles TypeScript takes half a second of processor time
 * to start.
 *
 * @param path - Path below `dist`.
 */
export function compiledFile(path: string): URL {
  return new URL(import.meta.url.endsWith('.ts') ? `../dist/${path}` : `./${path}`, import.meta.url);
}
