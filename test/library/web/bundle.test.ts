import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const BUNDLE = new URL('../../../.library/dist/library/bundle/', import.meta.url);
const MODULES = ['relaxed', 'simd', 'scalar'];

/** Texts of a file of the bundle and of all that it imports, by name. */
function reachedBy(name: string, texts = new Map<string, string>()): Map<string, string> {
  if (texts.has(name)) return texts;
  const text = readFileSync(new URL(name, BUNDLE), 'utf8');
  texts.set(name, text);
  for (const [, imported = ''] of text.matchAll(/^(?:import|export)\b[^;]*?"\.\/([^"]+)";/gm))
    reachedBy(imported, texts);
  return texts;
}

describe.each(['web.js', 'web-worker.js', 'snarkjs-web.js', 'credential-web.js'])('the bundle %s', (name) => {
  const text = [...reachedBy(name).values()].join('\n');

  it('imports only files of the bundle, and loads no code by itself', () => {
    const imports = [...text.matchAll(/^(?:import|export)\b[^;]*?"([^"]+)";/gm)].map(([, from]) => from);
    expect(imports.filter((from) => !from?.startsWith('./'))).toEqual([]);
    const program = text.replace(/\/\*[\s\S]*?\*\//g, '');
    // `import()` and `eval` would need more of the policy of a page than 'wasm-unsafe-eval'.
    expect(
      program.match(/\bimport\(|\beval\(|\bnew Function\b|\bBuffer\.|\bprocess\.|\brequire\(/g),
    ).toBeNull();
  });

  it('names each WASM module by an expression that bundlers recognize', () => {
    for (const module of MODULES)
      expect(text).toContain(`new URL("../../../wasm/artifact/${module}.wasm", import.meta.url)`);
  });
});

it('the web entry names its worker by an expression that bundlers recognize', () => {
  const text = [...reachedBy('web.js').values()].join('\n');
  expect(text).toContain('new Worker(new URL("./web-worker.js", import.meta.url), { type: "module" })');
});
