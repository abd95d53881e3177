/** A folder with the packed package, snarkjs, and the programs of web-library.mjs for a process and for a page. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { packLibrary } from '../../../../test/library/support/packed-library.ts';
import { viteExample } from '../../../../test/library/web/support/bundlers.ts';
import { root } from '../../../support/paths.ts';
import { folderOf } from '../install-size.ts';

/** The folder, its programs, and the way to remove it. */
export interface WebProject {
  readonly folder: string;
  /** Answers calls of its parent process. */
  readonly program: string;
  /** Folder of a page that has the calls in `globalThis.calls`, made by Vite; undefined if none was asked for. */
  readonly page: string | undefined;
  remove(): Promise<void>;
}

const PROGRAM = `
import { answerCalls } from '../../../support/child.ts';
import { calls } from './web-library.mjs';
answerCalls(calls);
`;
const PAGE = `
import { calls } from '../library.mjs';
globalThis.calls = calls;
`;

/** Packs and installs the package, and makes the programs. */
export async function makeWebProject(hasPage: boolean): Promise<WebProject> {
  const { project: folder, remove } = await packLibrary();
  try {
    for (const name of ['snarkjs', 'ffjavascript'])
      symlinkSync(folderOf(name, root), join(folder, 'node_modules', name));
    const resolveDir = fileURLToPath(new URL('./', import.meta.url));
    const sources = { 'process.mjs': PROGRAM, 'library.mjs': "export { calls } from './web-library.mjs';" };
    for (const [name, contents] of Object.entries(sources))
      await build({
        stdin: { contents, resolveDir },
        outfile: join(folder, name),
        bundle: true,
        packages: 'external',
        platform: 'neutral',
        external: ['node:*'],
        format: 'esm',
        target: 'es2022',
        logLevel: 'error',
      });
    const page = join(folder, 'page');
    if (hasPage) {
      mkdirSync(page);
      await viteExample(page, PAGE);
    }
    return {
      folder,
      program: join(folder, 'process.mjs'),
      page: hasPage ? join(page, 'out') : undefined,
      remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}
