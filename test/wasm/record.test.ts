import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const MODULES = ['relaxed.wasm', 'simd.wasm', 'scalar.wasm'];
const root = fileURLToPath(new URL('../..', import.meta.url));
const artifact = (name: string): Buffer =>
  readFileSync(new URL(`../../wasm/artifact/${name}`, import.meta.url));

describe('the committed WASM artefact', () => {
  it('was built from the sources as they are (else: npm run build:wasm)', () => {
    const check = spawnSync(process.execPath, ['.scripts/wasm-record.mjs', 'check'], {
      cwd: root,
      encoding: 'utf8',
    });
    expect(check.stderr).toBe('');
    expect(check.stdout).toBe('');
    expect(check.status).toBe(0);
  });

  it.each(MODULES)('names no folder of the machine that built it: %s', (name) => {
    const texts = artifact(name).toString('latin1');
    expect(texts).not.toMatch(/\/(home|root|Users|work|tmp|builds?)\//);
  });

  it('records the tools it was built with', () => {
    const record = JSON.parse(artifact('record.json').toString('utf8')) as { tools: Record<string, string> };
    expect(Object.keys(record.tools)).toEqual(['rustc', 'std', 'wasm-pack', 'wasm-bindgen', 'linker']);
    expect(record.tools['wasm-bindgen']).toBe('wasm-bindgen 0.2.128');
  });
});
