import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const HERE = fileURLToPath(new URL('./', import.meta.url));
/** Packages, which are not bundled. */
const PACKAGES = /^[^./]/;

/**
 * Bundles the scripts of this folder, which start in a fifth of the time that their sources take.
 *
 * @returns Folder of the bundles, until the end of the process.
 */
export async function bundleScripts(): Promise<string> {
  const { keepSourceUrls } = (await import(join(ROOT, '.scripts/bundle.mjs'))) as {
    keepSourceUrls(sources: string, output: string): Plugin;
  };
  const folder = mkdtempSync(join(tmpdir(), 'proofgate-scripts-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const names = readdirSync(HERE).filter((name) => name.endsWith('-process.ts'));
  const build = await rolldown({
    platform: 'node',
    input: Object.fromEntries(names.map((name) => [name.replace(/\.ts$/, ''), join(HERE, name)])),
    external: PACKAGES,
    plugins: [keepSourceUrls(join(ROOT, 'src'), join(ROOT, 'dist'))],
  });
  await build.write({ dir: folder, format: 'esm', entryFileNames: '[name].js' });
  await build.close();
  return folder;
}
