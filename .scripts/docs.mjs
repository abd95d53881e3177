// `npm run docs`: builds the OpenAPI documents with the service, and writes the generated pages into the source tree.
import { writeFileSync } from 'node:fs';
import { ensureAll, OPENAPI_DOCUMENTS } from './steps.mjs';

await ensureAll();
const { tsImport } = await import('tsx/esm/api');
const { generatedPages } = await tsImport('../src/docs/pages.ts', import.meta.url);
const folder = new URL('../src/docs/', import.meta.url);
for (const [name, text] of Object.entries(generatedPages())) {
  writeFileSync(new URL(name, folder), text);
  process.stdout.write(`src/docs/${name}\n`);
}
for (const name of Object.keys(OPENAPI_DOCUMENTS)) process.stdout.write(`dist/docs/${name}\n`);
