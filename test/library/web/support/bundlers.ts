/** Bundlers that make a page of the program in page.mjs, as a user of the package would call them. */
import { cpSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toolPath } from '../../support/packed-library.ts';

/** Bundles the page in an empty folder of a project with the package, to its folder `out`. */
export type Bundle = (folder: string) => Promise<void>;

const SUPPORT = fileURLToPath(new URL('./', import.meta.url));
const PROGRAMS = ['page.mjs', 'files.mjs', 'mortal-worker.mjs'];

function write(folder: string, name: string, text: string): void {
  writeFileSync(join(folder, name), text);
}

/** Copies the programs to the folder, and writes the HTML of the page. */
function preparePage(folder: string, script: string): void {
  mkdirSync(join(folder, 'out'));
  for (const program of PROGRAMS) cpSync(join(SUPPORT, program), join(folder, program));
  write(folder, 'with-files.mjs', "import './files.mjs';\nimport './page.mjs';\n");
  write(
    folder,
    'with-worker.mjs',
    "globalThis.proofgateSettings = { worker: () => new Worker('/worker.js', { type: 'module' }) };\nimport('./page.mjs');\n",
  );
  write(
    folder,
    'index.html',
    `<!doctype html><title>Proofs</title><link rel="icon" href="data:,"><script type="module" src="${script}"></script>`,
  );
}

/** Moves the HTML of the page to the bundle, for bundlers that do not read it. */
function publishHtml(folder: string): void {
  renameSync(join(folder, 'index.html'), join(folder, 'out', 'index.html'));
}

/** esbuild leaves `new URL(…, import.meta.url)` as it is: the files are imported, the worker is an entry. */
export const esbuild: Bundle = async (folder) => {
  const { build } = await import('esbuild');
  preparePage(folder, '/page.js');
  await build({
    absWorkingDir: folder,
    entryPoints: {
      page: 'with-files.mjs',
      worker: 'proofgate/web-worker',
      'mortal-worker': 'mortal-worker.mjs',
    },
    outdir: 'out',
    bundle: true,
    format: 'esm',
    minify: true,
    target: 'es2022',
    loader: { '.wasm': 'file' },
    publicPath: '/',
    logLevel: 'error',
  });
  publishHtml(folder);
};

/** Vite finds the modules and the worker by itself. */
export const vite: Bundle = async (folder) => {
  preparePage(folder, '/page.mjs');
  await buildByVite(folder);
};

/** Bundles a page of one program by Vite, in an empty folder of a project with the package, to its folder `out`. */
export async function viteExample(folder: string, program: string): Promise<void> {
  write(folder, 'page.js', program);
  write(
    folder,
    'index.html',
    '<!doctype html><title>Proofs</title><link rel="icon" href="data:,"><body><script type="module" src="/page.js"></script>',
  );
  await buildByVite(folder);
}

async function buildByVite(folder: string): Promise<void> {
  const { build } = await import('vite');
  await build({
    root: folder,
    configFile: false,
    logLevel: 'error',
    build: { outDir: 'out', emptyOutDir: true, target: 'es2022' },
  });
}

/** Rolldown emits the modules; the worker is an entry, since it would be copied without what it imports. */
export const rolldown: Bundle = async (folder) => {
  const { rolldown: start } = await import('rolldown');
  preparePage(folder, '/page.js');
  const build = await start({
    cwd: folder,
    input: { page: 'with-worker.mjs', worker: 'proofgate/web-worker' },
    platform: 'browser',
    experimental: { resolveNewUrlToAsset: true },
  });
  await build.write({ dir: join(folder, 'out'), entryFileNames: '[name].js', minify: true });
  await build.close();
  publishHtml(folder);
};

/** webpack finds the modules and the worker by itself. */
export const webpack: Bundle = async (folder) => {
  const path = toolPath('webpack') as string;
  const start = createRequire(join(path, 'package.json'))('webpack') as StartWebpack;
  preparePage(folder, '/page.js');
  await new Promise<void>((resolve, reject) => {
    start(
      {
        context: folder,
        mode: 'production',
        target: ['web', 'es2022'],
        entry: './page.mjs',
        output: { path: join(folder, 'out'), filename: 'page.js', publicPath: '/' },
      },
      (error, stats) => {
        if (error) reject(error);
        else if (stats?.hasErrors()) reject(new Error(stats.toString({ all: false, errors: true })));
        else resolve();
      },
    );
  });
  publishHtml(folder);
};

interface WebpackStats {
  hasErrors(): boolean;
  toString(options: object): string;
}
type StartWebpack = (
  options: object,
  done: (error: Error | null, stats: WebpackStats | undefined) => void,
) => void;
