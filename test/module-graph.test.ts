import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const GPL_PACKAGES = ['snarkjs', 'ffjavascript', '@iden3/binfileutils', 'circom2'];
/** The process entry, and the files that its threads run, which no import names. */
const ENTRIES = ['main.ts', 'engine/worker.ts', 'storage/drivers/libsql-worker.ts'];
const IMPORT = /(?:\bfrom\s+|\bimport\s*\(?\s*)'([^']+)'/g;

/** Every file of the service that an entry reaches, static and dynamic imports alike, and the packages they name. */
function moduleGraph(): { readonly files: ReadonlySet<string>; readonly packages: ReadonlySet<string> } {
  const files = new Set<string>(ENTRIES.map((entry) => new URL(`../src/${entry}`, import.meta.url).href));
  const packages = new Set<string>();
  for (const file of files) {
    for (const [, name = ''] of readFileSync(new URL(file), 'utf8').matchAll(IMPORT)) {
      if (name.startsWith('.')) files.add(new URL(name, file).href);
      else packages.add(name);
    }
  }
  return { files, packages };
}

describe('the module graph of the server', () => {
  const { files, packages } = moduleGraph();

  it('is found whole: the parts and packages that surely belong to it are there', () => {
    expect([...files].filter((file) => file.endsWith('/src/app.ts'))).toHaveLength(1);
    expect(files.size).toBeGreaterThan(100);
    expect([...packages]).toEqual(expect.arrayContaining(['piscina', 'ajv', 'uWebSockets.js', 'libsql']));
  });

  it('reaches no package under the GPL, whose terms are not those of this licence', () => {
    expect(
      [...packages].filter((name) =>
        GPL_PACKAGES.some((gpl) => name.split('/').includes(gpl) || name.startsWith(gpl)),
      ),
    ).toEqual([]);
  });

  it('has none of them among the dependencies that production installs', () => {
    const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
    const { dependencies } = JSON.parse(text) as { dependencies: Record<string, string> };
    for (const name of GPL_PACKAGES) expect(Object.keys(dependencies)).not.toContain(name);
  });
});
