import { writeFile } from 'node:fs/promises';
import { generatedPages } from './pages.ts';

// Program of `npm run docs`: writes the generated documents into the source tree, whether it runs from src or dist.
const folder = new URL('../../src/docs/', import.meta.url);
for (const [name, text] of Object.entries(generatedPages())) {
  await writeFile(new URL(name, folder), text);
  process.stdout.write(`src/docs/${name}\n`);
}
