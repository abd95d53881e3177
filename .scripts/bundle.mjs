/** Bundles modules with rolldown, for the compiled program (steps.mjs) and the package of the library (library.mjs). */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fail, root } from './tools.mjs';

/**
 * Piscina looks for the program of its threads beside itself, by this name: a bundle that has the pool has it, too, as a
 * chunk of its own.
 */
export const POOL_PROGRAM = { worker: 'node_modules/piscina/dist/worker.js' };

/**
 * Writes the bundle of the entries to a folder. Code that several entries share is in chunks at the top of the folder.
 *
 * @param options - Of rolldown, besides `dir`; `input` names the file of each entry, below `dir` and without `.js`.
 * @returns The paths of the bundled modules.
 */
export async function bundle({ dir, output = {}, ...options }) {
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    cwd: root,
    platform: 'node',
    transform: { define: { __dirname: 'import.meta.dirname' } },
    onLog: (level, log) => {
      if (level === 'warn') throw new Error(log.message);
    },
    ...options,
  }).catch(failed);
  const chunkFileNames = '[name]-[hash].js';
  const written = await build
    .write({ dir, format: 'esm', entryFileNames: '[name].js', chunkFileNames, ...output })
    .catch(failed);
  await build.close();
  return written.output.flatMap(({ moduleIds = [] }) => moduleIds);
}

function failed(error) {
  fail(`the sources could not be bundled: ${error.message}`);
}

/** Writes the licenses of the packages of bundled modules to a folder, each with its version. */
export function writeLicenses(dir, modules) {
  const folders = modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? []);
  const texts = [...new Set(folders)].sort().map((path) => {
    const { version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
    const file = readdirSync(path).find((name) => /^licen[cs]e/i.test(name));
    if (file === undefined && license === undefined)
      fail(`the package ${relative(root, path)}, which is bundled, has no license`);
    const text = file === undefined ? license : readFileSync(join(path, file), 'utf8');
    return `${relative(join(root, 'node_modules'), path)} ${version}\n\n${text}`;
  });
  writeFileSync(join(dir, 'THIRD-PARTY-LICENSES.txt'), texts.join('\n\n'));
}

/**
 * Plugin that keeps `import.meta.url` of each source what it is without a bundle, as if the file were compiled to the same
 * path below the output: relative URLs of files beside it, and of files below the root, hold in both.
 *
 * @param sources - Folder of the sources.
 * @param output - Folder of the compiled files.
 */
export function keepSourceUrls(sources, output) {
  const MARK = /__sourceUrl\(["']([^"']+)["']\)/g;
  return {
    name: 'keep-source-urls',
    transform(code, id) {
      if (!id.startsWith(`${sources}/`) || !code.includes('import.meta.url')) return null;
      const path = relative(sources, id).replace(/\.ts$/, '.js');
      return { code: code.replaceAll('import.meta.url', `__sourceUrl('${path}')`), map: null };
    },
    renderChunk(code, { fileName }, { dir }) {
      const folder = dirname(join(dir, fileName));
      const urlOf = (_, path) => {
        const from = relative(folder, join(output, path));
        return `new URL("${from.startsWith('.') ? from : `./${from}`}", import.meta.url).href`;
      };
      return { code: code.replace(MARK, urlOf), map: null };
    },
  };
}

/**
 * Returns the group of all modules that an entry loads when it is loaded itself. The entry is not in it: chunks that the entry
 * awaits import the group.
 */
export function oneFile(name, entry) {
  let reached;
  const reach = (context, id) => {
    if (reached.has(id)) return;
    reached.add(id);
    for (const imported of context.getModuleInfo(id)?.importedIds ?? []) reach(context, imported);
  };
  return {
    debugName: name,
    name(id, context) {
      if (reached === undefined) {
        reached = new Set();
        reach(context, entry);
        reached.delete(entry);
      }
      return reached.has(id) ? name : null;
    },
  };
}
