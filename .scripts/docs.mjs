// `npm run docs`: writes the generated documents into the source tree.
import { writeFile } from 'node:fs/promises';
import { ensureAll } from './steps.mjs';

await ensureAll();
const { tsImport } = await import('tsx/esm/api');
const { generatedPages } = await tsImport('../src/docs/index.ts', import.meta.url);
const folder = new URL('../src/docs/', import.meta.url);
for (const [name, text] of Object.entries(await generatedPages())) {
  await writeFile(new URL(name, folder), text);
  process.stdout.write(`src/docs/${name}\n`);
}
